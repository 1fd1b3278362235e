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

/// Numbers that are read from bytes somebody else may have written: every bound is checked, and what
/// is not there reads as nil.
extension RawSpan {
  /// An integer stored little-endian at an offset, or nil if the bytes end before it does.
  @inlinable @inline(__always)
  package func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type
  ) -> Number? {
    guard offset >= 0, offset <= byteCount &- MemoryLayout<Number>.size else { return nil }
    return Number(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// The integer that takes up all of the bytes, or nil if there are not so many.
  @inlinable @inline(__always)
  package func wholeNumber<Number: FixedWidthInteger & BitwiseCopyable>(
    as type: Number.Type = Number.self
  ) -> Number? {
    byteCount == MemoryLayout<Number>.size ? number(at: 0, as: type) : nil
  }

  /// An integer in seven bits a byte, and where it ends; nil if it does not end or is above 64 bits.
  package func variableNumber(at offset: Int) -> (number: UInt64, end: Int)? {
    var number: UInt64 = 0
    var place = offset
    for shift in stride(from: 0, through: 63, by: 7) {
      guard let byte = self.number(at: place, as: UInt8.self) else { return nil }
      place += 1
      if shift == 63, byte > 1 { return nil }
      number |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return (number, place) }
    }
    return nil
  }
}
