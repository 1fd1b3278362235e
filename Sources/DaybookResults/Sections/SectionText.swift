import DaybookStore

/// The beginnings of texts that sections are made of.
enum SectionText {
  /// The first character in normal form C, in upper case where that is one character; no character
  /// of an empty text.
  static func letter(of text: RawSpan) -> String {
    if let byte = text.number(at: 0, as: UInt8.self), byte < 0x80, isAlone(byte, in: text) {
      return String(Unicode.Scalar(byte &- 0x61 < 26 ? byte & 0xDF : byte))
    }
    guard let first = NormalizedText.text(of: RowText.text(text)).first else { return "" }
    let upper = first.uppercased()
    return upper.count == 1 ? NormalizedText.text(of: upper) : String(first)
  }

  /// Whether the first byte, which is ASCII, is a character: what follows is ASCII as well, and the
  /// two are not a line end, which is the one character of two.
  private static func isAlone(_ byte: UInt8, in text: RawSpan) -> Bool {
    guard let next = text.number(at: 1, as: UInt8.self) else { return true }
    return next < 0x80 && !(byte == 0x0D && next == 0x0A)
  }

  /// The first characters in normal form C, or all that there are.
  static func prefix(_ characterCount: Int, of text: RawSpan) -> String {
    String(NormalizedText.text(of: RowText.text(text)).prefix(characterCount))
  }
}
