/// A buffer for the bytes of a row under construction.
///
/// The encoding of each attribute value is appended to it. Numbers are little-endian.
public struct RowBuffer: Sendable {
  /// The appended bytes, followed by prepared bytes.
  @usableFromInline package internal(set) var room: [UInt8]
  /// The number of appended bytes. The bytes after them are prepared, and later appends overwrite
  /// them.
  @usableFromInline package internal(set) var count: Int

  /// The appended bytes. No prepared bytes may follow them.
  @inlinable
  package var bytes: [UInt8] {
    precondition(room.count == count, "\(room.count - count) reserved bytes are not needed")
    return room
  }

  package init() { self.init([]) }

  package init(_ bytes: [UInt8]) {
    room = bytes
    count = bytes.count
  }

  /// Creates an empty buffer that reuses the memory of some bytes. The bytes are overwritten.
  package init(over bytes: consuming [UInt8]) {
    room = bytes
    count = 0
  }

  /// Appends an integer.
  @inlinable
  public mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { append($0) }
  }

  /// Appends a string as UTF-8.
  public mutating func append(_ text: String) {
    // The contiguous storage avoids a call for each string, which a span of it would need.
    let done: Void? = text.utf8.withContiguousStorageIfAvailable {
      append(UnsafeRawBufferPointer($0))
    }
    if done == nil { text.utf8Span.span.withUnsafeBytes { append($0) } }
  }

  /// Appends bytes.
  public mutating func append(_ more: RawSpan) {
    more.withUnsafeBytes { append($0) }
  }

  /// Appends bytes.
  public mutating func append(_ more: [UInt8]) { more.withUnsafeBytes { append($0) } }

  @inlinable @inline(__always)
  mutating func append(_ more: UnsafeRawBufferPointer) {
    let (start, end) = (count, count + more.count)
    guard end <= room.count else { return appendAfterGrowing(more) }
    // Overwrites prepared bytes.
    room.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[start..<end]).copyMemory(from: more)
    }
    count = end
  }

  @usableFromInline
  mutating func appendAfterGrowing(_ more: UnsafeRawBufferPointer) {
    trim()
    room.append(contentsOf: more)
    count = room.count
  }

  /// Adds prepared zeros at the end of the room. Later appends overwrite them, and `trim()` removes
  /// the unused ones.
  ///
  /// - Parameters:
  ///   - byteCount: The number of zeros.
  ///   - more: The additional capacity. It is used only if the buffer has no memory yet.
  package mutating func layOutZeros(_ byteCount: Int, more: Int = 0) {
    if room.capacity == 0 { room.reserveCapacity(byteCount + more) }
    // The zeros are copied from an array, because a repeated element is appended byte by byte.
    var rest = byteCount
    while rest > 0 {
      let count = min(rest, RowBuffer.zeros.count)
      RowBuffer.zeros.withUnsafeBytes {
        room.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
      rest -= count
    }
  }

  private static let zeros = [UInt8](repeating: 0, count: 4096)

  /// Prepares bytes after the appended ones. Later appends overwrite them, which is cheaper than
  /// extending the buffer with each append. Bytes that stay unchanged can be skipped with
  /// `pass(_:)`.
  ///
  /// - Parameters:
  ///   - template: The bytes to prepare.
  ///   - more: The number of further bytes to prepare. Their values are not defined.
  package mutating func layOut(_ template: [UInt8], more: Int = 0) {
    let start = count
    let missing = start + template.count + more - room.count
    // The room doubles, so that many small rows in sequence stay cheap.
    if missing > 0 { layOutZeros(max(missing, start)) }
    room.withUnsafeMutableBytes { room in
      template.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: room[start..<start + $0.count]).copyMemory(from: $0)
      }
    }
  }

  /// Skips prepared bytes, which then count as appended.
  package mutating func pass(_ byteCount: Int) {
    precondition(
      count + byteCount <= room.count,
      "\(byteCount) bytes do not fit in the \(room.count - count) reserved bytes")
    count += byteCount
  }

  /// Removes the prepared bytes that were not used.
  package mutating func trim() {
    if room.count > count { room.removeLast(room.count - count) }
  }

  /// Returns the bytes, and empties this buffer. The returned buffer is the only owner of its
  /// bytes, so appending to it does not copy them.
  package mutating func take() -> RowBuffer {
    var taken = RowBuffer()
    swap(&taken, &self)
    return taken
  }

  /// Reserves room for more bytes. When the capacity grows, it at least doubles, so that many small
  /// steps stay cheap.
  package mutating func reserve(_ more: Int) {
    let wanted = room.count + more
    if wanted > room.capacity { room.reserveCapacity(max(wanted, room.capacity * 2)) }
  }

  package mutating func appendZeros(_ byteCount: Int) {
    trim()
    room.append(contentsOf: repeatElement(0, count: byteCount))
    count = room.count
  }

  /// Appends an integer with seven bits in each byte, the lowest bits first.
  package mutating func appendVariable(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Overwrites existing bytes with an integer.
  package mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Number, at offset: Int
  ) {
    room.withUnsafeMutableBytes { target in
      precondition(
        offset >= 0 && offset <= target.count - MemoryLayout<Number>.size,
        "\(Number.self) at byte \(offset) of \(target.count)")
      target.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self)
    }
  }

  package mutating func setBit(_ bit: UInt8, at offset: Int) { room[offset] |= bit }

  package mutating func insertZeros(_ byteCount: Int, at offset: Int) {
    trim()
    room.insert(contentsOf: repeatElement(0, count: byteCount), at: offset)
    count = room.count
  }

  package mutating func removeAll() {
    room.removeAll(keepingCapacity: true)
    count = 0
  }

  package mutating func removeLast(through count: Int) {
    room.removeLast(room.count - count)
    self.count = count
  }
}
