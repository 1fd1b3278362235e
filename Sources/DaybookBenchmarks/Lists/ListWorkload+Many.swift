import Daybook
import DaybookResults
import DaybookStore

extension ListWorkload {
  // MARK: Narrow lists

  /// Measures one change that is reported to a thousand lists. Each list contains the rows of one
  /// city, so that the change affects few lists.
  static func narrowLists(
    _ settings: Settings, in store: Store, generator: RowGenerator
  ) throws -> [Measurement] {
    let rowCount = try store.snapshot.count(of: Row.self)
    var samples: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      let context = store.makeContext()
      let lists = try generator.cities.map { city in
        let request = ListRequest<Row>(
          filter: \Row.city == city, sortedBy: [.descending(\Row.createdAt)])
        return Projection(try request.plan(context.frozen.catalog), of: context.frozen)
      }
      precondition(lists.reduce(0) { $0 + $1.snapshot.count } == rowCount)
      var before = context.frozen
      var time = 0.0
      var changedCount = 0
      let token = context.observe { event in
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
        work: "one change reported to 1000 narrow lists, \(rowCount) rows",
        yardstick: "sort of a million numbers", unit: "boundary", promise: .within(100_000),
        samples: samples)
    ]
  }

  // MARK: Bulk loads

  /// Measures two kinds of loads with a thousand rows in each transaction. In the first kind, a
  /// task follows a list, and the load ends when the task has received all rows. In the second
  /// kind, each transaction starts after the list's difference for the transaction before it.
  static func bulkLoad(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator
  ) throws -> [Measurement] {
    let reference = [UInt8](
      repeating: 7, count: Int(StoreWorkload.referenceRowByteCount * 1000))
    let (roundCount, transactionCount) = (settings.count(4), StoreWorkload.transactionCount)
    var followed: [Measurement.Sample] = []
    var stepwise: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let store = try StoreWorkload.open(scratch.path("bulk"))
      let raw = try RawFile(at: scratch.path("raw"))
      let results = try store.results(LiveList.request)
      var times: (ours: [Double], yardstick: [Double]) = ([], [])
      var count = 0
      for round in 0..<roundCount {
        let rows = generator.rows(
          from: 1 + round * transactionCount * 1000, count: transactionCount * 1000)
        count += rows.count { $0.amount >= 500_000 }
        times.ours.append(
          try follow(results, of: store, until: count, loading: rows) / Double(transactionCount))
        for _ in 0..<transactionCount { times.yardstick.append(timed { raw.append(reference) }) }
      }
      followed.append(
        Measurement.Sample(ours: median(times.ours), yardstick: median(times.yardstick)))
      try store.closeAndWait()
      scratch.removeFiles()
      stepwise.append(
        try loadStepwise(roundCount * transactionCount, in: scratch, generator: generator))
      scratch.removeFiles()
    }
    return [
      Measurement(
        work: "bulk load, 1,000 rows a transaction, list live",
        yardstick: "pwrite + fdatasync of reference frames, growing", unit: "transaction",
        promise: .atLeast(0.3), samples: followed),
      Measurement(
        work: "bulk load, each transaction before the next and its difference", yardstick: "none",
        unit: "transaction", promise: .none, samples: stepwise),
    ]
  }

  /// Returns the time from the start of a load until the follower of a list has received all its
  /// rows.
  private static func follow(
    _ results: LiveResults<Row>, of store: Store, until count: Int, loading rows: [Row]
  ) throws -> Double {
    try blocking {
      try await timed {
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await store.insert(contentsOf: rows) }
          group.addTask {
            for await update in results where update.objects.count >= count { break }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  private static func loadStepwise(
    _ count: Int, in scratch: Scratch, generator: RowGenerator
  ) throws -> Measurement.Sample {
    let store = try StoreWorkload.open(scratch.path("bulk"))
    let frozen = store.snapshot.frozen
    let list = Projection(try LiveList.request.plan(frozen.catalog), of: frozen)
    let batches = (0..<count).map { generator.rows(from: 1 + $0 * 1000, count: 1000) }
    let times = try batches.map { batch in
      try timed {
        try store.insertAndWait(contentsOf: batch)
        precondition(list.fold(to: store.snapshot.frozen) != nil, "a thousand rows came")
      }
    }
    try store.closeAndWait()
    return Measurement.Sample(ours: median(times), yardstick: 0)
  }
}
