import DaybookStore

extension ResultSnapshot {
  /// The records at some ranks, in order; their type is known to the store.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func records<R: Record>(_ type: R.Type, atRanks ranks: Range<Int>) -> [R] {
    guard let codec = state.catalog.types.codec(R.self) else {
      preconditionFailure("\(R.self) is no type of the store")
    }
    return state.records(codec, of: plan.entity, in: order.values(ranks, in: space))
  }
}
