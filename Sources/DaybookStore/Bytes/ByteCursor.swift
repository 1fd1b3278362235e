/// A place in bytes that anybody may have written, which moves behind what is read there. What is not there is
/// nil, and then the place means nothing.
struct ByteCursor {
  var offset = 0

  /// An integer that stands little-endian.
  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: RawSpan, as type: Number.Type = Number.self
  ) -> Number? {
    guard let number = bytes.number(at: offset, as: type) else { return nil }
    offset += MemoryLayout<Number>.size
    return number
  }

  /// A number of things that take at least so many bytes each.
  mutating func count(_ bytes: RawSpan, of byteCount: Int = 1) -> Int? {
    guard let (number, end) = bytes.variableNumber(at: offset),
      number <= UInt64((bytes.byteCount - end) / byteCount)
    else { return nil }
    offset = end
    return Int(number)
  }

  /// Where a run of bytes stands behind its length.
  mutating func range(_ bytes: RawSpan) -> Range<Int>? {
    guard let length = count(bytes) else { return nil }
    defer { offset += length }
    return offset..<offset + length
  }

  /// A text behind its length.
  mutating func text(_ bytes: RawSpan) -> String? {
    range(bytes).map { RowText.text(bytes.extracting($0)) }
  }
}
