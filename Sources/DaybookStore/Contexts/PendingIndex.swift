/// An index of the pending rows of an overlay, by values in them: those of unique lists, or the
/// targets of references.
///
/// The pages of a view have such an index of the shown rows, but no page contains pending rows. The
/// overlay creates this index at the first search after a boundary, and discards it at the next
/// boundary.
struct PendingIndex<Value: Hashable> {
  /// For each value, the records whose pending row has it.
  private var keys: [Value: [EntityKey]] = [:]
  /// The values of each record in the index. When the record's row changes, its values are removed
  /// from `keys`.
  private var values: [EntityKey: [Value]] = [:]
  /// The records whose rows were set after the last search. The next search adds their values to
  /// the index.
  private var changed: [EntityKey]

  /// Creates an index of the pending rows of some records. The first search reads the rows.
  init(_ keys: [EntityKey]) { changed = keys }

  /// Notes that the row of a record was set.
  mutating func recordChange(of key: EntityKey) { changed.append(key) }

  /// Returns the records whose pending row has a given value.
  ///
  /// - Parameter valuesOfRow: A closure that returns all values in the pending row of a record.
  /// - Complexity: O(1) on average, and O(*k*) in the rows that were set after the last search
  mutating func keys(
    with found: Value, valuesOfRow: (EntityKey) -> [Value]
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
