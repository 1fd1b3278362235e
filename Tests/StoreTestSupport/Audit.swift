import DaybookJournal
import DaybookSimulation
import DaybookStore
import Synchronization
import Testing

/// The audit of all stores of a test process: a replay of a store's journal must have the same
/// result as the store.
///
/// Once it is started, every store of the process is compared with its journal before it is closed
/// or released: the records of each entity, their order, their creation numbers, and the result of
/// applying the changes of the journal's transactions.
package enum Audit {
  /// A Boolean value that turns the audit off, for journals with invalid contents.
  @TaskLocal package static var isOff = false

  /// The number of stores that were compared with their journals.
  package static let count = Atomic<Int>(0)

  package static func start() {
    Store.auditor.withLock { auditor in
      auditor = { store in
        guard !isOff, let replayed = replay(store) else { return }
        let found = differences(store.snapshot, replayed) + differences(tale(of: store), replayed)
        for problem in found { Issue.record("\(store.path): \(problem)") }
        count.add(1, ordering: .relaxed)
      }
    }
  }

  /// Returns the state of a replay; nil if the store is ahead of the durable state, or its disk has
  /// failed.
  private static func replay(_ store: borrowing Store) -> StoreSnapshot? {
    guard store.isWriter, let replayed = try? store.replayed(),
      replayed.sequence == store.snapshot.sequence
    else { return nil }
    return replayed
  }

  /// Returns the differences of two states of one journal.
  package static func differences(_ one: StoreSnapshot, _ other: StoreSnapshot) -> [String] {
    var problems: [String] = []
    if one.sequence != other.sequence || one.time != other.time {
      problems.append("another moment")
    }
    let (next, otherNext) = (one.frozen.state.nextCreation, other.frozen.state.nextCreation)
    if next != otherNext { problems.append("creation number \(next) against \(otherNext)") }
    for entity in one.entities {
      let mine = records(one, entity.name)
      let others = records(other, entity.name)
      if mine.map(\.id) != others.map(\.id) {
        problems.append("\(entity.name): \(mine.map(\.id)) against \(others.map(\.id))")
      }
      let (creations, otherCreations) = (creations(one, entity.name), creations(other, entity.name))
      if creations != otherCreations {
        problems.append("\(entity.name): made as \(creations) against \(otherCreations)")
      }
      for (mine, other) in zip(mine, others) where mine != other {
        problems.append("\(entity.name) \(mine.id): \(mine.values) against \(other.values)")
      }
    }
    return problems
  }

  /// Returns the differences of a state from the result of the transactions.
  private static func differences(
    _ tale: [Place: DynamicRecord]?, _ replayed: StoreSnapshot
  ) -> [String] {
    guard let tale else { return [] }
    var problems: [String] = []
    var count = 0
    for entity in replayed.entities {
      for record in records(replayed, entity.name) {
        count += 1
        let received = tale[Place(entity: entity.name, id: record.id)]
        if received?.values.count == record.values.count, received != record {
          problems.append(
            "\(entity.name) \(record.id): the transactions make it \(received as Any)")
        } else if received == nil {
          problems.append("\(entity.name) \(record.id): no transaction made it")
        }
      }
    }
    if count != tale.count {
      problems.append("\(count) records, and \(tale.count) by transactions")
    }
    return problems
  }

  private struct Place: Hashable {
    var entity: String
    var id: RecordIdentifier
  }

  /// Returns the result of the transactions of a journal; nil if it does not start with the first
  /// transaction.
  private static func tale(of store: borrowing Store) -> [Place: DynamicRecord]? {
    guard store.base == 0, var transactions = try? store.transactions(from: 1) else { return nil }
    var records: [Place: DynamicRecord] = [:]
    while let transaction = try? transactions.next() {
      for change in transaction.changes {
        records[Place(entity: change.entity, id: change.id)] = change.new
      }
    }
    return records
  }

  private static func creations(_ snapshot: StoreSnapshot, _ entity: String) -> [UInt64] {
    var numbers: [UInt64] = []
    if let index = snapshot.frozen.catalog.index(of: entity) {
      RowScan(snapshot.frozen).forEach(in: index) { entry, _ in numbers.append(entry.creation) }
    }
    return numbers.sorted()
  }

  private static func records(_ snapshot: StoreSnapshot, _ entity: String) -> [DynamicRecord] {
    (try? snapshot.objects(entity)) ?? []
  }
}
