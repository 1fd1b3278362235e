/// A writer of little-endian numbers into bytes, for headers and marks.
struct PageWriter {
  private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  ///
  /// - Parameter byteCount: The number of bytes to reserve memory for.
  init(byteCount: Int = 0) { bytes.reserveCapacity(byteCount) }

  mutating func append(_ some: [UInt8]) { bytes += some }

  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  /// Appends zeros up to an offset.
  mutating func fill(to offset: Int) {
    precondition(
      offset >= bytes.count,
      "\(bytes.count) bytes were already written; offset \(offset) is before their end")
    // Appending `repeatElement` would append byte by byte.
    bytes += [UInt8](repeating: 0, count: offset - bytes.count)
  }

  /// Appends the checksum of all bytes before it.
  mutating func appendCheck(seed: UInt64) { append(XXH64.checksum(bytes.span.bytes, seed: seed)) }
}

/// The formatting of numbers as hexadecimal digits, as in a dump.
package enum Hexadecimal {
  /// Returns a Boolean value that indicates whether a byte is a digit or one of the letters a to f.
  package static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Returns the sixteen digits of a number.
  package static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
