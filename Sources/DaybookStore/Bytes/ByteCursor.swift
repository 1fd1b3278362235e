/// A cursor that reads values from untrusted bytes, such as a payload, and advances past each
/// value.
///
/// If the bytes do not contain a value at the cursor, a method returns nil. The caller must not use
/// the cursor after that, because its offset may be anywhere.
struct ByteCursor {
  var offset = 0

  /// Reads a little-endian integer.
  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: RawSpan, as type: Number.Type = Number.self
  ) -> Number? {
    guard let number = bytes.number(at: offset, as: type) else { return nil }
    offset += MemoryLayout<Number>.size
    return number
  }

  /// Reads a count of elements. Returns nil if the bytes after the count are too few for this
  /// number of elements, so that a caller never allocates memory for a false count.
  ///
  /// - Parameter byteCount: The smallest size of an element in bytes.
  mutating func count(_ bytes: RawSpan, of byteCount: Int = 1) -> Int? {
    guard let (number, end) = bytes.variableNumber(at: offset),
      number <= UInt64((bytes.byteCount - end) / byteCount)
    else { return nil }
    offset = end
    return Int(number)
  }

  /// Reads a length, and returns the range of the bytes that follow it.
  mutating func range(_ bytes: RawSpan) -> Range<Int>? {
    guard let length = count(bytes) else { return nil }
    defer { offset += length }
    return offset..<offset + length
  }

  /// Reads a length, and the string that follows it.
  mutating func string(_ bytes: RawSpan) -> String? {
    range(bytes).map { RowText.text(bytes.extracting($0)) }
  }
}

/// Reads numbers from untrusted bytes. Each method checks the bounds, and returns nil if the number
/// is not completely inside the bytes.
extension RawSpan {
  /// Returns the little-endian integer at an offset; nil if the integer is not completely inside
  /// the bytes.
  @inlinable @inline(__always)
  package func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type
  ) -> Number? {
    guard offset >= 0, offset <= byteCount &- MemoryLayout<Number>.size else { return nil }
    return Number(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Returns the little-endian integer that consists of all bytes; nil if the number of bytes
  /// differs from the integer's width.
  @inlinable @inline(__always)
  package func wholeNumber<Number: FixedWidthInteger & BitwiseCopyable>(
    as type: Number.Type = Number.self
  ) -> Number? {
    byteCount == MemoryLayout<Number>.size ? number(at: 0, as: type) : nil
  }

  /// Returns a variable-length integer, and the offset after it. Each byte contains seven bits of
  /// the integer, the lowest bits first; the eighth bit is set in all bytes but the last. Returns
  /// nil if the integer is incomplete or exceeds 64 bits.
  package func variableNumber(at offset: Int) -> (number: UInt64, end: Int)? {
    var number: UInt64 = 0
    var end = offset
    for shift in stride(from: 0, through: 63, by: 7) {
      guard let byte = self.number(at: end, as: UInt8.self) else { return nil }
      end += 1
      if shift == 63, byte > 1 { return nil }
      number |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return (number, end) }
    }
    return nil
  }
}
