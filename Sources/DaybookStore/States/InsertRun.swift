/// Inserts of one entity that stand in a payload one behind the other, and are folded together.
struct InsertRun {
  /// For each its location and creation number.
  private(set) var rows: [PagePair] = []
  /// The identifiers, if they have one word.
  private(set) var words: [UInt64] = []
  /// The identifiers, if they have two words.
  private(set) var pairs: [PagePair] = []

  var count: Int { rows.count }

  mutating func append(_ word: UInt64, _ row: PagePair) {
    words.append(word)
    rows.append(row)
  }

  mutating func append(_ words: PagePair, _ row: PagePair) {
    pairs.append(words)
    rows.append(row)
  }

  /// An identifier, as a table has it.
  @inline(__always)
  func identifier(_ place: Int) -> PagePair {
    pairs.isEmpty ? PagePair(words[place], 0) : pairs[place]
  }

  /// The hash by which the record is found.
  @inline(__always)
  func hash(_ place: Int) -> UInt64 {
    pairs.isEmpty
      ? SlotHash.hash(words[place]) : SlotHash.hash(pairs[place].first, pairs[place].second)
  }

  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    pairs.removeAll(keepingCapacity: true)
  }
}
