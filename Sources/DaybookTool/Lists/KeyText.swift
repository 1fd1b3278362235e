/// Functions that parse keys as users type them. A key consists of names with dots between them,
/// and options after colons, for example `details.closeDate:desc`.
///
/// The notation of special names is that of filters. A name that contains separators is in
/// backquotes, or in quotation marks after a #: `` `first.name` `` or `#"first.name"`. A name that
/// is a keyword of filters has a # before it, for example `#in`.
enum KeyText {
  /// Splits a text at a separator. Separators inside quoted names are ignored.
  static func parts(_ string: Substring, at sign: Unicode.Scalar) -> [Substring] {
    var parts: [Substring] = []
    var begin = string.startIndex
    var index = string.startIndex
    // A quoted name starts a key, or follows a separator.
    var mayQuote = true
    while index < string.endIndex {
      if mayQuote, let end = endOfQuotedName(string, from: index) {
        index = end
        mayQuote = false
        continue
      }
      let scalar = string.unicodeScalars[index]
      if scalar == sign {
        parts.append(string[begin..<index])
        begin = string.unicodeScalars.index(after: index)
      }
      mayQuote = scalar == sign || ",.:=".unicodeScalars.contains(scalar)
      index = string.unicodeScalars.index(after: index)
    }
    return parts + [string[begin...]]
  }

  /// Returns the names of a path.
  static func names(_ path: Substring) -> [String] { parts(path, at: ".").map { name($0) } }

  /// Returns the name that a text without separators represents: a quoted name without its
  /// quotation marks, a word without the # before it, or else the text itself.
  static func name(_ part: Substring) -> String {
    if let content = quotedContent(part), content.end == part.endIndex {
      return unescaped(part[content.range])
    }
    let isWord =
      part.unicodeScalars.first == "#"
      && part.unicodeScalars.dropFirst().first.map { $0 == "_" || $0.properties.isXIDStart } == true
    return String(isWord ? part.dropFirst() : part)
  }

  /// Returns the quoted text that starts at a column of a filter: a string, or a name in backquotes
  /// or after a #. Returns nil if the column starts neither.
  ///
  /// - Parameter column: The column, from 1, in Unicode scalars.
  static func quotation(in filter: String, at column: Int) -> String? {
    let scalars = filter.unicodeScalars
    guard
      let start = scalars.index(
        scalars.startIndex, offsetBy: column - 1, limitedBy: scalars.endIndex),
      let content = quotedContent(filter[start...], isString: true)
    else { return nil }
    return String(filter[start..<content.end])
  }

  /// Returns the end of the quoted name that starts at an index; nil if no quoted name starts
  /// there, or if its closing quotation mark is missing.
  private static func endOfQuotedName(
    _ string: Substring, from start: Substring.Index
  ) -> Substring.Index? {
    quotedContent(string[start...])?.end
  }

  /// Returns the range between the quotation marks at the start of a text, and the index after
  /// them; nil if the text does not start with a quoted name.
  ///
  /// - Parameter isString: A Boolean value that indicates whether the text may also start with a
  ///   string.
  private static func quotedContent(
    _ string: Substring, isString: Bool = false
  ) -> (range: Range<Substring.Index>, end: Substring.Index)? {
    let scalars = string.unicodeScalars
    var index = scalars.startIndex
    guard var mark = scalars.first else { return nil }
    if mark == "#" {
      scalars.formIndex(after: &index)
      guard index < scalars.endIndex else { return nil }
      mark = scalars[index]
      guard mark == "\"" || mark == "'" else { return nil }
    } else {
      guard mark == "`" || isString && (mark == "\"" || mark == "'") else { return nil }
    }
    scalars.formIndex(after: &index)
    let start = index
    while index < scalars.endIndex {
      let scalar = scalars[index]
      if scalar == mark { return (start..<index, scalars.index(after: index)) }
      scalars.formIndex(after: &index)
      if scalar == "\\", index < scalars.endIndex { scalars.formIndex(after: &index) }
    }
    return nil
  }

  private static func unescaped(_ string: Substring) -> String {
    var name = String.UnicodeScalarView()
    var rest = string.unicodeScalars
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let escaped = rest.popFirst() else {
        name.append(scalar)
        continue
      }
      switch escaped {
      case "n": name.append("\n")
      case "t": name.append("\t")
      case "u":
        let digits = String(rest.dropFirst().prefix { $0 != "}" })
        guard let scalar = UInt32(digits, radix: 16).flatMap({ Unicode.Scalar($0) }) else {
          name.append("u")
          continue
        }
        name.append(scalar)
        rest = rest.dropFirst(digits.unicodeScalars.count + 2)
      default: name.append(escaped)
      }
    }
    return String(name)
  }
}
