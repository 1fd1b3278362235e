import DaybookStore

/// The entries of a list or of its sections, in order: made, or as they stand in a file, from which each is read
/// when it is asked for.
package struct RankEntries: RandomAccessCollection, Sendable {
  private let made: [RankEntry]
  private let written: [UInt8]
  private let keysOffset: Int
  private let valuesOffset: Int
  private let isWritten: Bool
  package let count: Int

  package init(_ made: [RankEntry]) {
    self.made = made
    count = made.count
    written = []
    (keysOffset, valuesOffset) = (0, 0)
    isWritten = false
  }

  /// So many entries in some bytes: the keys, 8 bytes each, from one offset on, and the values, 4 each, from
  /// another.
  package init(_ count: Int, in bytes: [UInt8], keysAt keysOffset: Int, valuesAt valuesOffset: Int)
  {
    precondition(
      count >= 0 && keysOffset >= 0 && valuesOffset >= 0 && keysOffset + 8 * count <= bytes.count
        && valuesOffset + 4 * count <= bytes.count,
      "\(count) entries at \(keysOffset) and \(valuesOffset) of \(bytes.count) bytes")
    made = []
    written = bytes
    self.keysOffset = keysOffset
    self.valuesOffset = valuesOffset
    self.count = count
    isWritten = true
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { count }

  package subscript(rank: Int) -> RankEntry {
    guard isWritten else { return made[rank] }
    precondition(rank >= 0 && rank < count, "entry \(rank) of \(count)")
    let bytes = written.span.bytes
    // The bytes were found to be as long as that.
    return RankEntry(
      bytes.number(at: keysOffset + 8 * rank, as: UInt64.self) ?? 0,
      value: bytes.number(at: valuesOffset + 4 * rank, as: UInt32.self) ?? 0)
  }
}

extension RankEntries: Equatable {
  /// Whether both are the same entries, wherever they are kept.
  package static func == (one: RankEntries, other: RankEntries) -> Bool {
    one.elementsEqual(other)
  }
}
