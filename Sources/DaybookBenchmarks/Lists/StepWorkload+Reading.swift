import Daybook
import DaybookResults
import DaybookStore

extension StepWorkload {
  /// Measures reads of a store and of its list. A separate function performs each kind of read
  /// once.
  static func reading(_ store: Store, list: LiveList) throws -> [Measurement] {
    let frozen = store.snapshot.frozen
    let scan = RowsScan(store)
    let rowCount = try store.snapshot.count(of: Row.self)
    let controller = FetchedResultsController(
      fetchRequest: LiveList.request, context: store.makeContext())
    try controller.performFetch()
    let before = list.projection.snapshot
    var changes = ChangeStream(RowGenerator(), rowCount: rowCount)
    for _ in 0..<rowCount / 100 {
      // Earlier steps may have inserted or deleted the row of this change.
      guard let change = try present(changes.next(), in: list.context) else { continue }
      try change.make(in: list.context)
      list.context.processPendingChanges()
    }
    let after = list.projection.snapshot
    func shown(
      _ work: String, unit: String, of count: Int, step: () throws -> Void
    ) rethrows -> Measurement {
      let time = try processorTime(step) / Double(max(count, 1))
      return ListWorkload.shown(
        work, rowCount: rowCount, unit: unit,
        samples: [Measurement.Sample(ours: time, yardstick: 0)])
    }
    return [
      shown("scan of two attributes", unit: "row", of: rowCount) { scan.scanStep() },
      try shown("a list built", unit: "row", of: rowCount) { try buildStep(frozen) },
      shown("scrolling, 20 records at a time", unit: "record", of: before.count) {
        ListWorkload.scrollStep(before)
      },
      shown("all identifiers in order, and counts", unit: "row", of: before.count) {
        ListWorkload.identifiersStep(controller)
      },
      shown("difference of two moments 1 % apart", unit: "difference", of: 1) {
        differenceStep(from: before, to: after)
      },
    ]
  }

  /// Returns a change if its row exists, or for an insert if it does not exist; otherwise nil.
  private static func present(
    _ change: ChangeStream.Change, in context: EditingContext
  ) throws -> ChangeStream.Change? {
    (try context.object(Row.self, id: change.id) == nil) == (change.kind == .insert) ? change : nil
  }

  @inline(never)
  private static func buildStep(_ frozen: FrozenState) throws {
    let list = Projection(try LiveList.request.plan(frozen.catalog), of: frozen)
    blackHole(UInt64(list.snapshot.count))
  }

  @inline(never)
  private static func differenceStep(from before: ResultSnapshot, to after: ResultSnapshot) {
    let difference = EditScript(from: before, to: after)
    blackHole(UInt64(difference.moved.count + difference.updated.count))
  }
}
