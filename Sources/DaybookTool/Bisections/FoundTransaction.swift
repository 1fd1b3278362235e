import Daybook

/// The result of `daybook bisect`: a transaction after which rows match a filter, and its changes
/// that made the rows match.
struct FoundTransaction {
  /// The entity of the rows.
  let entity: String
  /// The transaction, with only its changes of the matching rows. If a matching row was not
  /// changed, the changes of records that the filter reads through references are included too.
  let transaction: LoggedTransaction
  /// The identifiers of the matching rows, in order of creation.
  let ids: [RecordIdentifier]
  /// The identifiers of the matching rows that the transaction did not change. They match because
  /// the transaction changed records that they refer to.
  let unchangedIDs: [RecordIdentifier]

  init(_ sequence: UInt64, of rows: MatchingRows, entity: String) throws {
    self.entity = entity
    ids = try rows.identifiers(after: sequence)
    let store = rows.journal.store
    let isBase = sequence == store.base.rawValue
    let transaction: StoreTransaction?
    do throws(StoreError) {
      var rest = try isBase ? nil : store.transactions(from: SequenceNumber(sequence))
      transaction = try isBase ? store.baseTransaction() : rest?.next()
    } catch { throw rows.journal.error(error) }
    guard let transaction, let time = transaction.time else {
      preconditionFailure("transaction \(sequence) is missing, although its state exists")
    }
    let (changes, matching) = (transaction.changes, Set(ids))
    let own = changes.filter { $0.entity == entity }
    unchangedIDs = ids.filter(matching.subtracting(own.map(\.id)).contains)
    let foreign = unchangedIDs.isEmpty ? [] : rows.referencedEntities
    self.transaction = LoggedTransaction(
      sequence: SequenceNumber(sequence), time: time, metadata: transaction.metadata,
      isBase: isBase,
      changes: changes.compactMap { change in
        guard
          foreign.contains(change.entity)
            || change.entity == entity && matching.contains(change.id)
        else { return nil }
        return LoggedChange(change, created: nil)
      })
  }
}
