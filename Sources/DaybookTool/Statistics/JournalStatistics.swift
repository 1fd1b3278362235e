import DaybookJournal
import DaybookStore

/// What there is in a journal, counted.
///
/// The transactions are gone through once, and none is kept: there are counters for each entity, a few spans
/// of time, and the few largest transactions.
struct JournalStatistics {
  /// What happened to the records of an entity.
  struct EntityCounts: Hashable {
    var name: String
    /// How many the journal began with.
    var baseCount = 0
    var insertCount = 0
    var updateCount = 0
    var deleteCount = 0
    /// How many there are after the last transaction.
    var recordCount = 0
  }

  /// A transaction by its size.
  struct TransactionSize: Hashable {
    var sequence: SequenceNumber
    var time: JournalTime
    var changeCount: Int
    var byteCount: Int
  }

  /// How many of the largest transactions are kept.
  static let largestCountMax = 5

  /// The state that the journal begins with, as one transaction; nil if its history is whole.
  private(set) var base: TransactionSize?
  /// Of every entity, in the order in which the journal first told of them.
  private(set) var entities: [EntityCounts]
  /// The first transaction behind the base, and its time; nil if there is none.
  private(set) var first: (sequence: SequenceNumber, time: JournalTime)?
  /// The last.
  private(set) var last: (sequence: SequenceNumber, time: JournalTime)?
  private(set) var transactionCount = 0
  private(set) var changeCount = 0
  /// How many bytes the payloads of the transactions have.
  private(set) var payloadByteCount = 0
  /// Those with the largest payloads, the largest first.
  private(set) var largest: [TransactionSize] = []
  /// Over the times of the transactions; nil if there are none.
  private(set) var histogram: TimeHistogram?

  /// - Complexity: O(*n*) in the size of the journal
  init(_ store: Store) throws(StoreError) {
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
    }
  }

  /// - Parameter places: The places of the entities by their names.
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
    keep(size)
  }

  /// Keeps a transaction if it is one of the largest; of equal ones the earlier is.
  private mutating func keep(_ size: TransactionSize) {
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
