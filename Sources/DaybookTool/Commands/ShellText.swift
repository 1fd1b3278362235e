/// Words as somebody would type them in a shell.
enum ShellText {
  /// A word as it is, if no shell sees anything in it; else in quotation marks.
  ///
  /// What a terminal would not show stands escaped, in the form that bash, zsh and ksh read.
  static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.utf8.allSatisfy(isPlain), word.first != "=" { return word }
    guard DisplayWidth.shown(word) != word else {
      return "'" + word.replacing("'", with: "'\\''") + "'"
    }
    var text = ""
    for scalar in word.unicodeScalars {
      switch scalar {
      case "'": text += "\\'"
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where DisplayWidth.shown(String(scalar)) != String(scalar):
        for byte in String(scalar).utf8 { text += escaped(byte) }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return "$'\(text)'"
  }

  /// Bytes that may be no text, in the same form.
  static func quoted(bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): text += "\\\(Character(Unicode.Scalar(byte)))"
      case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += escaped(byte)
      }
    }
    return "$'\(text)'"
  }

  /// A command of some words, behind the tool's name.
  static func command(_ words: [String]) -> String {
    (["daybook"] + words.map(quoted)).joined(separator: " ")
  }

  /// `\xFF`
  private static func escaped(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "\\x\(digits.count == 1 ? "0" : "")\(digits)"
  }

  /// Whether a byte is one of `A-Za-z0-9_.:-/,@%+=`.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: ":"):
      true
    default: "_.-/,@%+=".utf8.contains(byte)
    }
  }
}
