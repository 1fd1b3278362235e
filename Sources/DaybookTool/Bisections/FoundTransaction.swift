import Daybook

/// A transaction after which rows match a filter, and its changes that made them match.
struct FoundTransaction {
  /// The entity of the rows.
  let entity: String
  /// The transaction with its changes of the matching rows. If it did not change one of these rows
  /// itself, it also has the changes of the other records that the filter reads.
  let transaction: LoggedTransaction
  /// The identifiers of the matching rows, in order of creation.
  let ids: [RecordIdentifier]
  /// The identifiers of matching rows that the transaction did not change. It changed records that
  /// they refer to.
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
