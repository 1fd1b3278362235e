import DaybookResults
import DaybookStore

/// The workload `steps`. It makes a hundred changes of each kind to rows of a list, and reads the
/// list. A separate function performs each kind of step, so that a profiler can count its
/// instructions. A count of instructions is more precise than a clock.
///
/// ```
/// valgrind --tool=callgrind --callgrind-out-file=steps.out \
///   .build/release/daybook-benchmarks steps --rows 1000 --directory .
/// callgrind_annotate --inclusive=yes steps.out | grep Step
/// ```
enum StepWorkload {
  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let generator = RowGenerator()
    let rowCount = settings.listRowCount ?? settings.rowCount
    try StoreWorkload.makeStore(at: scratch.path("steps"), rowCount: rowCount, generator)
    let store = try StoreWorkload.open(scratch.path("steps"))
    let list = try LiveList(in: store.makeContext(), request: LiveList.request)
    var changes = ChangeStream(generator, rowCount: rowCount)
    var times: [ChangeStream.Change.Kind: [Double]] = [:]
    let stepCount = 100
    while times.count < 4 || times.values.contains(where: { $0.count < stepCount }) {
      let change = changes.next()
      if times[change.kind]?.count == stepCount { continue }
      guard generator.row(change.id).amount >= 500_000 else { continue }
      let time = try processorTime {
        switch change {
        case .insert(let row): try insertStep(row, into: list)
        case .delete(let id): try deleteStep(id: id, from: list)
        case .note(let id, let note): try contentStep(id: id, note: note, in: list)
        case .createdAt(let id, let moment):
          try moveStep(id: id, in: list) { $0.createdAt = moment }
        case .state(let id, let state): try moveStep(id: id, in: list) { $0.state = state }
        }
      }
      times[change.kind, default: []].append(time)
    }
    let reading = try reading(store, list: list)
    list.stop()
    try store.closeAndWait()
    return ChangeStream.Change.Kind.allCases.compactMap { kind in
      times[kind].map { times in
        ListWorkload.shown(
          "one \(kind.rawValue)", rowCount: rowCount, unit: "boundary",
          samples: [Measurement.Sample(ours: median(times), yardstick: 0)])
      }
    } + reading
  }

  @inline(never)
  private static func insertStep(_ row: Row, into list: LiveList) throws {
    try list.context.insert(row)
    list.context.processPendingChanges()
  }

  @inline(never)
  private static func deleteStep(id: Int, from list: LiveList) throws {
    try list.context.delete(Row.self, id: id)
    list.context.processPendingChanges()
  }

  @inline(never)
  private static func contentStep(id: Int, note: String, in list: LiveList) throws {
    try list.context.update(Row.self, id: id) { $0.note = note }
    list.context.processPendingChanges()
  }

  @inline(never)
  private static func moveStep(
    id: Int, in list: LiveList, change: (inout Row) -> Void
  ) throws {
    try list.context.update(Row.self, id: id, with: change)
    list.context.processPendingChanges()
  }
}
