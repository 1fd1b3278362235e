/// The yardstick of lists: an array with all rows. After each change, the array is filtered and
/// sorted again, and the result is compared with the result before the change.
struct StructList {
  private var rows: [Row]
  private(set) var ids: [Int]

  init(_ rows: [Row]) {
    self.rows = rows
    ids = StructList.ids(rows)
  }

  /// Returns the identifiers of the list in order, by filtering and sorting rows.
  static func ids(_ rows: [Row]) -> [Int] {
    rows.filter { $0.amount >= 500_000 }
      .sorted { one, other in
        if one.state != other.state { return one.state < other.state }
        if one.createdAt != other.createdAt { return one.createdAt > other.createdAt }
        return one.id < other.id
      }
      .map(\.id)
  }

  /// Changes the rows with a closure, and returns the difference of the list.
  mutating func change(_ body: (inout [Row]) -> Void) -> CollectionDifference<Int> {
    body(&rows)
    let old = ids
    ids = StructList.ids(rows)
    return ids.difference(from: old)
  }

  /// Sets a random date in random rows, so that these rows move in the list. Returns the difference
  /// of the list.
  mutating func move(_ count: Int, randomizedBy stream: inout UInt64) -> CollectionDifference<Int> {
    change { rows in
      for _ in 0..<count {
        let index = Int(RowGenerator.next(&stream) % UInt64(rows.count))
        rows[index].createdAt = RowGenerator.moment(
          Int(RowGenerator.next(&stream) % 100_000_000_000))
      }
    }
  }
}
