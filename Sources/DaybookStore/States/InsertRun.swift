/// Inserts of one entity that stand in a payload one behind the other, and are folded together.
struct InsertRun {
  var identifiers = IdentifierWords()
  /// For each where its row stands, and its creation number.
  var rows: [PagePair] = []

  var count: Int { rows.count }

  mutating func removeAll() {
    identifiers.removeAll()
    rows.removeAll(keepingCapacity: true)
  }
}
