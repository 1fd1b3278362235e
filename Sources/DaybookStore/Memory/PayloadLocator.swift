/// Finds the payload of each transaction, without an entry for each. There is one note for every 4
/// KiB of payloads, or every 16 KiB before a checkpoint. A lookup walks from the nearest note.
///
/// Notes are stored in blocks. If the value is shared, adding a note copies only the last block.
package struct PayloadLocator: Sendable {
  private struct Note: Sendable {
    var sequence: UInt64
    var location: RowLocation
  }

  /// The locations of the pieces of the base, in order. A piece has no transaction number. Later
  /// changes identify it by its index in this list, with the highest bit set.
  private(set) var bases: [RowLocation] = []
  private static let baseFlag: UInt64 = 1 << 63

  /// Returns whether a number identifies a piece of the base, and not a transaction.
  static func isBase(_ sequence: UInt64) -> Bool { sequence & baseFlag != 0 }

  /// The blocks of notes. All except the last are full, and none is empty.
  private var blocks: [[Note]] = []
  private static let blockCount = 256
  private static let interval: UInt64 = 4 << 10

  /// A Boolean value that indicates whether transactions were removed and none was noted after
  /// them. In memory the removed payloads stay between the earlier and the later ones. No walk may
  /// pass them, so the next transaction must be noted.
  private var isCut = false

  /// Returns whether a transaction at a location needs a note.
  func wants(_ location: RowLocation) -> Bool {
    guard !isCut, let last = blocks.last?.last else { return true }
    // In memory, each chunk of the heap needs a first note.
    let isNear =
      location.rawValue >> 32 == last.location.rawValue >> 32 || location.region == .file
    return !isNear || location.rawValue >= last.location.rawValue + PayloadLocator.interval
  }

  init() {}

  /// Creates a locator for the start of a journal, from the locations of the base's pieces and the
  /// notes of some transactions, which a closure returns in order.
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

  /// Returns the noted transactions through a number, with a minimum distance between them.
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

  /// Adds a note of the next transaction, if it needs one.
  mutating func record(_ sequence: UInt64, at location: RowLocation) {
    guard wants(location) else { return }
    isCut = false
    let note = Note(sequence: sequence, location: location)
    if let last = blocks.last, last.count < PayloadLocator.blockCount {
      blocks[blocks.count - 1].append(note)
    } else {
      blocks.append([note])
    }
  }

  /// Adds the next piece of the base.
  mutating func recordBase(at location: RowLocation) { bases.append(location) }

  /// Returns the number of the base's piece that starts at a location; 0 if none does.
  func base(at location: RowLocation) -> UInt64 {
    let index = PayloadLocator.count(of: bases) { $0.rawValue < location.rawValue }
    return index < bases.count && bases[index] == location
      ? PayloadLocator.baseFlag | UInt64(index) : 0
  }

  /// Removes the notes of the transactions from a number on.
  mutating func cut(from sequence: UInt64) {
    isCut = true
    while let last = blocks.last?.last, last.sequence >= sequence {
      blocks[blocks.count - 1].removeLast()
      if blocks[blocks.count - 1].isEmpty { blocks.removeLast() }
    }
  }

  /// Returns the location of a transaction's payload; none if it is not known.
  ///
  /// - Complexity: O(log *n*), and a walk over at most 4 KiB of payloads, or 16 KiB before a
  ///   checkpoint.
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

  /// Returns the number of leading elements for which a closure returns true. These must precede
  /// all others.
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
