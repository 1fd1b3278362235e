/// Functions that parse keys as users type them. A key consists of names with dots between them,
/// and options after colons, for example `details.closeDate:desc`.
///
/// The notation of special names is that of filters. A name that contains separators is quoted, for
/// example `#"first.name"`. A name that is a keyword of filters has a # before it, for example
/// `#in`.
enum KeyText {
  /// Splits a text at a separator. Separators inside quoted names are ignored.
  static func parts(_ text: Substring, at sign: Character) -> [Substring] {
    var parts: [Substring] = []
    var begin = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      if let end = endOfQuotedName(text, from: index) {
        index = end
        continue
      }
      if text[index] == sign {
        parts.append(text[begin..<index])
        begin = text.index(after: index)
      }
      index = text.index(after: index)
    }
    return parts + [text[begin...]]
  }

  /// Returns the names of a path.
  static func names(_ text: Substring) -> [String] {
    parts(text, at: ".").map { part in
      if let end = endOfQuotedName(part, from: part.startIndex), end == part.endIndex {
        return unescaped(part.dropFirst(2).dropLast())
      }
      return String(part.hasPrefix("#") ? part.dropFirst() : part)
    }
  }

  /// Returns the notation of a name. A name that contains other characters than letters, digits and
  /// underscores is quoted.
  static func text(of name: String) -> String {
    let isPlain = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    if isPlain { return name }
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return "#\"\(text)\""
  }

  /// Returns the end of the quoted name that starts at an index; nil if no quoted name starts
  /// there, or if its closing quotation mark is missing.
  private static func endOfQuotedName(
    _ text: Substring, from start: Substring.Index
  ) -> Substring.Index? {
    guard text[start...].hasPrefix("#\"") else { return nil }
    var index = text.index(start, offsetBy: 2)
    while index < text.endIndex {
      switch text[index] {
      case "\"": return text.index(after: index)
      case "\\": index = text.index(index, offsetBy: 2, limitedBy: text.endIndex) ?? text.endIndex
      default: index = text.index(after: index)
      }
    }
    return nil
  }

  private static func unescaped(_ text: Substring) -> String {
    var name = ""
    var rest = text
    while let character = rest.popFirst() {
      guard character == "\\", let escaped = rest.popFirst() else {
        name.append(character)
        continue
      }
      switch escaped {
      case "n": name.append("\n")
      case "t": name.append("\t")
      case "u":
        let digits = rest.dropFirst().prefix { $0 != "}" }
        guard let scalar = UInt32(digits, radix: 16).flatMap({ Unicode.Scalar($0) }) else {
          name.append("u")
          continue
        }
        name.unicodeScalars.append(scalar)
        rest = rest.dropFirst(digits.count + 2)
      default: name.append(escaped)
      }
    }
    return name
  }
}
