import DaybookStore

/// Texts whose numbers are compared by value: each run of ASCII digits becomes bytes that are in order
/// as the numbers are.
///
/// ```
/// 30 to 38     how many digits there are, zeros before them not counted, none for 0
/// 39 FF … 01   nine, and as many more as the bytes behind the first say: 254 for each FF, and one
///              less than the byte that is none
/// 30 to 39     each digit
/// ```
///
/// A run begins with the byte of a digit, so that beside other characters it stands where digits do.
enum NaturalText {
  /// The bytes by which UTF-8 in normal form C is compared.
  static func bytes(of text: RawSpan) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.byteCount + 8)
    var offset = 0
    while let byte = text.number(at: offset, as: UInt8.self) {
      guard isDigit(byte) else {
        bytes.append(byte)
        offset += 1
        continue
      }
      var start = offset
      while text.number(at: start, as: UInt8.self) == 0x30 { start += 1 }
      offset = start
      while let digit = text.number(at: offset, as: UInt8.self), isDigit(digit) { offset += 1 }
      append(digitCount: offset - start, to: &bytes)
      for place in start..<offset { bytes.append(text.number(at: place, as: UInt8.self) ?? 0) }
    }
    return bytes
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func append(digitCount: Int, to bytes: inout [UInt8]) {
    guard digitCount > 8 else { return bytes.append(0x30 + UInt8(digitCount)) }
    bytes.append(0x39)
    var rest = digitCount - 9
    while rest >= 254 {
      bytes.append(0xFF)
      rest -= 254
    }
    bytes.append(UInt8(rest + 1))
  }
}
