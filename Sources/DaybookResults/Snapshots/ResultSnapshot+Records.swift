import DaybookStore

extension ResultSnapshot {
  /// The records at some ranks, in order; their type is known to the store.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func records<R: Record>(_ type: R.Type, atRanks ranks: Range<Int>) -> [R] {
    guard let codec = state.catalog.types.codec(R.self) else {
      preconditionFailure("\(R.self) is no type of the store")
    }
    let table = state.state.tables[plan.entity]
    var records: [R] = []
    records.reserveCapacity(ranks.count)
    order.forEach(ranks, in: space) { entry in
      let row = table.row(entry.value, in: state.space).location
      let record = state.memory.withWholeRow(at: row, state.catalog.layouts) { codec.record($0) }
      guard let record else { preconditionFailure("the row in slot \(entry.value) is unreadable") }
      records.append(record)
    }
    return records
  }
}
