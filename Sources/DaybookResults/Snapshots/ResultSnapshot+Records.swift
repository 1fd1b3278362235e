import DaybookStore

extension ResultSnapshot {
  /// The records at some ranks, in order; their type is known to the store.
  ///
  /// - Complexity: O(log *n* + ranks)
  package func records<R: FetchableRecord>(_ type: R.Type, atRanks ranks: Range<Int>) -> [R] {
    R._records(in: FetchedRows(in: state, of: plan.entity, at: order.values(ranks, in: space)))
  }
}
