/// Where the payload of each transaction begins, without a note for each: one for every 64 KiB, and
/// a walk from there.
package struct PayloadLocator: Sendable {
  private struct Note: Sendable {
    var sequence: UInt64
    var location: RowLocation
  }

  private var notes: [Note] = []
  private static let interval: UInt64 = 64 << 10

  /// Takes note of the next transaction.
  mutating func note(_ sequence: UInt64, at location: RowLocation) {
    if let last = notes.last {
      // In memory each piece of the heap begins anew.
      let isNear =
        location.rawValue >> 32 == last.location.rawValue >> 32 || location.region == .file
      if isNear, location.rawValue < last.location.rawValue + PayloadLocator.interval { return }
    }
    notes.append(Note(sequence: sequence, location: location))
  }

  /// Forgets the transactions from one on.
  mutating func cut(from sequence: UInt64) {
    while let last = notes.last, last.sequence >= sequence { notes.removeLast() }
  }

  /// Where the payload of a transaction begins; none if it is not known.
  ///
  /// - Complexity: O(log *n*), and a walk over at most 64 KiB of transactions
  func location(of sequence: UInt64, in memory: RowMemory) -> RowLocation {
    var low = 0
    var high = notes.count
    while low < high {
      let middle = (low + high) / 2
      if notes[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return .none }
    var location = notes[low - 1].location
    while true {
      guard let head = memory.payloadHead(at: location), head.sequence <= sequence else {
        return .none
      }
      if head.sequence == sequence { return location }
      location = location + head.byteCountToNext
    }
  }
}
