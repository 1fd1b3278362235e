/// Where the payload of each transaction begins, without a note for each: one for every 4 KiB, or 16 before a
/// checkpoint, and a walk from there.
///
/// Notes are kept in blocks, so that adding one where somebody has a copy copies the last block.
package struct PayloadLocator: Sendable {
  private struct Note: Sendable {
    var sequence: UInt64
    var location: RowLocation
  }

  /// Where the pieces of the base begin, in order. They have no transaction; changes after the base
  /// name them by their place among these, with the highest bit set.
  private(set) var bases: [RowLocation] = []
  private static let baseFlag: UInt64 = 1 << 63

  /// Whether this names a piece of the base, and no transaction.
  static func isBase(_ sequence: UInt64) -> Bool { sequence & baseFlag != 0 }

  /// Full blocks of notes, but for the last; none is without notes.
  private var blocks: [[Note]] = []
  private static let blockCount = 256
  private static let interval: UInt64 = 4 << 10

  /// Whether transactions were forgotten behind which none was noted yet. In memory their payloads still stand
  /// between those before and those that come, and no walk may pass them.
  private var isCut = false

  /// Whether a note is to be taken of a transaction at a location.
  func wants(_ location: RowLocation) -> Bool {
    guard !isCut, let last = blocks.last?.last else { return true }
    // In memory each piece of the heap begins anew.
    let isNear =
      location.rawValue >> 32 == last.location.rawValue >> 32 || location.region == .file
    return !isNear || location.rawValue >= last.location.rawValue + PayloadLocator.interval
  }

  init() {}

  /// What is known of a journal's beginning: where its base's pieces stand, and some of its transactions, which a
  /// closure hands out in order.
  init(
    bases: [RowLocation], noteCount: Int, _ next: () -> (sequence: UInt64, location: RowLocation)
  ) {
    self.bases = bases
    for start in stride(from: 0, to: noteCount, by: PayloadLocator.blockCount) {
      let count = min(PayloadLocator.blockCount, noteCount - start)
      blocks.append(
        (0..<count).map { _ in
          let note = next()
          return Note(sequence: note.sequence, location: note.location)
        })
    }
  }

  /// The transactions through one of which notes were taken, at least so far apart.
  func notes(
    through last: UInt64, interval: UInt64
  ) -> [(sequence: UInt64, location: RowLocation)] {
    var found: [(sequence: UInt64, location: RowLocation)] = []
    for note in blocks.joined() where note.sequence <= last {
      if let last = found.last, note.location.rawValue < last.location.rawValue + interval {
        continue
      }
      found.append((note.sequence, note.location))
    }
    return found
  }

  /// Takes notice of the next transaction.
  mutating func note(_ sequence: UInt64, at location: RowLocation) {
    guard wants(location) else { return }
    isCut = false
    let note = Note(sequence: sequence, location: location)
    if let last = blocks.last, last.count < PayloadLocator.blockCount {
      blocks[blocks.count - 1].append(note)
    } else {
      blocks.append([note])
    }
  }

  /// Takes notice of the next piece of the base.
  mutating func noteBase(at location: RowLocation) { bases.append(location) }

  /// The name of the piece of the base that begins at a location; 0 if none does.
  func base(at location: RowLocation) -> UInt64 {
    let index = PayloadLocator.count(of: bases) { $0.rawValue < location.rawValue }
    return index < bases.count && bases[index] == location
      ? PayloadLocator.baseFlag | UInt64(index) : 0
  }

  /// Forgets the transactions from one on.
  mutating func cut(from sequence: UInt64) {
    isCut = true
    while let last = blocks.last?.last, last.sequence >= sequence {
      blocks[blocks.count - 1].removeLast()
      if blocks[blocks.count - 1].isEmpty { blocks.removeLast() }
    }
  }

  /// Where the payload of a transaction begins; none if it is not known.
  ///
  /// - Complexity: O(log *n*), and a walk over at most 4 KiB of transactions, or 16 before a checkpoint
  func location(of sequence: UInt64, in memory: RowMemory) -> RowLocation {
    if PayloadLocator.isBase(sequence) {
      let index = sequence & ~PayloadLocator.baseFlag
      return index < UInt64(bases.count) ? bases[Int(index)] : .none
    }
    let block = PayloadLocator.count(of: blocks) {
      $0.first.map { $0.sequence <= sequence } ?? false
    }
    guard block > 0 else { return .none }
    let notes = blocks[block - 1]
    // The block's first note is before the transaction, so there is one.
    var location = notes[PayloadLocator.count(of: notes) { $0.sequence <= sequence } - 1].location
    while true {
      guard let head = memory.payloadHead(at: location), head.sequence > 0,
        head.sequence <= sequence
      else {
        return .none
      }
      if head.sequence == sequence { return location }
      location = location + head.byteCountToNext
    }
  }

  /// How many elements from the first on are what those before others are.
  private static func count<Element>(
    of elements: [Element], where isBefore: (Element) -> Bool
  ) -> Int {
    var low = 0
    var high = elements.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(elements[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
