/// The parts of a number as JSON writes it, found but not yet computed.
///
/// ```
/// -12.50e3        sign, digits, fraction, exponent
/// ```
///
/// No leading zeros, no `+` before it, and a digit on each side of the point.
struct NumberReading {
  private(set) var isNegative = false
  /// From the first digit that is not zero to the last; the point may stand between. Empty for 0.
  private(set) var significant = 0..<0
  /// How many digits that is, the point not counted.
  private(set) var digitCount = 0
  /// The power of ten that the last of them counts. Far beyond what any type holds it stops.
  private(set) var exponent = 0

  /// Reads a whole text.
  ///
  /// - Complexity: O(*n*)
  init(_ text: Span<UInt8>) throws(TextError) {
    var offset = 0
    if text.count > 0, text[0] == UInt8(ascii: "-") {
      isNegative = true
      offset = 1
    }
    let begin = offset
    var first: Int?
    var last = 0
    func digits(_ name: String) throws(TextError) -> Int {
      let begin = offset
      while offset < text.count, text[offset] &- 48 < 10 {
        if text[offset] != 48 {
          if first == nil { first = offset }
          last = offset
        }
        offset += 1
      }
      guard offset > begin else { throw .expected(name, in: text, at: offset) }
      return offset
    }
    let point = try digits("a digit of a number")
    if point > begin + 1, text[begin] == 48 {
      throw TextError(.form, sentence: "a number has no leading zeros.", in: text, at: begin)
    }
    if offset < text.count, text[offset] == UInt8(ascii: ".") {
      offset += 1
      _ = try digits("a digit after the point")
    }
    var written = 0
    if offset < text.count, text[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      var isBelowOne = false
      if offset < text.count, text[offset] == UInt8(ascii: "-") || text[offset] == UInt8(ascii: "+")
      {
        isBelowOne = text[offset] == UInt8(ascii: "-")
        offset += 1
      }
      let begin = offset
      while offset < text.count, text[offset] &- 48 < 10 {
        // Texts are shorter than this, so no number of digits makes up for it.
        written = min(written * 10 + Int(text[offset] - 48), 1 << 56)
        offset += 1
      }
      guard offset > begin else {
        throw .expected("a digit of the exponent", in: text, at: offset)
      }
      if isBelowOne { written = -written }
    }
    guard offset == text.count else {
      throw .expected("the end of the number", in: text, at: offset)
    }
    guard let first else { return }
    significant = first..<last + 1
    let hasPoint = first < point && last > point
    digitCount = significant.count - (hasPoint ? 1 : 0)
    exponent = written + (last < point ? point - 1 - last : point - last)
  }
}
