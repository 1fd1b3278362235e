/// A sparse index of the payloads, by transaction number. A *note* is the number and the location
/// of a transaction. The index contains a note for every 4 KiB of payloads, and before a checkpoint
/// a note for every 16 KiB. A lookup starts at the last note that is not after the transaction, and
/// walks from frame to frame.
///
/// Notes are stored in blocks of 256. If a second copy shares the value, adding a note copies only
/// the last block.
package struct PayloadLocator: Sendable {
  /// The number of a transaction, and the location of its payload.
  private struct Note: Sendable {
    var sequence: UInt64
    var location: RowLocation
  }

  /// The locations of the base's payloads, in order. A large base consists of several payloads,
  /// which have no transaction numbers. Changes in later payloads identify a payload of the base by
  /// its index in this list, with the highest bit set.
  ///
  /// The base of a shared log contains parts of dropped transactions. Such a payload keeps the
  /// number of its transaction, and has a note too.
  private(set) var bases: [RowLocation] = []
  /// The bit that is set in the numbers of the base's payloads.
  private static let baseFlag: UInt64 = 1 << 63

  /// Returns the number that identifies a payload of the base.
  static func number(ofBase index: Int) -> UInt64 { baseFlag | UInt64(index) }

  /// Returns whether a number identifies a payload of the base, and not a transaction.
  static func isBase(_ sequence: UInt64) -> Bool { sequence & baseFlag != 0 }

  /// The blocks of notes. No block is empty, and all blocks except the last are full.
  private var blocks: [[Note]] = []
  private static let blockCount = 256
  /// The smallest distance between two notes, in bytes.
  private static let interval: UInt64 = 4 << 10

  /// A Boolean value that indicates whether a rollback removed transactions and no note was added
  /// after it. In memory, the removed payloads stay between the earlier and the later payloads. A
  /// walk must not pass over them, so the next transaction gets a note.
  private var isCut = false

  /// Returns whether the next transaction, at a location, needs a note.
  func wants(_ location: RowLocation) -> Bool {
    guard !isCut, let last = blocks.last?.last else { return true }
    // A walk cannot leave a chunk of the heap, or the file. So the first payload of each chunk
    // needs a note, and so does the first payload in the file. A following store has the base in
    // memory, also if it maps the file.
    let isNear =
      location.region == .file && last.location.region == .file
      || location.rawValue >> 32 == last.location.rawValue >> 32
    return !isNear || location.rawValue >= last.location.rawValue + PayloadLocator.interval
  }

  init() {}

  /// Creates the locator for the part of a journal before a checkpoint. The checkpoint contains the
  /// locations of the base's payloads, and the notes, which a closure returns in order.
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

  /// Returns the notes up to and including a transaction number. The function skips notes so that
  /// the distance between two notes is at least the interval.
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

  /// Adds a note of the next transaction, if the transaction needs one.
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

  /// Adds the location of the base's next payload.
  mutating func recordBase(at location: RowLocation) { bases.append(location) }

  /// Returns the number that identifies the base's payload at a location; 0 if no payload of the
  /// base starts there.
  func base(at location: RowLocation) -> UInt64 {
    let index = PayloadLocator.count(of: bases) { $0.rawValue < location.rawValue }
    return index < bases.count && bases[index] == location
      ? PayloadLocator.number(ofBase: index) : 0
  }

  /// Removes the notes of the transactions from a number on, which a rollback undoes.
  mutating func cut(from sequence: UInt64) {
    isCut = true
    while let last = blocks.last?.last, last.sequence >= sequence {
      blocks[blocks.count - 1].removeLast()
      if blocks[blocks.count - 1].isEmpty { blocks.removeLast() }
    }
  }

  /// Returns the location of a transaction's payload; `none` if the journal does not contain the
  /// transaction.
  ///
  /// - Complexity: O(log *n*), and a walk over at most 4 KiB of frames, or 16 KiB before a
  ///   checkpoint
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
    // The first note of the block is not after the transaction, so the count is at least 1.
    var location = notes[PayloadLocator.count(of: notes) { $0.sequence <= sequence } - 1].location
    while true {
      guard let head = memory.payloadHead(at: location), head.sequence > 0 else { return .none }
      if !head.isWithoutRows {
        if head.sequence >= sequence { return head.sequence == sequence ? location : .none }
      }
      location = location + head.byteCountToNext
    }
  }

  /// Returns the number of elements for which a closure returns true. These elements must precede
  /// all others, because the function uses binary search.
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
