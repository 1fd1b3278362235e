import Daybook
import DaybookResults
import DaybookStore

extension ListWorkload {
  // MARK: Building

  /// Measures opening a store by replay, fetching a list, and the memory of the list.
  static func building(
    _ settings: Settings, at path: String, rows: [Row]
  ) throws -> [Measurement] {
    let rowCount = rows.count
    var builds: [Measurement.Sample] = []
    var openings: [Measurement.Sample] = []
    // The first array takes longer, because the system allocates memory for it. So it is not
    // measured.
    _ = StructList.ids(rows)
    for _ in 0..<settings.repetitionCount {
      var ids: [Int] = []
      let sorting = timed { ids = StructList.ids(rows) }
      var store: Store?
      let openTime = try timed { store = try StoreWorkload.open(path) }
      guard let store else { preconditionFailure("no store") }
      let frozen = store.snapshot.frozen
      var projection: Projection?
      let buildTime = try timed {
        projection = Projection(try LiveList.request.plan(frozen.catalog), of: frozen)
      }
      guard let snapshot = projection?.snapshot else { preconditionFailure("no projection") }
      let pageTime = timed {
        let page = snapshot.records(Row.self, atRanks: 0..<min(20, snapshot.count))
        let counts = (0..<snapshot.sectionCount).reduce(0) { $0 + snapshot.count(inSection: $1) }
        precondition(counts == snapshot.count, "\(counts) rows in sections of \(snapshot.count)")
        blackHole(UInt64(page.reduce(0) { $0 &+ $1.amount }))
      }
      precondition(
        snapshot.identifiers == ids.map { .int(Int64($0)) }, "the list is not what sorting finds")
      try store.closeAndWait()
      let count = Double(rowCount)
      builds.append(Measurement.Sample(ours: buildTime / count, yardstick: sorting / count))
      openings.append(
        Measurement.Sample(
          ours: (openTime + buildTime + pageTime) / count, yardstick: sorting / count))
    }
    let yardstick = "[struct] filter and sort"
    return [
      shown("a list built", rowCount: rowCount, unit: "row", samples: builds, yardstick: yardstick),
      Measurement(
        work: "opened by replay, a list built, 20 rows read, \(rowCount) rows",
        yardstick: yardstick, unit: "row", promise: .atMost(1.5).ofAMillion(rowCount),
        samples: openings),
    ] + (try memory(at: path, rowCount: rowCount))
  }

  private static func memory(at path: String, rowCount: Int) throws -> [Measurement] {
    guard rowCount >= 100_000 else { return [] }
    let store = try StoreWorkload.open(path)
    let frozen = store.snapshot.frozen
    let list = try held(by: LiveList.request, in: frozen)
    let own = ListRequest<Row>(sortedBy: [.ascending(\Row.name)], sectionedBy: .by(\Row.name))
    let sectioned = try held(by: own, in: frozen)
    let flat = try held(by: ListRequest<Row>(sortedBy: [.ascending(\Row.name)]), in: frozen)
    try store.closeAndWait()
    func bytes(_ work: String, per unit: String, limit: Double, measured bytes: Double)
      -> Measurement
    {
      Measurement(
        work: "\(work), \(rowCount) rows", yardstick: "none", unit: unit,
        promise: .bytesAtMost(limit), samples: [Measurement.Sample(ours: bytes, yardstick: 0)],
        quantity: .bytes)
    }
    return [
      bytes(
        "memory of a list", per: "entry", limit: 26,
        measured: Double(list.byteCount) / Double(list.rowCount)),
      bytes(
        "memory of a list with as many sections as rows", per: "section", limit: 96,
        measured: Double(sectioned.byteCount - flat.byteCount) / Double(sectioned.sectionCount)),
    ]
  }

  /// Returns the memory of a list, without the memory of its store, and the numbers of its rows and
  /// sections.
  private static func held(
    by request: ListRequest<Row>, in frozen: FrozenState
  ) throws -> (byteCount: Int, rowCount: Int, sectionCount: Int) {
    ProcessMemory.releaseFreeMemory()
    let before = ProcessMemory.anonymousByteCount
    let projection = Projection(try request.plan(frozen.catalog), of: frozen)
    ProcessMemory.releaseFreeMemory()
    let byteCount = ProcessMemory.anonymousByteCount - before
    let snapshot = projection.snapshot
    return (byteCount, snapshot.count, snapshot.sectionCount)
  }

  // MARK: Reading

