import DaybookResults
import DaybookStore

/// The workload `lists`. It measures fetching, updating, reading and comparing lists, and their
/// memory.
enum ListWorkload {
  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let generator = RowGenerator()
    let usual = settings.isQuick ? [1000, 100_000] : [1000, 10_000, 100_000, 1_000_000]
    let sizes = settings.listRowCount.map { [$0] } ?? usual
    var growth = Growth()
    var measurements: [Measurement] = []
    for rowCount in sizes {
      let path = scratch.path("list")
      try StoreWorkload.makeStore(at: path, rowCount: rowCount, generator)
      let rows = generator.rows(from: 1, count: rowCount)
      measurements += try building(settings, at: path, rows: rows)
      let store = try StoreWorkload.open(path)
      measurements += try oneChange(
        settings, in: store, rows: rows, generator: generator, growth: &growth)
      measurements += try manyChanges(settings, in: store, rows: rows, generator: generator)
      measurements += try window(settings, in: store, rowCount: rowCount)
      measurements += try totals(settings, in: store, rowCount: rowCount, generator: generator)
      if rowCount >= 100_000 {
        measurements += try sections(settings, in: store, generator: generator)
      }
      if rowCount == 100_000 {
        measurements += try narrowLists(settings, in: store, generator: generator)
        measurements += try anyTwo(settings, in: store, rows: rows, generator: generator)
      }
      measurements += try reading(settings, in: store, rowCount: rowCount)
      try store.closeAndWait()
      scratch.removeFiles()
      if rowCount >= 100_000 {
        measurements += try universalIdentifiers(
          settings, in: scratch, generator: generator, rowCount: rowCount)
      }
    }
    measurements += try bulkLoad(settings, in: scratch, generator: generator)
    return measurements + growth.measurements
  }

  static func shown(
    _ work: String, rowCount: Int, unit: String, samples: [Measurement.Sample],
    yardstick: String = "none"
  ) -> Measurement {
    Measurement(
      work: "\(work), \(rowCount) rows", yardstick: yardstick, unit: unit, promise: .none,
      samples: samples)
  }
}
