/// The bytes of a row as it is being made.
///
/// Types that are attributes append their bytes to one; numbers stand little-endian.
public struct RowBuffer: Sendable {
  package private(set) var bytes: [UInt8]
  /// How many bytes were appended. There are more while a row is made: zeros over which the next ones go.
  package private(set) var count: Int

  package init() { self.init([]) }

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    count = bytes.count
  }

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
    more.withUnsafeBytes { append($0) }
  }

  /// Appends bytes.
  public mutating func append(_ more: [UInt8]) { more.withUnsafeBytes { append($0) } }

  @usableFromInline
  mutating func append(_ more: UnsafeRawBufferPointer) {
    let start = count
    count += more.count
    // First over those that are laid out.
    let overCount = min(more.count, bytes.count - start)
    if overCount > 0 {
      bytes.withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + overCount])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: more[..<overCount]))
      }
    }
    if overCount < more.count {
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: more[overCount...]))
    }
  }

  /// Lays out bytes over which those go that are appended next, which costs less for each than to append it behind
  /// all others. None that are zeros need to be: they can be passed.
  package mutating func layOut(_ template: [UInt8]) {
    let start = count
    append(template)
    count = start
  }

  /// Goes past bytes that were laid out.
  package mutating func pass(_ byteCount: Int) {
    precondition(
      count + byteCount <= bytes.count,
      "\(byteCount) bytes where \(bytes.count - count) were laid out")
    count += byteCount
  }

  /// Leaves none that were laid out and not needed.
  package mutating func trim() { bytes.removeLast(bytes.count - count) }

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

  package mutating func appendZeros(_ byteCount: Int) {
    trim()
    bytes.append(contentsOf: repeatElement(0, count: byteCount))
    count = bytes.count
  }

  /// Appends an integer in seven bits a byte, the lowest first.
  package mutating func appendVariable(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
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

  package mutating func insertZeros(_ byteCount: Int, at offset: Int) {
    trim()
    bytes.insert(contentsOf: repeatElement(0, count: byteCount), at: offset)
    count = bytes.count
  }

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    count = 0
  }

  package mutating func removeLast(through count: Int) {
    bytes.removeLast(bytes.count - count)
    self.count = count
  }
}
