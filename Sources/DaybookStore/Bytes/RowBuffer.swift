/// The bytes of a row as it is being made.
///
/// Types that are attributes append their bytes to one; numbers stand little-endian.
public struct RowBuffer: Sendable {
  /// The bytes that were appended, and behind them those that are laid out.
  @usableFromInline package internal(set) var room: [UInt8]
  /// How many bytes were appended. There may be more, over which the next ones go.
  @usableFromInline package internal(set) var count: Int

  /// The bytes that were appended; none may be laid out behind them.
  @inlinable
  package var bytes: [UInt8] {
    precondition(room.count == count, "\(room.count - count) bytes are laid out and not needed")
    return room
  }

  package init() { self.init([]) }

  package init(_ bytes: [UInt8]) {
    room = bytes
    count = bytes.count
  }

  /// Begins anew over some bytes: what they are goes under, and room need not be made for as many.
  package init(over bytes: consuming [UInt8]) {
    room = bytes
    count = 0
  }

  /// Appends an integer.
  @inlinable
  public mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { append($0) }
  }

  /// Appends a text as UTF-8.
  public mutating func append(_ text: String) {
    // Without a call for each text to find out where it stands, as a span of it needs.
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
    guard end <= room.count else { return appendBehind(more) }
    // Over those that are laid out.
    room.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[start..<end]).copyMemory(from: more)
    }
    count = end
  }

  @usableFromInline
  mutating func appendBehind(_ more: UnsafeRawBufferPointer) {
    trim()
    room.append(contentsOf: more)
    count = room.count
  }

  /// Lays out zeros over which those go that are appended next, and leaves it to `trim` to take those away that
  /// were too many.
  ///
  /// - Parameter more: For how many bytes behind those there is to be room, too, if there is none for any yet.
  package mutating func layOutZeros(_ byteCount: Int, more: Int = 0) {
    if room.capacity == 0 { room.reserveCapacity(byteCount + more) }
    // From others, as to append one zero so many times goes on by bytes.
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

  /// Lays out bytes over which those go that are appended next, which costs less for each than to append it behind
  /// all others. None that are zeros need to be: they can be passed.
  ///
  /// - Parameter more: For how many bytes behind those there is to be room, too, whatever they are.
  package mutating func layOut(_ template: [UInt8], more: Int = 0) {
    let start = count
    let missing = start + template.count + more - room.count
    // Whoever lays out one behind the other does so with twice the room each time.
    if missing > 0 { layOutZeros(max(missing, start)) }
    room.withUnsafeMutableBytes { room in
      template.withUnsafeBytes {
        UnsafeMutableRawBufferPointer(rebasing: room[start..<start + $0.count]).copyMemory(from: $0)
      }
    }
  }

  /// Goes past bytes that were laid out.
  package mutating func pass(_ byteCount: Int) {
    precondition(
      count + byteCount <= room.count,
      "\(byteCount) bytes where \(room.count - count) were laid out")
    count += byteCount
  }

  /// Leaves none that were laid out and not needed.
  package mutating func trim() {
    if room.count > count { room.removeLast(room.count - count) }
  }

  /// Hands the bytes over, and leaves none: whoever goes on appending to them has them alone, and so
  /// they are not copied.
  package mutating func take() -> RowBuffer {
    var taken = RowBuffer()
    swap(&taken, &self)
    return taken
  }

  /// Makes room for so many more bytes, and some beyond, so that many small steps stay cheap.
  package mutating func reserve(_ more: Int) {
    let wanted = room.count + more
    if wanted > room.capacity { room.reserveCapacity(max(wanted, room.capacity * 2)) }
  }

  package mutating func appendZeros(_ byteCount: Int) {
    trim()
    room.append(contentsOf: repeatElement(0, count: byteCount))
    count = room.count
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
