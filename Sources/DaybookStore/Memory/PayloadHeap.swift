import DaybookJournal

/// Payloads in memory, for rows that stand in no file: those of drafts, of stores in memory, and of
/// journals that are read by copying.
///
/// Payloads are only ever added. Each is kept whole and stays where it is, behind 24 bytes that say
/// which transaction it is, of when, and how long, as the frame's header does in a file.
package struct PayloadHeap: Sendable {
  static let headByteCount = 24
  private var chunks: [HeapChunk] = []
  /// The bytes of the last chunk that are taken.
  private var used = 0
  private let tag: UInt64

  package init(_ region: RowLocation.Region) { tag = region.rawValue }

  /// How many bytes are taken from the system.
  package var byteCount: Int { chunks.reduce(0) { $0 + $1.byteCount } }

  /// Adds a payload, and says where its bytes begin.
  package mutating func add(
    _ payload: RawSpan, sequence: UInt64, time: JournalTime = .distantPast
  ) -> RowLocation {
    let wanted = (PayloadHeap.headByteCount + payload.byteCount + 7) / 8 * 8
    if chunks.isEmpty || chunks[chunks.count - 1].byteCount - used < wanted {
      let usual = min(1 << 20, 4096 << min(chunks.count, 8))
      chunks.append(HeapChunk(byteCount: max(usual, wanted)))
      used = 0
    }
    let chunk = chunks[chunks.count - 1]
    chunk.write(sequence, at: used)
    chunk.write(UInt64(payload.byteCount), at: used + 8)
    chunk.write(UInt64(bitPattern: time.nanoseconds), at: used + 16)
    chunk.write(payload, at: used + PayloadHeap.headByteCount)
    let offset = UInt64(used + PayloadHeap.headByteCount)
    used += wanted
    // Whoever walks from payload to payload ends behind the last one.
    if used + 8 <= chunk.byteCount { chunk.write(0 as UInt64, at: used) }
    return RowLocation(rawValue: tag | UInt64(chunks.count - 1) << 32 | offset)
  }

  /// The bytes from a location to the end of what holds it; none if it is none of this heap.
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

/// A piece of a heap.
//
// Written only behind what has been handed out, by the heap's one owner; whoever reads got to know of
// a place after it was written, by way of whatever handed the heap over.
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

/// Payloads that have a place in the file and may not have got there yet, in the order of their places.
///
/// They are kept in blocks, so that adding one where somebody has a copy copies the last block.
struct PayloadsUnderway: Sendable {
  struct Underway: Sendable {
    var location: RowLocation
    var sequence: UInt64
    var payload: [UInt8]
  }

  /// None is empty, and each but the first and the last is full.
  private var blocks: [[Underway]] = []
  private static let blockCount = 16

  init() {}

  /// Adds the payload of the next transaction.
  mutating func append(_ payload: [UInt8], sequence: UInt64, at location: RowLocation) {
    let underway = Underway(location: location, sequence: sequence, payload: payload)
    if let last = blocks.last, last.count < PayloadsUnderway.blockCount {
      blocks[blocks.count - 1].append(underway)
    } else {
      blocks.append([underway])
    }
  }

  /// Whether there are any of the transactions through one.
  func has(through sequence: UInt64) -> Bool {
    blocks.first?.first.map { $0.sequence <= sequence } ?? false
  }

  /// Forgets the transactions through one.
  mutating func remove(through sequence: UInt64) {
    blocks.removeFirst(blocks.prefix { $0.last.map { $0.sequence <= sequence } ?? true }.count)
    guard has(through: sequence) else { return }
    blocks[0].removeFirst(blocks[0].prefix { $0.sequence <= sequence }.count)
  }

  /// Forgets the transactions from one on.
  mutating func cut(from sequence: UInt64) {
    while let last = blocks.last?.last, last.sequence >= sequence {
      blocks[blocks.count - 1].removeLast()
      if blocks[blocks.count - 1].isEmpty { blocks.removeLast() }
    }
  }

  /// The last that begins at a location or before it.
  func payload(around location: RowLocation) -> Underway? {
    for block in blocks.reversed() {
      if let found = block.last(where: { $0.location.rawValue <= location.rawValue }) {
        return found
      }
    }
    return nil
  }
}
