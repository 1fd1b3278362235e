import Daybook
import DaybookJournal
import DaybookResults
import DaybookStore
import Glibc

/// What it takes until a program that was just started shows something: the first page of a list and how long
/// its sections are, with what was left beside the journal and without.
enum OpeningWorkload {
  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let rowCount = settings.listRowCount ?? settings.rowCount
    let short = scratch.path("short")
    let long = scratch.path("long")
    let note = scratch.path("note")
    try StoreWorkload.makeStore(at: short, rowCount: rowCount, RowGenerator())
    try lengthen(short, to: long, times: 10, rowCount: rowCount)
    for path in [short, long] { try leaveFiles(beside: path) }

    var nothing: [Measurement.Sample] = []
    var cached: [Measurement.Sample] = []
    var lengths: [Measurement.Sample] = []
    var peaks: [Measurement.Sample] = []
    let count = settings.count(15)
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      var times: (idle: [Double], short: [Double], long: [Double]) = ([], [], [])
      var peak = 0
      for _ in 0..<count {
        times.idle.append(try ChildProcess.run(["idle"], notePath: note).time)
        let page = try ChildProcess.run(["first-page", short], notePath: note)
        peak = max(peak, page.peakByteCount)
        times.short.append(page.time)
        times.long.append(try ChildProcess.run(["first-page", long], notePath: note).time)
      }
      let idle = median(times.idle)
      nothing.append(Measurement.Sample(ours: idle, yardstick: 0))
      cached.append(Measurement.Sample(ours: median(times.short) - idle, yardstick: sorting))
      lengths.append(
        Measurement.Sample(ours: median(times.long), yardstick: median(times.short)))
      peaks.append(Measurement.Sample(ours: Double(peak), yardstick: 0))
    }
    return [
      Measurement(
        work: "process start", yardstick: "none", unit: "process", promise: .none,
        samples: nothing),
      Measurement(
        work: "first page of \(rowCount) rows beyond that, with a checkpoint and a cache",
        yardstick: "sorting", unit: "process", promise: .within(30_000_000), samples: cached),
      Measurement(
        work: "the same, of a journal 10 times as long", yardstick: "of the short one",
        unit: "process", promise: .atMost(1.2), samples: lengths),
      Measurement(
        work: "peak memory of that process", yardstick: "none", unit: "process",
        promise: .bytesAtMost(40_000_000), samples: peaks, quantity: .bytes),
    ]
  }

  /// Copies a journal and appends changes of its rows until it is so many times as long.
  static func lengthen(_ source: String, to path: String, times: Int, rowCount: Int) throws {
    let short = try StoreWorkload.open(source)
    try short.backup(to: path)
    try short.closeAndWait()
    let store = try StoreWorkload.open(path, durability: .none)
    let generator = RowGenerator()
    let wanted = StoreWorkload.journalByteCount(store) * times
    var first = 1
    var stream: UInt64 = 7
    while StoreWorkload.journalByteCount(store) < wanted {
      let rows = generator.rows(from: first, count: min(1000, rowCount - first + 1)).map { row in
        var row = row
        row.note = RowGenerator.letters(26 + Int(RowGenerator.next(&stream) % 9), &stream)
        return row
      }
      _ = try store.saveAndWait(StoreWorkload.newNotes(rows, store))
      first = first + rows.count > rowCount ? 1 : first + rows.count
    }
    try store.closeAndWait()
  }

  /// Leaves a checkpoint and a cache of the list beside a journal.
  private static func leaveFiles(beside path: String) throws {
    let store = try Store(at: path, records: Row.self)
    store.writeCheckpoint()
    let controller = try controller(store)
    withExtendedLifetime(controller) {}
    try store.closeAndWait()
  }

  private static func controller(_ store: Store) throws -> FetchedResultsController<Row> {
    var request = LiveList.request
    request.batchSize = 20
    let controller = FetchedResultsController(
      fetchRequest: request, context: store.makeContext(), cacheName: "list")
    try controller.performFetch()
    return controller
  }

  // MARK: In the other process

  /// Does what another process of this program is measured by; false if that is not what it was started for.
  static func runChild(_ arguments: [String]) throws -> Bool {
    switch (arguments.first, arguments.count) {
    case ("idle", 2):
      ChildProcess.notePeak(at: arguments[1])
      return true
    case ("first-page", 3):
      let store = try Store(at: arguments[1], records: Row.self)
      let controller = try controller(store)
      let page = controller.fetchedObjects?.prefix(20).reduce(0) { $0 &+ $1.amount } ?? 0
      let counted = controller.sections?.reduce(0) { $0 + $1.numberOfObjects }
      precondition(counted == controller.fetchedObjects?.count, "\(counted ?? -1) in sections")
      use(UInt64(page))
      if getenv("DAYBOOK_BENCHMARKS_TELL") != nil {
        print(
          "checkpoint \(String(describing: store.statistics.checkpoints)),",
          "cache \(String(describing: controller.cacheStatistics))")
      }
      ChildProcess.notePeak(at: arguments[2])
      // Whoever looks at a list ends without ceremony; to close is not what is measured.
      exit(0)
    default: return false
    }
  }
}
