import DaybookJournal
import DaybookPlatform
import DaybookStore

/// The workload `many-stores`. It measures many open stores in one process, as in a server with one
/// store for each tenant.
enum ManyStoresWorkload {
  /// The number of stores for the promises.
  private static let storeCount = 10_000
  /// The number of file descriptors of a store: one for its journal, and one for the file with the
  /// published end.
  private static let descriptorCountOfStore = 2
  /// The number of file descriptors for all other purposes of the process.
  private static let descriptorCountOfOthers = 64

  static func run(_ settings: Settings) throws -> [Measurement] {
    let limit = CurrentProcess.raiseDescriptorLimit()
    let requested = settings.isQuick ? 500 : storeCount
    let possible = max(1, (limit - descriptorCountOfOthers) / descriptorCountOfStore)
    let count = min(requested, possible)
    if count < requested {
      Command.report(
        "\(requested) stores need \(descriptorCountOfStore * requested + descriptorCountOfOthers) "
          + "file descriptors, and the limit is \(limit). \(count) stores are measured.")
    }
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let rows = RowGenerator().rows(from: 1, count: 2)
    let paths = (0..<count).map { scratch.path("store-\($0)") }
    for path in paths {
      let store = try StoreWorkload.open(path)
      try save(rows[0], in: store)
      try store.closeAndWait()
    }
    return try measure(at: paths, change: rows[1], in: scratch)
  }

  private static func measure(
    at paths: [String], change: Row, in scratch: Scratch
  ) throws -> [Measurement] {
    let descriptorCountBefore = descriptorCount()
    ProcessMemory.releaseFreeMemory()
    let byteCountBefore = ProcessMemory.anonymousByteCount
    var stores: [Store] = []
    stores.reserveCapacity(paths.count)
    var openings: (ours: Double, raw: Double) = (0, 0)
    for path in paths {
      openings.raw += try timed { try openRaw(path) }
      openings.ours += try timed { stores.append(try StoreWorkload.open(path)) }
    }
    // The yardstick writes 200 bytes, because a save of one change has at most 200 bytes.
    let bytes = [UInt8](repeating: 1, count: 200)
    var threadCountMost = threadCount() ?? 0
    var changes: (ours: [Double], raw: [Double]) = ([], [])
    for (number, store) in stores.enumerated() {
      let raw = scratch.path("raw-\(number)")
      // The file is created and filled with zeros before the measurement, as a store does with its
      // file.
      let file = try RawFile(at: raw, zeroed: 1 << 16)
      changes.raw.append(timed { file.append(bytes) })
      changes.ours.append(try timed { try save(change, in: store) })
      if number % 100 == 0 { threadCountMost = max(threadCountMost, threadCount() ?? 0) }
      try SystemDisk().remove(raw)
    }
    threadCountMost = max(threadCountMost, threadCount() ?? 0)
    ProcessMemory.releaseFreeMemory()
    let byteCount = ProcessMemory.anonymousByteCount - byteCountBefore
    let count = Double(stores.count)
    let descriptors = descriptorCount().map { Double($0 - (descriptorCountBefore ?? 0)) / count }
    var measurements = [
      Measurement(
        work: "opening one of \(stores.count) stores", yardstick: "open and read the same file",
        unit: "store", promise: .none,
        samples: [
          Measurement.Sample(ours: openings.ours / count, yardstick: openings.raw / count)
        ]),
      Measurement(
        work: "one change in each of \(stores.count) open stores",
        yardstick: "write and sync of raw files",
        unit: "change", promise: .atMost(2),
        samples: [
          Measurement.Sample(ours: median(changes.ours), yardstick: median(changes.raw))
        ]),
      Measurement(
        work: "memory of \(stores.count) open stores", yardstick: "none", unit: "store",
        promise: .bytesAtMost(48 * 1024),
        samples: [Measurement.Sample(ours: Double(byteCount) / count, yardstick: 0)],
        quantity: .bytes),
    ]
    // On systems without `/proc`, the number of threads is not known.
    if threadCountMost > 0 {
      measurements.append(
        Measurement(
          work: "threads while \(stores.count) stores are open", yardstick: "none", unit: "process",
          promise: .countAtMost(16),
          samples: [Measurement.Sample(ours: Double(threadCountMost), yardstick: 0)],
          quantity: .count))
    }
    if let descriptors {
      measurements.append(
        Measurement(
          work: "descriptors of \(stores.count) open stores", yardstick: "none", unit: "store",
          promise: .countAtMost(Double(descriptorCountOfStore)),
          samples: [Measurement.Sample(ours: descriptors, yardstick: 0)], quantity: .count))
    }
    for store in stores { try store.closeAndWait() }
    if let after = descriptorCount(), let before = descriptorCountBefore {
      precondition(after <= before, "\(after) descriptors after closing, \(before) before opening")
    }
    return measurements
  }

  private static func save(_ row: Row, in store: Store) throws {
    _ = try store.saveAndWait(StoreWorkload.inserts(of: [row], in: store))
  }

  /// Opens a file and reads its first 4 KiB.
  private static func openRaw(_ path: String) throws {
    let file = try FileDescriptor.open(path)
    defer { file.close() }
    var bytes = [UInt8](repeating: 0, count: 4096)
    _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
  }

  private static func threadCount() -> Int? { (try? SystemDisk().list("/proc/self/task"))?.count }

  private static func descriptorCount() -> Int? { (try? SystemDisk().list("/proc/self/fd"))?.count }
}
