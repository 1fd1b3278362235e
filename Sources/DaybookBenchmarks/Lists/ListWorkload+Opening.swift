import Daybook
import DaybookResults
import DaybookStore

extension ListWorkload {
  /// The workload `pages`. It measures the first page of a short list and of a long list.
  static func runOpening(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let generator = RowGenerator()
    let sizes = settings.listRowCount.map { [$0] } ?? [234, settings.rowCount]
    var measurements: [Measurement] = []
    for rowCount in sizes {
      let path = scratch.path("pages")
      try StoreWorkload.makeStore(at: path, rowCount: rowCount, generator)
      let store = try StoreWorkload.open(path)
      measurements += try opening(settings, in: store, rowCount: rowCount)
      try store.closeAndWait()
      scratch.removeFiles()
    }
    return measurements
  }

  /// Measures the time and the memory of a controller until it has its first page of rows. There
  /// are three cases: all records are read, records are read in batches, and records are read in
  /// batches with a cache of the list.
  static func opening(
    _ settings: Settings, in store: Store, rowCount: Int
  ) throws -> [Measurement] {
    var request = LiveList.request
    request.batchSize = 20
    var samples: [String: [Measurement.Sample]] = [:]
    var memory: [String: [Measurement.Sample]] = [:]
    func measure(_ work: String, yardstick: Double, body: () throws -> [Any]) rethrows {
      ProcessMemory.releaseFreeMemory()
      ProcessMemory.forgetPeak()
      let (before, residentBefore) = (
        ProcessMemory.anonymousByteCount, ProcessMemory.residentByteCount
      )
      var held: [Any] = []
      let time = try timed { held = try body() }
      let peak = max(0, ProcessMemory.peakByteCount - residentBefore)
      ProcessMemory.releaseFreeMemory()
      let byteCount = max(0, ProcessMemory.anonymousByteCount - before)
      withExtendedLifetime(held) {}
      samples[work, default: []].append(Measurement.Sample(ours: time, yardstick: yardstick))
      memory["memory held by a \(work)", default: []].append(
        Measurement.Sample(ours: Double(byteCount), yardstick: 0))
      memory["peak memory of a \(work)", default: []].append(
        Measurement.Sample(ours: Double(peak), yardstick: 0))
    }
    func firstPage(_ cacheName: String?) throws -> FetchedResultsController<Row> {
      let controller = FetchedResultsController(
        fetchRequest: request, context: store.makeContext(), cacheName: cacheName)
      try controller.performFetch()
      let page = controller.fetchedObjects?.prefix(20).reduce(0) { $0 &+ $1.amount } ?? 0
      let counts = controller.sections?.reduce(0) { $0 + $1.numberOfObjects }
      precondition(counts == controller.fetchedObjects?.count, "\(counts ?? -1) rows in sections")
      blackHole(UInt64(page))
      return controller
    }
    try store.deleteCache(withName: nil)
    _ = try firstPage("list")
    store.derivedWork.waitUntilIdle()
    for _ in 0..<settings.repetitionCount {
      let sorting = sortingTime()
      try measure("first page, all records read", yardstick: sorting) {
        let controller = try firstPage(nil)
        return [controller, controller.fetchedObjects.map { Array($0) } ?? []]
      }
      try measure("first page, records read in batches", yardstick: sorting) {
        [try firstPage(nil)]
      }
      try measure("first page, from a cache, in batches", yardstick: sorting) {
        let controller = try firstPage("list")
        precondition(controller.cacheStatistics?.origin == .reused, "the cache was of no use")
        return [controller]
      }
    }
    try store.deleteCache(withName: nil)
    return samples.sorted { $0.key < $1.key }.map {
      shown($0.key, rowCount: rowCount, unit: "page", samples: $0.value)
    }
      + memory.sorted { $0.key < $1.key }.map { work, samples in
        Measurement(
          work: "\(work), \(rowCount) rows", yardstick: "none", unit: "page",
          promise: .none, samples: samples, quantity: .bytes)
      }
  }
}
