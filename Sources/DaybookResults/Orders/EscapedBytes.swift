import DaybookStore

/// Bytes of any number as parts of a key: in order as they are, the shorter first.
///
/// ```
/// 00 FF   a byte 0
/// 00 00   the end
/// ```
///
/// All other bytes are written as they are, and all are changed by a mask.
enum EscapedBytes {
  /// Appends bytes and their end.
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

  /// Appends some bytes of a word of which some are 0.
  static func append(
    escaping word: UInt64, byteCount: Int, mask: UInt64, to buffer: inout RowBuffer
  ) {
    let mask = UInt8(truncatingIfNeeded: mask)
    for place in 0..<byteCount {
      let byte = UInt8(truncatingIfNeeded: word >> UInt64(8 * place))
      buffer.append(byte ^ mask)
      if byte == 0 { buffer.append(0xFF ^ mask) }
    }
  }

  /// Where the bytes that begin at an offset end, behind their end.
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
    preconditionFailure("bytes from \(start) on in a key of \(key.byteCount) that do not end")
  }

  /// The bytes that were written, unchanged by a mask.
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
  /// Eight bytes as a word whose lowest byte is the first; 0 if there are not so many.
  @inline(__always)
  func word(at offset: Int) -> UInt64 { number(at: offset, as: UInt64.self) ?? 0 }

  /// Up to eight bytes as the lowest of a word, all of which are there.
  @inline(__always)
  func word(at offset: Int, byteCount count: Int) -> UInt64 {
    // Loaded with those before, if there are so many: how many bytes a text ends with is hard to
    // foretell, and so not asked.
    let start = offset + count - 8
    if start >= 0 { return word(at: start) >> UInt64(8 * (8 - count)) }
    var word: UInt64 = 0
    for place in 0..<count {
      word |= UInt64(number(at: offset + place, as: UInt8.self) ?? 0) << UInt64(8 * place)
    }
    return word
  }
}

extension UInt64 {
  /// Whether one of its lowest bytes is 0.
  @inline(__always)
  func hasZeroByte(_ count: Int) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Bytes that do not count are not 0.
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
