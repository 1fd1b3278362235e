import DaybookStore

/// Functions that convert identifiers to text inside a line.
enum IdentifierText {
  /// Returns the text of an identifier. A string is written as JSON if it could be confused with an
  /// integer, or if it contains characters that are not usual in names.
  static func text(of id: RecordIdentifier) -> String {
    switch id {
    case .int, .uint: return ValueText.text(of: id)
    case .uuid(let uuid): return uuid.uuidString
    case .string(let string):
      let isName = !string.isEmpty && string.utf8.allSatisfy(isOfName)
      return isName && !RecordArguments.isInteger(string)
        ? string : ValueText.json(of: .string(string))
    }
  }

  /// Returns whether a byte is one of `A-Za-z0-9_.:-`.
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
