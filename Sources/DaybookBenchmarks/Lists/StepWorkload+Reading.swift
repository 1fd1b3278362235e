import Daybook
import DaybookResults
import DaybookStore

extension StepWorkload {
  /// What is read of a store and of its list: each in a function of its own, once.
  static func reading(_ store: Store, _ list: LiveList) throws -> [Measurement] {
    let frozen = store.snapshot.frozen
    let rowCount = store.snapshot.count(of: Row.self)
    let controller = FetchedResultsController(
      fetchRequest: LiveList.request, context: store.makeContext())
    try controller.performFetch()
    let before = list.projection.snapshot
    var changes = ChangeStream(RowGenerator(), rowCount: rowCount)
    for _ in 0..<rowCount / 100 {
      // Others of a kind may have been deleted by the steps before.
      guard let change = try present(changes.next(), in: list.context) else { continue }
      try change.make(in: list.context)
      list.context.processPendingChanges()
    }
    let after = list.projection.snapshot
    func shown(
      _ work: String, _ unit: String, of count: Int, _ step: () throws -> Void
    ) rethrows -> Measurement {
      let time = try processorTime(step) / Double(max(count, 1))
      return ListWorkload.shown(
        work, rowCount, unit, [Measurement.Sample(ours: time, yardstick: 0)])
    }
    return [
      try shown("scan of two attributes", "row", of: rowCount) { try scanStep(frozen) },
      try shown("a list built", "row", of: rowCount) { try buildStep(frozen) },
      shown("scrolling, 20 records at a time", "record", of: before.count) { scrollStep(before) },
      shown("all identifiers in order, and counts", "row", of: before.count) {
        identifiersStep(controller)
      },
      shown("difference of two moments 1 % apart", "difference", of: 1) {
        differenceStep(before, after)
      },
    ]
  }

  /// A change, if what it changes is there; nil else.
  private static func present(
    _ change: ChangeStream.Change, in context: EditingContext
  ) throws -> ChangeStream.Change? {
    (try context.object(Row.self, change.id) == nil) == (change.kind == .insert) ? change : nil
  }

  @inline(never)
  private static func scanStep(_ frozen: FrozenState) throws {
    guard let entity = frozen.catalog.index(of: Row.schema.entity),
      let amount = AttributePath("amount", of: Row.schema.entity, in: frozen.catalog),
      let createdAt = AttributePath("createdAt", of: Row.schema.entity, in: frozen.catalog)
    else { preconditionFailure("a store without rows") }
    var sum: Int64 = 0
    var latest = 0.0
    RowScan(frozen).forEach(entity) { _, row in
      sum &+= amount.number(in: row, as: Int64.self) ?? 0
      latest = max(latest, createdAt.double(in: row) ?? 0)
    }
    use(UInt64(bitPattern: sum) ^ latest.bitPattern)
  }

  @inline(never)
  private static func buildStep(_ frozen: FrozenState) throws {
    let list = Projection(try LiveList.request.untyped.plan(frozen.catalog), frozen)
    use(UInt64(list.snapshot.count))
  }

  @inline(never)
  private static func scrollStep(_ snapshot: ResultSnapshot) {
    var sum = 0
    for first in stride(from: 0, to: snapshot.count, by: 20) {
      let last = min(first + 20, snapshot.count)
      for row in snapshot.records(Row.self, atRanks: first..<last) { sum &+= row.amount }
    }
    use(UInt64(sum))
  }

  @inline(never)
  private static func identifiersStep(_ controller: FetchedResultsController<Row>) {
    let ids = controller.fetchedObjects?.identifiers.count
    let counts = controller.sections?.reduce(0) { $0 + $1.numberOfObjects }
    precondition(ids == counts, "\(ids ?? 0) rows, \(counts ?? 0) in sections")
  }

  @inline(never)
  private static func differenceStep(_ before: ResultSnapshot, _ after: ResultSnapshot) {
    let difference = Difference(from: before, to: after)
    use(UInt64(difference.moved.count + difference.updated.count))
  }
}
