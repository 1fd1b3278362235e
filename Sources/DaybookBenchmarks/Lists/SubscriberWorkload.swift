import Daybook
import DaybookResults
import DaybookStore

/// The workload `subscribers`. It measures a change in a context with many controllers.
enum SubscriberWorkload {
  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let generator = RowGenerator()
    try StoreWorkload.makeStore(at: scratch.path("many"), rowCount: 10_000, generator)
    let store = try StoreWorkload.open(scratch.path("many"))
    let measurements = try measure(settings, in: store, generator: generator)
    try store.closeAndWait()
    return measurements
  }

  /// A delegate that only counts its calls.
  private final class Ear: FetchedResultsDifferenceDelegate {
    var count = 0

    func controller(
      _ controller: FetchedResultsController<Row>,
      didChangeContentWith difference: ListDifference<Row>
    ) { count += 1 }
  }

  /// The number of rows in each list of the second series. With more rows, ten thousand lists would
  /// need more memory than most machines have.
  private static let touchedRowCount = 1000

  /// Measures a change with many controllers and delegates on one context, from the change in the
  /// context to the last call of a delegate. In the first series, each controller has the rows of
  /// one name, and the change affects one controller. In the second series, every change affects
  /// all controllers.
  private static func measure(
    _ settings: Settings, in store: Store, generator: RowGenerator
  ) throws -> [Measurement] {
    let sizes = settings.isQuick ? [1, 10, 1000, 10_000] : [1, 10, 100, 1000, 10_000]
    var narrow: [Int: [Measurement.Sample]] = [:]
    var wide: [Int: [Measurement.Sample]] = [:]
    func measure(_ count: Int, ids: Int, filter: (Row) -> Filter?) throws -> Double {
      let context = store.makeContext()
      let ear = Ear()
      let controllers = try (1...count).map { id in
        let controller = FetchedResultsController(
          fetchRequest: ListRequest<Row>(
            filter: filter(generator.row(id)), sortedBy: [.descending(\Row.createdAt)]),
          context: context)
        try controller.performFetch()
        controller.delegate = ear
        return controller
      }
      var times: [Double] = []
      var stream: UInt64 = 7
      // There are fewer steps if each step affects all lists, because such a step takes a long
      // time.
      for step in 0..<settings.count(ids < count ? 20 : 200) {
        let note = RowGenerator.letters(
          26 + Int(RowGenerator.next(&stream) % 9), randomizedBy: &stream)
        let id = 1 + Int(RowGenerator.next(&stream) % UInt64(ids))
        times.append(
          try processorTime {
            try context.update(Row.self, id: id) { $0.note = note }
            context.processPendingChanges()
          })
        precondition(ear.count > step, "\(ear.count) lists told in \(step + 1) steps")
      }
      withExtendedLifetime(controllers) {}
      return median(times)
    }
    for _ in 0..<settings.repetitionCount {
      var one = 0.0
      for count in sizes {
        let time = try measure(count, ids: count) { \Row.name == $0.name }
        if count == 1 { one = time }
        narrow[count, default: []].append(Measurement.Sample(ours: time, yardstick: one))
      }
      // With `--quick`, the largest numbers of controllers are left out, because creating them
      // takes too much time.
      for count in sizes where count <= 1000 || !settings.isQuick {
        let time = try measure(count, ids: min(count, touchedRowCount)) { _ in
          \Row.id <= touchedRowCount
        }
        if count == 1 { one = time }
        wide[count, default: []].append(Measurement.Sample(ours: time, yardstick: one))
      }
    }
    return sizes.map { count in
      Measurement(
        work: "one change, \(count) narrow lists with delegates", yardstick: "one of them",
        unit: "boundary", promise: count == 10_000 ? .atMost(20) : .none,
        samples: narrow[count] ?? [])
    }
      + sizes.compactMap { count in
        wide[count].map { samples in
          Measurement(
            work: "one change, \(count) lists of a thousand rows that it touches, with delegates",
            yardstick: "one of them", unit: "boundary", promise: .none, samples: samples)
        }
      }
  }
}
