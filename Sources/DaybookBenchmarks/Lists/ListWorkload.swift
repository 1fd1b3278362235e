import DaybookResults
import DaybookStore

/// What lists cost: to build, to hold, to read, to keep live, and to compare.
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
      measurements += try building(settings, path, rows)
      let store = try StoreWorkload.open(path)
      measurements += try oneChange(settings, store, rows, generator, &growth)
      measurements += try manyChanges(settings, store, rows, generator)
      measurements += try window(settings, store, rowCount)
      if rowCount >= 100_000 { measurements += try sections(settings, store, generator) }
      if rowCount == 100_000 {
        measurements += try narrowLists(settings, store, generator)
        measurements += try anyTwo(settings, store, rows, generator)
      }
      measurements += try reading(settings, store, rowCount)
      try store.closeAndWait()
      scratch.removeFiles()
      if rowCount >= 100_000 {
        measurements += try universalIdentifiers(settings, scratch, generator, rowCount: rowCount)
      }
    }
    measurements += try bulkLoad(settings, scratch, generator)
    return measurements + growth.measurements
  }

  static func shown(
    _ work: String, _ rowCount: Int, _ unit: String, _ samples: [Measurement.Sample],
    yardstick: String = "none"
  ) -> Measurement {
    Measurement(
      work: "\(work), \(rowCount) rows", yardstick: yardstick, unit: unit, promise: .none,
      samples: samples)
  }
}
