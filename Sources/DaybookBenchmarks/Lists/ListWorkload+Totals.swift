import Daybook
import DaybookResults
import DaybookStore

extension ListWorkload {
  /// Measures one change of a list with totals: to the difference, and to the totals in it. The
  /// yardstick is the same change of the list without totals.
  static func totals(
    _ settings: Settings, in store: Store, rowCount: Int, generator: RowGenerator
  ) throws -> [Measurement] {
    var request = LiveList.request
    request.totals = [
      .count, .sum(\.amount), .average(\.amount), .min(\.amount), .max(\.amount),
    ]
    var samples: [Measurement.Sample] = []
    var folds: [Measurement.Sample] = []
    var reads: [Measurement.Sample] = []
    for _ in 0..<settings.repetitionCount {
      let with = try changing(
        LiveList(in: store.makeContext(), request: request), rowCount: rowCount,
        settings: settings, generator: generator)
      let without = try changing(
        LiveList(in: store.makeContext(), request: LiveList.request), rowCount: rowCount,
        settings: settings, generator: generator)
      samples.append(Measurement.Sample(ours: with.boundary, yardstick: without.boundary))
      folds.append(Measurement.Sample(ours: with.fold, yardstick: without.fold))
      reads.append(Measurement.Sample(ours: with.read, yardstick: 0))
    }
    return [
      Measurement(
        work: "one change of a list with totals, \(rowCount) rows", yardstick: "without totals",
        unit: "boundary", promise: .atMost(1.3).ofAMillion(rowCount), samples: samples),
      shown(
        "one change with totals, the list's part", rowCount: rowCount, unit: "boundary",
        samples: folds, yardstick: "without totals"),
      shown(
        "the totals that one change changed", rowCount: rowCount, unit: "difference",
        samples: reads),
    ]
  }

  /// The median times of a change.
  private struct Times {
    /// From the change to the totals in the difference.
    var boundary = 0.0
    /// The list's part of the boundary.
    var fold = 0.0
    /// For the totals in the difference.
    var read = 0.0
  }

  private static func changing(
    _ list: LiveList, rowCount: Int, settings: Settings, generator: RowGenerator
  ) throws -> Times {
    defer { list.stop() }
    let hasTotals = list.projection.plan.totals != nil
    func read(_ script: EditScript) {
      let difference = ListDifference<Row>(script, batchSize: 0, isOfHistory: false)
      blackHole(UInt64(difference.changedTotals.count))
    }
    var changes = ChangeStream(generator, rowCount: rowCount)
    var (boundaries, folds, reads): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<settings.count(4000) {
      let change = changes.next()
      list.difference = nil
      let time = try processorTime {
        try change.make(in: list.context)
        list.context.processPendingChanges()
        if let script = list.difference, hasTotals { read(script) }
      }
      guard let script = list.difference else { continue }
      boundaries.append(time)
      folds.append(list.foldTime)
      reads.append(processorTime { read(script) })
    }
    return Times(boundary: median(boundaries), fold: median(folds), read: median(reads))
  }
}
