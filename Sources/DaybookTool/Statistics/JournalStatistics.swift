import DaybookJournal
import DaybookStore

/// The counts and sizes of a journal, for `daybook stats`.
///
/// The initializer reads each transaction once, and keeps no transaction in memory. It keeps only
/// counters for each entity and for a few spans of time, and the sizes of the five largest
/// transactions.
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

  /// The size of a transaction.
  struct TransactionSize: Hashable {
    var sequence: SequenceNumber
    var time: JournalTime
    var changeCount: Int
    var byteCount: Int
  }

  /// The maximum number of transactions in ``largest``.
  static let largestCountMax = 5

  /// The size of the base, as one transaction; nil if the journal contains the complete history.
  private(set) var base: TransactionSize?
  /// The counts of every entity, in the order of their first transactions.
  private(set) var entities: [EntityCounts]
  /// The number and time of the first transaction after the base; nil without transactions.
  private(set) var first: (sequence: SequenceNumber, time: JournalTime)?
  /// The number and time of the last transaction; nil without transactions.
  private(set) var last: (sequence: SequenceNumber, time: JournalTime)?
  private(set) var transactionCount = 0
  private(set) var changeCount = 0
  /// The total size of the transactions' payloads.
  private(set) var payloadByteCount = 0
  /// The transactions with the largest payloads, the largest first.
  private(set) var largest: [TransactionSize] = []
  /// The changes over time; nil if there are no transactions.
  private(set) var histogram: TimeHistogram?

  /// - Parameters:
  ///   - store: The store of the journal.
  ///   - progress: A closure that is called with the number of counted transactions and the number
  ///     of all.
  /// - Complexity: O(*n*) in the size of the journal
  init(
    _ store: Store, progress: (_ done: UInt64, _ all: UInt64) -> Void = { _, _ in }
  ) throws(StoreError) {
    let snapshot = store.snapshot
    let names = snapshot.entities.map(\.name)
    entities = names.map { EntityCounts(name: $0, recordCount: snapshot.count(of: $0)) }
    let places = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
    if let transaction = try store.baseTransaction() {
      let changes = transaction.changes
      base = JournalStatistics.size(of: transaction, changeCount: changes.count)
      for change in changes {
        if let place = places[change.entity] { entities[place].baseCount += 1 }
      }
    }
    var transactions = try store.transactions(from: store.base.next)
    while let transaction = try transactions.next() {
      if histogram == nil, let time = transaction.time {
        histogram = TimeHistogram(from: time, to: snapshot.time)
      }
      add(transaction, places: places)
      progress(UInt64(transactionCount), snapshot.sequence.rawValue - store.base.rawValue)
    }
  }

  /// Adds a transaction to the counts.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - places: The indices of the entities in ``entities``, by their names.
  private mutating func add(_ transaction: StoreTransaction, places: [String: Int]) {
    let changes = transaction.changes
    let size = JournalStatistics.size(of: transaction, changeCount: changes.count)
    for change in changes {
      guard let place = places[change.entity] else { continue }
      switch change.kind {
      case .insert: entities[place].insertCount += 1
      case .update: entities[place].updateCount += 1
      case .delete: entities[place].deleteCount += 1
      }
    }
    if first == nil { first = (size.sequence, size.time) }
    last = (size.sequence, size.time)
    transactionCount += 1
    changeCount += size.changeCount
    payloadByteCount += size.byteCount
    histogram?.add(size.time, changeCount: size.changeCount)
    record(size)
  }

  /// Adds the size of a transaction to ``largest`` if it is one of the largest. If two transactions
  /// are equally large, the earlier one has precedence.
  private mutating func record(_ size: TransactionSize) {
    let place =
      largest.firstIndex { $0.byteCount < size.byteCount } ?? largest.count
    guard place < JournalStatistics.largestCountMax else { return }
    largest.insert(size, at: place)
    if largest.count > JournalStatistics.largestCountMax { largest.removeLast() }
  }

  private static func size(
    of transaction: StoreTransaction, changeCount: Int
  ) -> TransactionSize {
    guard let sequence = transaction.sequence, let time = transaction.time else {
      preconditionFailure("a transaction of a journal has no number")
    }
    return TransactionSize(
      sequence: sequence, time: time, changeCount: changeCount,
      byteCount: transaction.byteCount ?? 0)
  }
}
