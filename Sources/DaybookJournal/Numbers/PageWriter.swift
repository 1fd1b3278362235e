/// Puts numbers one behind the other, little-endian, for headers and marks.
struct PageWriter {
  private(set) var bytes: [UInt8] = []

  /// - Parameter byteCount: For how many bytes there is to be room from the beginning.
  init(byteCount: Int = 0) { bytes.reserveCapacity(byteCount) }

  mutating func append(_ some: [UInt8]) { bytes += some }

  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  /// Appends zeros up to an offset.
  mutating func fill(to offset: Int) {
    precondition(offset >= bytes.count, "\(bytes.count) bytes stand before offset \(offset)")
    bytes += repeatElement(0, count: offset - bytes.count)
  }

  /// Appends the check of everything so far.
  mutating func appendCheck(seed: UInt64) { append(XXH64.check(bytes.span.bytes, seed: seed)) }
}

/// Numbers as people read them in a dump.
package enum Hexadecimal {
  /// Whether a byte is a digit as these are written.
  package static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Sixteen digits.
  package static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
