/// A buffer of bytes for rows. Attribute types append their values to the buffer.
///
/// Numbers are little-endian. The module also uses the buffer for whole rows and payloads. While a
/// row is written, the buffer contains *prepared* bytes after the appended ones: bytes that exist
/// already, so that an append overwrites them instead of extending the array.
public struct RowBuffer: Sendable {
  /// The memory of the buffer: the appended bytes, followed by the prepared bytes.
  @usableFromInline package internal(set) var room: [UInt8]
  /// The number of appended bytes. All further bytes of `room` are prepared bytes.
  @usableFromInline package internal(set) var count: Int

  /// The appended bytes. The buffer must not contain prepared bytes; see `trim()`.
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

  /// Creates an empty buffer that reuses the memory of an array. The elements of the array become
  /// prepared bytes.
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
  public mutating func append(_ string: String) {
    // Access to contiguous storage is inlined, whereas a `utf8Span` would need a call for each
    // string.
    let done: Void? = string.utf8.withContiguousStorageIfAvailable {
      append(UnsafeRawBufferPointer($0))
    }
    if done == nil { string.utf8Span.span.withUnsafeBytes { append($0) } }
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

  /// Appends bytes that do not fit in the prepared bytes.
  @usableFromInline
  mutating func appendAfterGrowing(_ more: UnsafeRawBufferPointer) {
    trim()
    room.append(contentsOf: more)
    count = room.count
  }

  /// Adds zeros at the end of the prepared bytes. Later appends overwrite prepared bytes, and
  /// `trim()` removes the unused ones.
  ///
  /// - Parameters:
  ///   - byteCount: The number of zeros.
  ///   - more: The additional capacity to reserve. The method ignores it if the buffer already has
  ///     memory.
  package mutating func layOutZeros(_ byteCount: Int, more: Int = 0) {
    if room.capacity == 0 { room.reserveCapacity(byteCount + more) }
    // The zeros are copied from an array in large parts, because appending `repeatElement` would
    // append byte by byte.
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

  /// Writes prepared bytes after the appended ones. Later appends overwrite them, which is cheaper
  /// than extending the array with each append. To keep prepared bytes unchanged, skip them with
  /// `pass(_:)`.
  ///
  /// - Parameters:
  ///   - template: The first prepared bytes.
  ///   - more: The number of further bytes to prepare. Their values are not defined.
  package mutating func layOut(_ template: [UInt8], more: Int = 0) {
    let start = count
    let missing = start + template.count + more - room.count
    // The size of the memory at least doubles, so that appending many small rows takes linear time.
    if missing > 0 { layOutZeros(max(missing, start)) }
    room.withUnsafeMutableBytes { room in
      template.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: room[start..<start + $0.count]).copyMemory(from: $0)
      }
    }
  }

  /// Skips a number of prepared bytes. They become appended bytes with their present values.
  package mutating func pass(_ byteCount: Int) {
    precondition(
      count + byteCount <= room.count,
      "\(byteCount) bytes do not fit in the \(room.count - count) reserved bytes")
    count += byteCount
  }

  /// Removes the prepared bytes.
  package mutating func trim() {
    if room.count > count { room.removeLast(room.count - count) }
  }

  /// Returns a buffer with the bytes of this buffer, and empties this buffer. The bytes are moved
  /// and not shared, so that appending to the returned buffer does not copy them.
  package mutating func take() -> RowBuffer {
    var taken = RowBuffer()
    swap(&taken, &self)
    return taken
  }

  /// Reserves capacity for more bytes. If the capacity must grow, it at least doubles, so that many
  /// small calls take linear time.
  package mutating func reserve(_ more: Int) {
    let minimumCapacity = room.count + more
    if minimumCapacity > room.capacity {
      room.reserveCapacity(max(minimumCapacity, room.capacity * 2))
    }
  }

  /// Removes the prepared bytes, and appends a number of zeros.
  package mutating func appendZeros(_ byteCount: Int) {
    trim()
    room.append(contentsOf: repeatElement(0, count: byteCount))
    count = room.count
  }

  /// Appends a variable-length integer: seven bits in each byte, the lowest bits first. The eighth
  /// bit is set in all bytes but the last.
  package mutating func appendVariable(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Overwrites bytes at an offset with an integer.
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

  /// Removes the prepared bytes, and inserts a number of zeros at an offset.
  package mutating func insertZeros(_ byteCount: Int, at offset: Int) {
    trim()
    room.insert(contentsOf: repeatElement(0, count: byteCount), at: offset)
    count = room.count
  }

  /// Removes all bytes, and keeps the memory.
  package mutating func removeAll() {
    room.removeAll(keepingCapacity: true)
    count = 0
  }

  /// Removes all bytes after a number of bytes.
  package mutating func removeLast(through count: Int) {
    room.removeLast(room.count - count)
    self.count = count
  }
}
