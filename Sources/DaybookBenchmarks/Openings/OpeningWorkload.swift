import Daybook
import DaybookJournal
import DaybookResults
@_spi(Tools) import DaybookStore
import DaybookPlatform

/// The workload `openings`. It measures the time from the start of a process until the process has
/// the first page of a list and the counts of its sections. A checkpoint and a cache are beside the
/// journal.
enum OpeningWorkload {
  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let usual = settings.isQuick ? [100_000] : [10_000, 100_000, 1_000_000]
    let sizes = settings.listRowCount.map { [$0] } ?? usual
    var measurements: [Measurement] = []
    for rowCount in sizes {
      // For a million rows, the factor 100 is left out, because the journal would be too large.
      let factors = settings.isQuick || rowCount > 100_000 ? [1, 10] : [1, 10, 100]
      var paths: [String] = []
      for factor in factors {
        paths.append(scratch.path("\(factor)"))
        if factor == 1 {
          try StoreWorkload.makeStore(at: paths[0], rowCount: rowCount, RowGenerator())
        } else {
          try lengthen(paths[0], to: scratch.path("\(factor)"), times: factor, rowCount: rowCount)
        }
      }
      for path in paths { try leaveFiles(beside: path) }
      measurements += try opening(
        settings, rowCount: rowCount, journals: Array(zip(factors, paths)),
        note: scratch.path("note"))
      measurements.append(
        try openingWithTail(settings, rowCount: rowCount, at: paths[0], note: scratch.path("note")))
      scratch.removeFiles()
    }
    return measurements
  }

  /// Measures processes that read the first page from journals of several lengths, and a process
  /// that does nothing. The difference of the two times is the time of Daybook.
  private static func opening(
    _ settings: Settings, rowCount: Int, journals: [(factor: Int, path: String)], note: String
  ) throws -> [Measurement] {
    var idle: [Measurement.Sample] = []
    var pages: [Measurement.Sample] = []
    var lengths: [[Measurement.Sample]] = Array(repeating: [], count: journals.count)
    var peaks: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      var idleTimes: [Double] = []
      var times: [[Double]] = Array(repeating: [], count: journals.count)
      var peak = 0
      for _ in 0..<settings.count(15) {
        idleTimes.append(try ChildProcess.run(["idle"], notePath: note).time)
        for (index, journal) in journals.enumerated() {
          let page = try ChildProcess.run(["first-page", journal.path], notePath: note)
          if index == 0 { peak = max(peak, page.peakByteCount) }
          times[index].append(page.time)
        }
      }
      let medians = times.map { median($0) }
      idle.append(Measurement.Sample(ours: median(idleTimes), yardstick: 0))
      pages.append(
        Measurement.Sample(ours: medians[0] - median(idleTimes), yardstick: sorting))
      for (index, time) in medians.enumerated() {
        lengths[index].append(Measurement.Sample(ours: time, yardstick: medians[0]))
      }
      peaks.append(Measurement.Sample(ours: Double(peak), yardstick: 0))
    }
    return [
      Measurement(
        work: "process start, beside \(rowCount) rows", yardstick: "none", unit: "process",
        promise: .none, samples: idle),
      Measurement(
        work: "first page beyond that, checkpoint and cache, \(rowCount) rows",
        yardstick: "sort of a million numbers", unit: "process",
        promise: .within(30_000_000).ofAMillion(rowCount), samples: pages),
    ]
      + zip(journals, lengths).dropFirst().map { journal, samples in
        Measurement(
          work:
            "start and first page, journal \(journal.factor) times as long, \(rowCount) rows",
          yardstick: "the short journal", unit: "process", promise: .atMost(1.2), samples: samples)
      }
      + [
        Measurement(
          work: "peak memory of that process, \(rowCount) rows", yardstick: "none", unit: "process",
          promise: .bytesAtMost(40_000_000).ofAMillion(rowCount), samples: peaks, quantity: .bytes)
      ]
  }

  /// The number of changes in the tail: the transactions after the checkpoint and the cache.
  private static let tailCount = 1000

  /// Measures processes that read the first page from a journal with a tail after its checkpoint
  /// and its cache.
  private static func openingWithTail(
    _ settings: Settings, rowCount: Int, at path: String, note: String
  ) throws -> Measurement {
    // This store writes no checkpoint or cache, and neither do the measured processes. So the tail
    // stays the same in all repetitions.
    let store = try StoreWorkload.open(path, durability: .none)
    let context = store.makeContext()
    var changes = ChangeStream(RowGenerator(), rowCount: rowCount)
    for _ in 0..<tailCount { try changes.next().make(in: context) }
    try context.saveAndWait()
    try store.closeAndWait()
    var samples: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      var times: (idle: [Double], pages: [Double]) = ([], [])
      for _ in 0..<settings.count(15) {
        times.idle.append(try ChildProcess.run(["idle"], notePath: note).time)
        times.pages.append(try ChildProcess.run(["first-page", path], notePath: note).time)
      }
      samples.append(
        Measurement.Sample(ours: median(times.pages) - median(times.idle), yardstick: 0))
    }
    return Measurement(
      work: "first page, \(tailCount) changes after checkpoint and cache, \(rowCount) rows",
      yardstick: "none", unit: "process", promise: .none, samples: samples)
  }

  /// Copies a journal, and appends changes of its rows until the copy has a multiple of the
  /// original length.
  static func lengthen(_ source: String, to path: String, times: Int, rowCount: Int) throws {
    let short = try StoreWorkload.open(source)
    try short.backup(to: path)
    try short.closeAndWait()
    let store = try StoreWorkload.open(path, durability: .none)
    let generator = RowGenerator()
    let targetByteCount = StoreWorkload.journalByteCount(store) * times
    var first = 1
    var stream: UInt64 = 7
    while StoreWorkload.journalByteCount(store) < targetByteCount {
      let rows = generator.rows(from: first, count: min(1000, rowCount - first + 1)).map { row in
        var row = row
        row.note = RowGenerator.letters(
          26 + Int(RowGenerator.next(&stream) % 9), randomizedBy: &stream)
        return row
      }
      _ = try store.saveAndWait(StoreWorkload.newNotes(of: rows, in: store))
      first = first + rows.count > rowCount ? 1 : first + rows.count
    }
    try store.closeAndWait()
  }

  /// Writes a checkpoint and a cache of the list beside a journal.
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

  /// Runs the work of a child process and returns true, if the arguments request it; otherwise
  /// returns false.
  static func runChild(_ arguments: [String]) throws -> Bool {
    switch (arguments.first, arguments.count) {
    case ("idle", 2):
      ChildProcess.recordPeak(at: arguments[1])
      return true
    case ("first-page", 3):
      let store = try Store(at: arguments[1], records: Row.self)
      let controller = try controller(store)
      let page = controller.fetchedObjects?.prefix(20).reduce(0) { $0 &+ $1.amount } ?? 0
      let counted = controller.sections?.reduce(0) { $0 + $1.numberOfObjects }
      precondition(counted == controller.fetchedObjects?.count, "\(counted ?? -1) in sections")
      blackHole(UInt64(page))
      if CurrentProcess.environment("DAYBOOK_BENCHMARKS_TELL") != nil {
        print(
          "checkpoint \(String(describing: store.statistics.checkpoints)),",
          "cache \(String(describing: controller.cacheStatistics))")
      }
      ChildProcess.recordPeak(at: arguments[2])
      // The process exits without closing the store, so that the time of closing is not measured.
      CurrentProcess.exit(0)
    default: return false
    }
  }
}