  static func reading(
    _ settings: Settings, in store: Store, rowCount: Int
  ) throws -> [Measurement] {
    let frozen = store.snapshot.frozen
    let snapshot = Projection(
      try LiveList.request.plan(frozen.catalog), of: frozen
    ).snapshot
    var scrolling: [Measurement.Sample] = []
    var identifiers: [Measurement.Sample] = []
    var first: [Measurement.Sample] = []
    var arrays: [Measurement.Sample] = []
    let controller = FetchedResultsController(
      fetchRequest: LiveList.request, context: store.makeContext())
    try controller.performFetch()
    let records = snapshot.records(Row.self, atRanks: 0..<snapshot.count)
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      let time = timed { scrollStep(snapshot) }
      let idTimes = identifiersTimes(controller)
      let arrayTime = timed { blackHole(UInt64(records.reduce(0) { $0 &+ $1.amount })) }
      scrolling.append(
        Measurement.Sample(ours: time / Double(snapshot.count), yardstick: sorting))
      arrays.append(
        Measurement.Sample(
          ours: time / Double(snapshot.count), yardstick: arrayTime / Double(snapshot.count)))
      identifiers.append(Measurement.Sample(ours: idTimes.usual, yardstick: sorting))
      first.append(Measurement.Sample(ours: idTimes.first, yardstick: 0))
    }
    return [
      Measurement(
        work: "scrolling, 20 records at a time, \(rowCount) rows",
        yardstick: "sort of a million numbers", unit: "record",
        promise: .perSecond(2_000_000).ofAMillion(rowCount), samples: scrolling),
      shown(
        "scrolling, 20 records at a time", rowCount: rowCount, unit: "record", samples: arrays,
        yardstick: "[struct]"),
      Measurement(
        work: "all identifiers in order, and counts, \(rowCount) rows",
        yardstick: "sort of a million numbers", unit: "list",
        promise: .within(5_000_000).ofAMillion(rowCount), samples: identifiers),
      shown("all identifiers, the first time", rowCount: rowCount, unit: "list", samples: first),
    ]
  }

  /// Reads all records of a list in order, 20 at a time.
  @inline(never)
  static func scrollStep(_ snapshot: ResultSnapshot) {
    var sum = 0
    for first in stride(from: 0, to: snapshot.count, by: 20) {
      let last = min(first + 20, snapshot.count)
      for row in snapshot.records(Row.self, atRanks: first..<last) { sum &+= row.amount }
    }
    blackHole(UInt64(sum))
  }

  /// Reads all identifiers of a list in order, and the number of rows in each section.
  @inline(never)
  static func identifiersStep<R: Record>(_ controller: FetchedResultsController<R>) {
    let ids = controller.fetchedObjects?.identifiers.count
    let counts = controller.sections?.reduce(0) { $0 + $1.numberOfObjects }
    precondition(ids == counts, "\(ids ?? 0) rows, \(counts ?? 0) in sections")
  }

  /// Returns the time of the first of five reads of all identifiers, and the median of the five
  /// times. Before the first read, the processor's caches contain data of other work.
  static func identifiersTimes<R: Record>(
    _ controller: FetchedResultsController<R>
  ) -> (first: Double, usual: Double) {
    let times = (0..<5).map { _ in timed { identifiersStep(controller) } }
    return (times[0], median(times))
  }

  // MARK: Any two moments

  /// Measures the difference of a list between two moments. Between them, there is one change for
  /// each hundred rows.
  static func anyTwo(
    _ settings: Settings, in store: Store, rows: [Row], generator: RowGenerator
  ) throws -> [Measurement] {
    var absolute: [Measurement.Sample] = []
    var relative: [Measurement.Sample] = []
    var flattening: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      let list = try LiveList(in: store.makeContext(), request: LiveList.request)
      let before = list.projection.snapshot
      var changes = ChangeStream(generator, rowCount: rows.count)
      for _ in 0..<rows.count / 100 {
        try changes.next().make(in: list.context)
        list.context.processPendingChanges()
      }
      let after = list.projection.snapshot
      list.stop()
      var difference: EditScript?
      let time = median(
        (0..<5).map { _ in processorTime { difference = EditScript(from: before, to: after) } })
      var editCount = 0
      flattening.append(
        Measurement.Sample(
          ours: processorTime {
            editCount =
              difference.map { script in
                ListDifference<Row>(script, batchSize: 0, isOfHistory: false)
                  .identifierDifference.count
              } ?? 0
          }, yardstick: 0))
      let (old, new) = (before.identifiers, after.identifiers)
      var theirs = 0
      let naive = median(
        (0..<3).map { _ in processorTime { theirs = new.difference(from: old).count } })
      precondition(editCount == theirs, "\(editCount) edits where \(theirs) are enough")
      absolute.append(Measurement.Sample(ours: time, yardstick: sorting))
      relative.append(Measurement.Sample(ours: time, yardstick: naive))
    }
    return [
      Measurement(
        work: "difference of two moments 1 % apart, \(rows.count) rows",
        yardstick: "sort of a million numbers", unit: "difference", promise: .within(3_000_000),
        samples: absolute),
      shown(
        "difference of two moments 1 % apart", rowCount: rows.count, unit: "difference",
        samples: relative,
        yardstick: "difference(from:)"),
      shown(
        "that difference made flat", rowCount: rows.count, unit: "difference", samples: flattening),
    ]
  }
}
