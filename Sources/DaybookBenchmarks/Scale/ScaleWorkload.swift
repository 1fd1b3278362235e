/// The workload `scale`. It simulates a server with one log for each tenant or list, and reports
/// which resource is exhausted first. It needs no server, and its figures are the same on every
/// machine.
enum ScaleWorkload {
  /// A resource that is exhausted.
  enum Limit: String {
    case sessions = "memory of sessions"
    case lock = "lock of `NOTIFY`"
    case processors = "processors"
    case syncs = "syncs"
    case disk = "bytes of the write-ahead log"
  }

  /// The largest number of logs that an arrangement supports, and the limit of the next number.
  struct Capacity {
    var logCount: Int
    var limit: Limit?
  }

  /// The numbers of logs that are tried, in ascending order.
  static let logCounts =
    [100, 1000, 10_000, 100_000, 1_000_000].flatMap { [$0, 2 * $0, 5 * $0] } + [10_000_000]

  /// The longest times that count as usable, in seconds: 99 of 100 saves, and 99 of 100 changes
  /// until a follower has read them.
  private static let saveSecondsMax = 0.1
  private static let followSecondsMax = 1.0

  /// The largest share of the time in which processors, or the lock, can work. A sync that always
  /// runs is no limit, because each serves all commits that wait.
  private static let shareMax = 0.95

  static func run(_ settings: Settings) throws -> [Measurement] {
    func count(_ work: String, figure: Double, unit: String) -> Measurement {
      Measurement(
        work: work, yardstick: "none", unit: unit, promise: .none,
        samples: [Measurement.Sample(ours: figure, yardstick: 0)], quantity: .count)
    }
    let outcomes = ScaleOutcomes()
    let tables = ScaleTables(outcomes: outcomes).all
    Command.report(tables.map { $0.joined(separator: "\n") }.joined(separator: "\n\n"))
    var measurements: [Measurement] = []
    for (server, figures) in ServerFigures.all.enumerated() {
      for (arrangement, capacities) in zip(Arrangement.all, outcomes.capacities) {
        let capacity = capacities[server]
        let limit = capacity.limit.map { ", then: \($0.rawValue)" } ?? ""
        measurements.append(
          count(
            "\(figures.name): \(arrangement.name)\(limit)", figure: Double(capacity.logCount),
            unit: "server"))
      }
    }
    for (clientCount, outcomes) in outcomes.storms {
      for (pauses, outcome) in zip(StormSimulation.Pauses.all, outcomes) {
        measurements.append(
          count(
            "seconds until \(clientCount) clients are connected again, \(pauses.name)",
            figure: outcome.seconds ?? StormSimulation.endSeconds, unit: "storm"))
      }
    }
    return measurements
  }

  // MARK: The number of logs

  /// Returns the largest number of logs for which no limit is exceeded.
  static func capacity(_ figures: ServerFigures, arrangement: Arrangement) -> Capacity {
    // A larger number of logs never needs less of a resource, so the search is binary.
    var (low, high) = (0, logCounts.count)
    var limit: Limit?
    while low < high {
      let middle = (low + high) / 2
      if let exceeded = self.limit(figures, arrangement: arrangement, logCount: logCounts[middle]) {
        (high, limit) = (middle, exceeded)
      } else {
        low = middle + 1
      }
    }
    return Capacity(logCount: low == 0 ? 0 : logCounts[low - 1], limit: limit)
  }

  /// Returns the first limit that a number of logs exceeds; nil if it exceeds none.
  static func limit(
    _ figures: ServerFigures, arrangement: Arrangement, logCount: Int
  ) -> Limit? {
    let sessionBytes =
      Double(arrangement.connectionCount(logCount: logCount)) * figures.sessionByteCount
    if sessionBytes > figures.memoryByteCount * LoadAssumptions.sessionMemoryShare {
      return .sessions
    }
    if logByteRate(figures, arrangement: arrangement, logCount: logCount)
      > LoadAssumptions.diskByteRate
    {
      return .disk
    }
    let outcome = outcome(figures, arrangement: arrangement, logCount: logCount)
    guard
      !outcome.isDrained || outcome.processorShare > shareMax || outcome.lockShare > shareMax
        || percentile(of: outcome.saves, share: 0.99) > saveSecondsMax
        || percentile(of: outcome.follows, share: 0.99) > followSecondsMax
    else { return nil }
    // While commits wait for the lock, the write-ahead log works for one of them at a time.
    if outcome.lockShare > 0.8, outcome.lockShare > outcome.processorShare { return .lock }
    return outcome.processorShare > outcome.flushShare ? .processors : .syncs
  }

  /// The number of saves a second of a server.
  static func saveRate(_ arrangement: Arrangement, logCount: Int) -> Double {
    Double(logCount * LoadAssumptions.replicaCount) / LoadAssumptions.saveIntervalSeconds
      / Double(arrangement.serverCount)
  }

  /// The number of bytes a second of the write-ahead log of a server.
  static func logByteRate(
    _ figures: ServerFigures, arrangement: Arrangement, logCount: Int
  ) -> Double {
    let saves = saveRate(arrangement, logCount: logCount)
    // Each log has its own pages in the indexes, if it is long.
    let changedLogCount = min(
      Double(logCount / arrangement.serverCount), saves * LoadAssumptions.checkpointSeconds)
    let imageBytes =
      changedLogCount * LoadAssumptions.changedPageCount * LoadAssumptions.pageByteCount
    return saves * figures.appendLogByteCount + imageBytes / LoadAssumptions.checkpointSeconds
  }

  /// Simulates about 3,000 saves, but at least a fifth of a second.
  static func outcome(
    _ figures: ServerFigures, arrangement: Arrangement, logCount: Int
  ) -> SaveSimulation.Outcome {
    let rate = saveRate(arrangement, logCount: logCount)
    return SaveSimulation.run(
      figures, arrangement: arrangement, logCount: logCount, seconds: max(0.2, 3000 / rate))
  }

  /// Returns the figure at a share of sorted figures; 0 if there are none.
  static func percentile(of sorted: [Double], share: Double) -> Double {
    sorted.isEmpty ? 0 : sorted[Int(Double(sorted.count - 1) * share)]
  }
}
