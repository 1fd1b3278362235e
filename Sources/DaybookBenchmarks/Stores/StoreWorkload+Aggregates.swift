import Daybook
import DaybookResults
import DaybookStore

extension StoreWorkload {
  // MARK: Aggregates

  /// The totals of a group, as a program without a store would compute them.
  private struct HandWrittenTotals {
    var count = 0
    var sum = 0
    var least = Int.max
    var greatest = Int.min

    mutating func add(_ amount: Int) {
      count += 1
      sum += amount
      least = min(least, amount)
      greatest = max(greatest, amount)
    }
  }

  /// Measures totals of all rows, and totals for each of the 50 states. The yardstick is a loop
  /// over an array of structs with a dictionary, which computes the same values.
  static func aggregates(
    _ settings: Settings, in scratch: Scratch, generator: RowGenerator
  ) throws -> [Measurement] {
    let rowCount = settings.rowCount
    try makeStore(at: scratch.path("aggregates"), rowCount: rowCount, generator)
    let store = try open(scratch.path("aggregates"))
    let rows = generator.rows(from: 1, count: rowCount)
    var totals: [Measurement.Sample] = []
    var groups: [Measurement.Sample] = []
    let request = ListRequest<Row>(sortedBy: [.ascending(\.id)])
    for _ in 0..<settings.repetitionCount {
      var expected: [String: HandWrittenTotals] = [:]
      let yardstick = processorTime { expected = totalsByState(of: rows) }
      let total = try processorTime {
        let totals: Totals<Row> = try store.snapshot.aggregate(
          request, .count, .sum(\Row.amount), .average(\Row.amount), .min(\Row.amount),
          .max(\Row.amount))
        precondition("\(totals[.count])" == "\(rowCount)")
      }
      let group = try processorTime {
        let groups: [GroupTotals<Row>] = try store.snapshot.aggregate(
          request, by: \Row.state, .count, .sum(\Row.amount), .average(\Row.amount),
          .min(\Row.amount), .max(\Row.amount))
        precondition(groups.count == expected.count)
      }
      totals.append(Measurement.Sample(ours: total, yardstick: yardstick))
      groups.append(Measurement.Sample(ours: group, yardstick: yardstick))
    }
    try store.closeAndWait()
    scratch.removeFiles()
    return [
      Measurement(
        work: "five totals of \(rowCount) rows", yardstick: "structs and a dictionary",
        unit: "fetch", promise: .none, samples: totals),
      Measurement(
        work: "five totals of \(rowCount) rows for each state",
        yardstick: "structs and a dictionary", unit: "fetch", promise: .atMost(2), samples: groups),
    ]
  }

  private static func totalsByState(of rows: [Row]) -> [String: HandWrittenTotals] {
    var totals: [String: HandWrittenTotals] = [:]
    for row in rows { totals[row.state, default: HandWrittenTotals()].add(row.amount) }
    return totals
  }
}
