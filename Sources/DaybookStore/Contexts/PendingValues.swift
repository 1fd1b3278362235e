/// An index of the pending rows of an overlay, by their values of unique lists.
///
/// The pages of a view have such an index for their rows, and pending rows are in no page. The
/// index is created by the first search after a boundary, and exists until the next boundary.
struct PendingValues {
  /// The records with a pending row that has some values.
  private var keys: [UniqueValues: [EntityKey]] = [:]
  /// The values of each record, which are removed when its row changes.
  private var values: [EntityKey: [UniqueValues]] = [:]
  /// The records whose rows were set after the last search.
  private var changed: [EntityKey]

  /// Creates an index of the rows of some records. The rows are read at the first search.
  init(_ keys: [EntityKey]) { changed = keys }

  /// Records that the row of a record was set.
  mutating func recordChange(of key: EntityKey) { changed.append(key) }

  /// Returns the records with some values.
  ///
  /// - Parameter valuesOfRow: Returns the values of all unique lists in the pending row of a
  ///   record.
  /// - Complexity: O(1) on average, and O(*k*) in the rows that were set after the last search
  mutating func keys(
    with found: UniqueValues, valuesOfRow: (EntityKey) -> [UniqueValues]
  ) -> [EntityKey] {
    for key in changed {
      for old in values.removeValue(forKey: key) ?? [] { keys[old]?.removeAll { $0 == key } }
      let new = valuesOfRow(key)
      if new.isEmpty { continue }
      values[key] = new
      for value in new { keys[value, default: []].append(key) }
    }
    changed.removeAll(keepingCapacity: true)
    return keys[found] ?? []
  }
}
