import DaybookResults
import DaybookStore

extension ListWorkload {
  // MARK: Narrow lists

  /// A thousand lists, each of the rows of one city, and one change.
  static func narrowLists(
    _ settings: Settings, _ store: Store, _ generator: RowGenerator
  ) throws -> [Measurement] {
    let rowCount = store.snapshot.count(of: Row.self)
    var samples: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      let context = store.makeContext()
      let lists = try generator.cities.map { city in
        let request = FetchRequest<Row>(
          filter: \Row.city == city, sortedBy: [.descending(\Row.createdAt)])
        return Projection(try request.untyped.plan(context.frozen.catalog), context.frozen)
      }
      precondition(lists.reduce(0) { $0 + $1.snapshot.count } == rowCount)
      var before = context.frozen
      var time = 0.0
      var changedCount = 0
      let token = context.listen { event in
        guard case .transaction(let transaction) = event else { return }
        time = processorTime {
          let changes = ChangedRecords(transaction, from: before, to: context.frozen)
          for list in lists where list.fold(changes) != nil { changedCount += 1 }
        }
        before = context.frozen
      }
      var changes = ChangeStream(generator, rowCount: rowCount)
      var times: [Double] = []
      let count = settings.count(500)
      for _ in 0..<count {
        try changes.next().make(in: context)
        context.processPendingChanges()
        times.append(time)
      }
      withExtendedLifetime(token) {}
      precondition(changedCount > count * 9 / 10, "\(changedCount) lists changed in \(count) steps")
      samples.append(Measurement.Sample(ours: median(times), yardstick: sorting))
    }
    return [
      Measurement(
        work: "one change told to 1000 narrow lists, \(rowCount) rows",
        yardstick: "sort of a million numbers", unit: "boundary", promise: .within(100_000),
        samples: samples)
    ]
  }

  // MARK: Bulk loads

  /// Transactions of a thousand rows, each durable and then in a live list.
  static func bulkLoad(
    _ settings: Settings, _ scratch: Scratch, _ generator: RowGenerator
  ) throws -> [Measurement] {
    let reference = [UInt8](
      repeating: 7, count: Int(StoreWorkload.referenceRowByteCount * 1000))
    var samples: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let store = try StoreWorkload.open(scratch.path("bulk"))
      let raw = try RawFile(at: scratch.path("raw"))
      let frozen = store.snapshot.frozen
      let list = Projection(try LiveList.request.untyped.plan(frozen.catalog), frozen)
      let count = settings.count(200)
      let batches = (0..<count).map { generator.rows(from: 1 + $0 * 1000, count: 1000) }
      var next = 0
      let sample = try interleaved(count) {
        try store.insertAndWait(contentsOf: batches[next])
        next += 1
        precondition(list.fold(to: store.snapshot.frozen) != nil, "a thousand rows came")
      } yardstick: {
        raw.append(reference)
      }
      samples.append(sample)
      try store.closeAndWait()
      scratch.removeFiles()
    }
    return [
      Measurement(
        work: "bulk load, 1,000 rows a transaction, list live",
        yardstick: "pwrite + fdatasync of reference frames, growing", unit: "transaction",
        promise: .atLeast(0.3), samples: samples)
    ]
  }
}
