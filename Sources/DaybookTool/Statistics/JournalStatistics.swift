import DaybookJournal
@_spi(Tools) import DaybookStore

/// The counts and sizes of a journal, for `daybook stats`.
///
/// If the store was opened from a checkpoint, the initializer reads only the transactions after the
/// checkpoint. The checkpoint contains the totals of the earlier ones.
struct JournalStatistics {
  /// The numbers of changes and records of an entity.
  struct EntityCounts: Hashable {
    var name: String
    /// The number of records in the base.
    var baseCount = 0
    var insertCount = 0
    var updateCount = 0
    var deleteCount = 0
    /// The number of records after the last transaction.
    var recordCount = 0
  }

  typealias TransactionSize = HistoryTotals.TransactionSize

  /// The size of the base, as one transaction; nil if the journal contains the complete history.
  let base: TransactionSize?
  /// The counts of every entity, in the order of their first transactions.
  let entities: [EntityCounts]
  /// The number and time of the first transaction after the base; nil without transactions.
  let first: (sequence: SequenceNumber, time: JournalTime)?
  /// The number and time of the last transaction; nil without transactions.
  let last: (sequence: SequenceNumber, time: JournalTime)?
  let transactionCount: Int
  let changeCount: Int
  /// The total size of the transactions' payloads.
  let payloadByteCount: Int
  /// The transactions with the largest payloads, the largest first.
  let largest: [TransactionSize]
  /// The changes over time; nil if there are no transactions.
  let histogram: TimeHistogram?

  /// - Complexity: O(*n*) in the number of changes after the checkpoint of the opening
  init(_ store: Store) throws(StoreError) {
    let snapshot = store.snapshot
    let totals = try store.historyTotals()
    entities = snapshot.entities.enumerated().map { index, entity in
      let changes = index < totals.entities.count ? totals.entities[index] : .init()
      return EntityCounts(
        name: entity.name, baseCount: changes.baseCount, insertCount: changes.insertCount,
        updateCount: changes.updateCount, deleteCount: changes.deleteCount,
        recordCount: snapshot.count(of: entity.name))
    }
    base = totals.base
    first = totals.first.map { ($0.sequence, $0.time) }
    last = totals.first.map { _ in (snapshot.sequence, snapshot.time) }
    transactionCount = totals.transactionCount
    changeCount = totals.changeCount
    payloadByteCount = totals.byteCount
    largest = totals.largest
    var histogram = totals.first.map { TimeHistogram(from: $0.time, to: snapshot.time) }
    if let starts = histogram?.starts {
      histogram?.spans = try totals.spans(startingAt: starts, in: snapshot)
    }
    self.histogram = histogram
  }
}
