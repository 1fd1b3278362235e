/// Functions that quote words, so that a user can paste a command into a shell.
enum ShellText {
  /// Returns a word in single quotation marks. A word without characters that are special in a
  /// shell is not changed.
  ///
  /// If the word contains characters that a terminal does not show, these characters are escaped.
  /// The result then has the form `$'…'` of bash, zsh and ksh.
  static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(isPlain), word.first != "=" { return word }
    guard DisplayWidth.shown(word) != word else {
      return "'" + word.escaping("'", as: "'\\''") + "'"
    }
    var quotation = ""
    for scalar in word.unicodeScalars {
      switch scalar {
      case "'": quotation += "\\'"
      case "\\": quotation += "\\\\"
      case "\n": quotation += "\\n"
      case "\t": quotation += "\\t"
      case "\r": quotation += "\\r"
      case _ where DisplayWidth.shown(String(scalar)) != String(scalar):
        for byte in String(scalar).utf8 { quotation += escaped(byte) }
      default: quotation.unicodeScalars.append(scalar)
      }
    }
    return "$'\(quotation)'"
  }

  /// Returns bytes, which need not be UTF-8, in the `$'…'` form.
  static func quoted(bytes: some Sequence<UInt8>) -> String {
    var quotation = ""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"):
        quotation += "\\\(Character(Unicode.Scalar(byte)))"
      case 0x20..<0x7F: quotation.unicodeScalars.append(Unicode.Scalar(byte))
      default: quotation += escaped(byte)
      }
    }
    return "$'\(quotation)'"
  }

  /// Returns a command line for the tool.
  ///
  /// - Parameter words: The arguments of the tool, without quotation marks
  static func command(_ words: [String]) -> String {
    (["daybook"] + words.map(quoted)).joined(separator: " ")
  }

  /// Returns a byte as `\xFF`.
  private static func escaped(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "\\x\(digits.count == 1 ? "0" : "")\(digits)"
  }

  /// Returns whether a byte is one of `A-Za-z0-9_.:-/,@%+=`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: ":"):
      true
    default: "_.-/,@%+=".utf8.contains(byte)
    }
  }
}
