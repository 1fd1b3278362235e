/// A buffer of fixed size for the bytes of a short ASCII string. It allocates no memory on the
/// heap.
///
/// The buffer has space for the longest decimal: a sign, 39 digits and 127 zeros. Appending more
/// bytes traps.
struct ShortText {
  static let capacity = 168

  private var bytes: InlineArray<168, UInt8> = InlineArray(repeating: 0)
  private(set) var count = 0

  mutating func append(_ byte: UInt8) {
    bytes[count] = byte
    count &+= 1
  }

  mutating func append(_ character: Unicode.Scalar) {
    append(UInt8(ascii: character))
  }

  mutating func append(zeros: Int) {
    var left = zeros
    while left > 0 {
      append("0")
      left -= 1
    }
  }

  /// Appends a number below 100 as two digits.
  mutating func append(twoDigits number: Int) {
    let pair = UInt64(truncatingIfNeeded: number)
    append(48 &+ UInt8(truncatingIfNeeded: pair / 10))
    append(48 &+ UInt8(truncatingIfNeeded: pair % 10))
  }

  /// Appends the eight bytes of an integer, starting with the lowest byte.
  mutating func append(eight word: UInt64) {
    precondition(count <= Self.capacity - 8, "\(count) bytes leave no room for eight more")
    // The precondition ensures that the eight bytes are inside the array.
    let offset = count
    var span = bytes.mutableSpan
    span.withUnsafeMutableBytes {
      $0.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
    count &+= 8
  }

  /// Returns the two digits of a number below 100 as the two lowest bytes of an integer, for
  /// ``append(eight:)``. The first digit is the lowest byte.
  @inline(__always)
  static func pair(_ number: Int) -> UInt64 {
    let pair = UInt64(truncatingIfNeeded: number)
    let tens = pair / 10
    return (48 &+ tens) | (48 &+ (pair &- 10 &* tens)) << 8
  }

  /// Appends a number, with zeros before it if it has fewer digits than a width.
  mutating func append(_ number: UInt64, width: Int = 1) {
    append(number, digitCount: max(width, Self.digitCount(number)))
  }

  /// Appends a number of digits: the last digits of a number, with zeros before them if necessary.
  mutating func append(_ number: UInt64, digitCount: Int) {
    let end = count + digitCount
    var index = end
    var left = number
    while index > count {
      index -= 1
      bytes[index] = 48 &+ UInt8(truncatingIfNeeded: left % 10)
      left /= 10
    }
    count = end
  }

  private static func digitCount(_ number: UInt64) -> Int {
    var digits = 1
    var limit: UInt64 = 10
    while number >= limit {
      digits += 1
      let (next, overflowed) = limit.multipliedReportingOverflow(by: 10)
      if overflowed { break }
      limit = next
    }
    return digits
  }

  /// Accesses a byte that was appended before.
  subscript(_ index: Int) -> UInt8 {
    get { bytes[index] }
    set { bytes[index] = newValue }
  }

  /// Removes the last bytes.
  mutating func removeLast(_ number: Int) {
    precondition(number <= count, "cannot remove \(number) of \(count) bytes")
    count -= number
  }

  /// The content of the buffer as a string.
  var string: String {
    // The buffer has space for the requested number of bytes.
    String(unsafeUninitializedCapacity: count) { buffer in
      bytes.span.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(buffer).copyMemory(from: .init(rebasing: $0[..<count]))
      }
      return count
    }
  }

  /// Appends the content of the buffer to bytes.
  func append(to output: inout [UInt8]) {
    bytes.span.withUnsafeBytes { output.append(contentsOf: $0[..<count]) }
  }
}
