import DaybookStore

extension ResultSnapshot {
  /// The values in some columns of the rows that are shown, in order.
  ///
  /// - Complexity: O(*n* · columns)
  package func values(in columns: [ValueColumn]) -> [[AttributeValue]] {
    values(in: columns, atRanks: visible)
  }

  /// The values in some columns of the rows at some ranks, in order.
  ///
  /// - Complexity: O(log *n* + ranks · columns)
  package func values(in columns: [ValueColumn], atRanks ranks: Range<Int>) -> [[AttributeValue]] {
    order.values(ranks, in: space).map { values(ofSlot: $0, in: columns) }
  }

  /// The values in some columns, each combination once, where it stands first; and of those the ones
  /// that a window shows. What the snapshot's own window shows does not matter.
  ///
  /// - Complexity: O(*n* · columns), up to the last row that is shown
  package func distinctValues(
    in columns: [ValueColumn], window: ResultWindow
  ) -> [[AttributeValue]] {
    var seen: Set<[AttributeValue]> = []
    var shown: [[AttributeValue]] = []
    if window.limit == 0 { return shown }
    for slot in order.values(0..<order.count, in: space) {
      let values = values(ofSlot: slot, in: columns)
      guard seen.insert(values).inserted, seen.count > window.offset else { continue }
      shown.append(values)
      if shown.count == window.limit { break }
    }
    return shown
  }

  private func values(ofSlot slot: UInt32, in columns: [ValueColumn]) -> [AttributeValue] {
    let location = state.reader.row(inSlot: slot, of: plan.entity).location
    return columns.map { $0.value(of: location, in: state) }
  }
}
