extension StoreSnapshot: CustomStringConvertible {
  /// The journal, the last transaction and the counts, in one line: `StoreSnapshot: banks.daybook
  /// after transaction 7, 5 records of 2 entities`.
  public var description: String { "StoreSnapshot: \(stateText)" }

  fileprivate var stateText: String {
    let entityCount = frozen.catalog.names.count
    let recordCount = (0..<entityCount).reduce(0) { $0 + frozen.state.tables[$1].count }
    let records = recordCount == 1 ? "1 record" : "\(recordCount) records"
    let entities = entityCount == 1 ? "1 entity" : "\(entityCount) entities"
    return "\(path) after transaction \(sequence), \(records) of \(entities)"
  }
}

extension Store: CustomStringConvertible {
  /// The journal, the last transaction that readers see and the counts, in one line: `Store:
  /// banks.daybook after transaction 7, 5 records of 2 entities`.
  public var description: String { "Store: \(snapshot.stateText)" }
}

extension EditingContext: CustomStringConvertible {
  /// The journal, the transaction that the context stands on and whether it has changes, in one line:
  /// `EditingContext: banks.daybook after transaction 7, unsaved changes`.
  public var description: String {
    "EditingContext: \(store.path) after transaction \(view.base.sequence), "
      + (hasChanges ? "unsaved changes" : "no changes")
  }
}
