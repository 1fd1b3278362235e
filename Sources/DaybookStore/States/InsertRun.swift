/// Inserts of one entity that stand in a payload one behind the other, and are folded together.
struct InsertRun {
  /// For each its location and creation number.
  var rows: [PagePair] = []
  /// Its identifier, if that has one word.
  var words: [UInt64] = []
  /// Its identifier, if that has two words.
  var pairs: [PagePair] = []

  var count: Int { rows.count }

  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    pairs.removeAll(keepingCapacity: true)
  }
}
