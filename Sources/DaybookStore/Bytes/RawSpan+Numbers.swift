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
