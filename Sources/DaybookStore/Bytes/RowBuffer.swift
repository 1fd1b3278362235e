/// The bytes of a row as it is being made.
///
/// Types that are attributes append their bytes to one; numbers stand little-endian.
public struct RowBuffer: Sendable {
  package private(set) var bytes: [UInt8]

  package init() { bytes = [] }

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var count: Int { bytes.count }

  /// Appends an integer.
  @inlinable
  public mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { append($0) }
  }

  /// Appends a text as UTF-8.
  public mutating func append(_ text: String) {
    text.utf8Span.span.withUnsafeBytes { append($0) }
  }

  /// Appends bytes.
  public mutating func append(_ more: RawSpan) {
    more.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes.
  public mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  @usableFromInline
  mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  /// Hands the bytes over, and leaves none: whoever goes on appending to them has them alone, and so
  /// they are not copied.
  package mutating func take() -> RowBuffer {
    var taken = RowBuffer()
    swap(&taken, &self)
    return taken
  }

  /// Makes room for so many more bytes, and some beyond, so that many small steps stay cheap.
  package mutating func reserve(_ more: Int) {
    let wanted = bytes.count + more
    if wanted > bytes.capacity { bytes.reserveCapacity(max(wanted, bytes.capacity * 2)) }
  }

  package mutating func appendZeros(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  /// Appends an integer in seven bits a byte, the lowest first.
  package mutating func appendVariable(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes an integer over bytes that are there.
  package mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Number, at offset: Int
  ) {
    bytes.withUnsafeMutableBytes { target in
      precondition(
        offset >= 0 && offset <= target.count - MemoryLayout<Number>.size,
        "\(Number.self) at byte \(offset) of \(target.count)")
      target.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }
  }

  package mutating func setBit(_ bit: UInt8, at offset: Int) { bytes[offset] |= bit }

  package mutating func insertZeros(_ count: Int, at offset: Int) {
    bytes.insert(contentsOf: repeatElement(0, count: count), at: offset)
  }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  package mutating func removeLast(through count: Int) {
    bytes.removeLast(bytes.count - count)
  }
}
