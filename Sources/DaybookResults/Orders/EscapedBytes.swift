import DaybookStore

/// The encoding of byte strings of any length as parts of a key. The encoded strings have the order
/// of the original strings, and no encoded string is a prefix of a different one.
///
/// ```
/// 00 FF   a byte 0
/// 00 00   the terminator
/// ```
///
/// All other bytes are written unchanged. Every written byte is then combined with a mask by
/// exclusive or. The bits of the mask are 0 for an ascending key, and 1 for a descending key.
enum EscapedBytes {
  /// Appends bytes and their terminator.
  static func append(_ bytes: RawSpan, mask: UInt64, to buffer: inout RowBuffer) {
    buffer.reserve(bytes.byteCount + 2)
    var offset = 0
    while offset < bytes.byteCount {
      let count = min(8, bytes.byteCount - offset)
      let word = bytes.word(at: offset, byteCount: count)
      if word.hasZeroByte(count) {
        append(escaping: word, byteCount: count, mask: mask, to: &buffer)
      } else {
        buffer.append(word ^ mask, byteCount: count)
      }
      offset += count
    }
    buffer.append(UInt16(truncatingIfNeeded: mask))
  }

  /// Appends the lowest bytes of a word, the lowest first, and escapes the bytes that are 0.
  static func append(
    escaping word: UInt64, byteCount: Int, mask: UInt64, to buffer: inout RowBuffer
  ) {
    let mask = UInt8(truncatingIfNeeded: mask)
    for index in 0..<byteCount {
      let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
      buffer.append(byte ^ mask)
      if byte == 0 { buffer.append(0xFF ^ mask) }
    }
  }

  /// Returns the offset after the terminator of the byte string that starts at an offset.
  static func end(in key: RawSpan, from start: Int, mask: UInt8) -> Int {
    var offset = start
    while let byte = key.number(at: offset, as: UInt8.self) {
      guard byte == mask else {
        offset += 1
        continue
      }
      if key.number(at: offset + 1, as: UInt8.self) == mask { return offset + 2 }
      offset += 2
    }
    preconditionFailure(
      "the escaped bytes at \(start) of a key of \(key.byteCount) bytes have no end")
  }

  /// Returns the original bytes of a byte string that was written with the mask 0.
  static func bytes(in key: RawSpan) -> [UInt8] {
    var bytes: [UInt8] = []
    var offset = 0
    while let byte = key.number(at: offset, as: UInt8.self) {
      if byte == 0 {
        guard key.number(at: offset + 1, as: UInt8.self) == 0xFF else { break }
        offset += 1
      }
      bytes.append(byte)
      offset += 1
    }
    return bytes
  }
}

extension RawSpan {
  /// Returns eight bytes as a little-endian word, or 0 if fewer than eight bytes follow the offset.
  @inline(__always)
  func word(at offset: Int) -> UInt64 { number(at: offset, as: UInt64.self) ?? 0 }

  /// Returns up to eight bytes as the lowest bytes of a word. The span must contain all these
  /// bytes.
  @inline(__always)
  func word(at offset: Int, byteCount count: Int) -> UInt64 {
    // If the span has eight bytes up to the end of the requested bytes, one load reads them all. A
    // shift then removes the bytes before the offset. This avoids a branch on the number of bytes,
    // which a processor cannot predict well.
    let start = offset + count - 8
    if start >= 0 { return word(at: start) >> UInt64(8 * (8 - count)) }
    var word: UInt64 = 0
    for index in 0..<count {
      word |= UInt64(number(at: offset + index, as: UInt8.self) ?? 0) << UInt64(8 * index)
    }
    return word
  }
}

extension UInt64 {
  /// Returns a Boolean value that indicates whether one of the `count` lowest bytes is 0.
  @inline(__always)
  func hasZeroByte(_ count: Int) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // All bits of the other bytes are set, so that these bytes are not 0.
    let word = count == 8 ? self : self | ~0 << UInt64(8 * count)
    return (word &- ones) & ~word & (ones << 7) != 0
  }
}

extension RowBuffer {
  /// Appends the lowest bytes of a word, the lowest first.
  @inline(__always)
  mutating func append(_ word: UInt64, byteCount: Int) {
    withUnsafeBytes(of: word.littleEndian) { append($0.bytes.extracting(0..<byteCount)) }
  }

  /// Appends the highest bytes of a word, the highest first.
  @inline(__always)
  mutating func append(_ word: UInt64, firstBytes byteCount: Int) {
    append(word.byteSwapped, byteCount: byteCount)
  }
}
