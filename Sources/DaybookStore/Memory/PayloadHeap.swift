import DaybookJournal

/// A heap of payloads in memory, for rows that are not read from a mapped file. These are the rows
/// of drafts, of stores in memory, and of journals that are read by copying.
///
/// The heap only grows. Each payload is contiguous and never moves. A header of 24 bytes precedes
/// it, with its transaction number, length and time, similar to the frame header in a file.
package struct PayloadHeap: Sendable {
  /// The number of bytes of the header before each payload.
  static let headByteCount = 24
  private var chunks: [HeapChunk] = []
  /// The number of used bytes in the last chunk.
  private var used = 0
  /// The two highest bits of the locations in this heap.
  private let tag: UInt64

  package init(_ region: RowLocation.Region) { tag = region.rawValue }

  /// The number of bytes that the chunks have allocated.
  package var byteCount: Int { chunks.reduce(0) { $0 + $1.byteCount } }

  /// Adds a payload, and returns the location of its first byte. The location consists of the
  /// region's two bits, the chunk's index, and the offset in the chunk.
  package mutating func add(
    _ payload: RawSpan, sequence: UInt64, time: JournalTime = .distantPast
  ) -> RowLocation {
    let paddedByteCount = (PayloadHeap.headByteCount + payload.byteCount + 7) / 8 * 8
    if chunks.isEmpty || chunks[chunks.count - 1].byteCount - used < paddedByteCount {
      let usual = min(1 << 20, 4096 << min(chunks.count, 8))
      chunks.append(HeapChunk(byteCount: max(usual, paddedByteCount)))
      used = 0
    }
    let chunk = chunks[chunks.count - 1]
    chunk.write(sequence, at: used)
    chunk.write(UInt64(payload.byteCount), at: used + 8)
    chunk.write(UInt64(bitPattern: time.nanoseconds), at: used + 16)
    chunk.write(payload, at: used + PayloadHeap.headByteCount)
    let offset = UInt64(used + PayloadHeap.headByteCount)
    used += paddedByteCount
    // A walk from payload to payload reads a transaction number here. The zero ends the walk.
    if used + 8 <= chunk.byteCount { chunk.write(0 as UInt64, at: used) }
    return RowLocation(rawValue: tag | UInt64(chunks.count - 1) << 32 | offset)
  }

  /// Calls a closure with the bytes from a location, or from a number of bytes before it, to the
  /// end of the chunk. The bytes are empty if the location is not in this heap.
  func withBytes<Result, Failure: Error>(
    at location: RowLocation, back byteCount: Int = 0,
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let index = Int((location.rawValue & 0x3FFF_FFFF_FFFF_FFFF) >> 32)
    let offset = Int(location.rawValue & 0xFFFF_FFFF) - byteCount
    guard index < chunks.count else { return try body(RawSpan()) }
    return try chunks[index].withBytes(from: offset, body)
  }
}

/// A contiguous block of memory of a heap.
//
// `@unchecked` is safe without a lock. Only the owner of the heap writes, and only into bytes that
// no published location refers to. A reader receives a location after the bytes at the location
// were written.
private final class HeapChunk: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  init(byteCount: Int) { memory = .allocate(byteCount: byteCount, alignment: 16) }

  deinit { memory.deallocate() }

  var byteCount: Int { memory.count }

  func write(_ number: UInt64, at offset: Int) {
    precondition(offset + 8 <= memory.count, "byte \(offset) of \(memory.count)")
    memory.storeBytes(of: number.littleEndian, toByteOffset: offset, as: UInt64.self)
  }

  func write(_ bytes: RawSpan, at offset: Int) {
    precondition(
      offset + bytes.byteCount <= memory.count,
      "\(bytes.byteCount) bytes at \(offset) of \(memory.count)")
    bytes.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: $0)
    }
  }

  func withBytes<Result, Failure: Error>(
    from offset: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard offset >= 0, offset <= memory.count else { return try body(RawSpan()) }
    return try body(UnsafeRawBufferPointer(rebasing: memory[offset...]).bytes)
  }
}

/// The payloads of transactions that are accepted, in the order of their locations. Such a
/// transaction has a location in the file, but its bytes may not be written. So readers of the
/// location get the bytes from this value. `RowMemory` removes a payload when the file contains its
/// bytes.
///
/// The payloads are stored in blocks of 16. If a second copy shares the value, adding a payload
/// copies only the last block.
struct InFlightPayloads: Sendable {
  /// The payload of one transaction, with the location that the payload has in the file.
  struct Entry: Sendable {
    var location: RowLocation
    var sequence: UInt64
    var payload: [UInt8]
  }

  /// The blocks of entries. No block is empty, and all blocks except the first and the last are
  /// full.
  private var blocks: [[Entry]] = []
  private static let blockCount = 16

  init() {}

  /// Adds the payload of the next transaction.
  mutating func append(_ payload: [UInt8], sequence: UInt64, at location: RowLocation) {
    let entry = Entry(location: location, sequence: sequence, payload: payload)
    if let last = blocks.last, last.count < InFlightPayloads.blockCount {
      blocks[blocks.count - 1].append(entry)
    } else {
      blocks.append([entry])
    }
  }

  /// Returns whether the value contains a payload of a transaction up to and including a number.
  func has(through sequence: UInt64) -> Bool {
    blocks.first?.first.map { $0.sequence <= sequence } ?? false
  }

  /// Removes the payloads of all transactions up to and including a number.
  mutating func remove(through sequence: UInt64) {
    blocks.removeFirst(blocks.prefix { $0.last.map { $0.sequence <= sequence } ?? true }.count)
    guard has(through: sequence) else { return }
    blocks[0].removeFirst(blocks[0].prefix { $0.sequence <= sequence }.count)
  }

  /// Removes the payloads of the transactions from a number on, which a rollback undoes.
  mutating func cut(from sequence: UInt64) {
    while let last = blocks.last?.last, last.sequence >= sequence {
      blocks[blocks.count - 1].removeLast()
      if blocks[blocks.count - 1].isEmpty { blocks.removeLast() }
    }
  }

  /// Returns the last payload that starts at or before a location; nil if there is none.
  func payload(around location: RowLocation) -> Entry? {
    for block in blocks.reversed() {
      if let found = block.last(where: { $0.location.rawValue <= location.rawValue }) {
        return found
      }
    }
    return nil
  }
}
