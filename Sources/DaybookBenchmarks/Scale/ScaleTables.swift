/// The tables of the page *Grow to many machines*, as lines of Markdown. A test compares the page
/// with them.
struct ScaleTables {
  let outcomes: ScaleOutcomes

  /// The server of the detailed tables.
  private var server: ServerFigures { ScaleOutcomes.detailServer }
  private var logCount: Int { ScaleOutcomes.detailLogCount }

  var all: [[String]] { [capacities, load, rates, storms, fanOut] }

  // MARK: Tables

  /// The largest number of logs for each arrangement and server.
  var capacities: [String] {
    ScaleTables.table(
      head: ["arrangement"] + ServerFigures.all.map(\.name),
      rows: zip(Arrangement.all, outcomes.capacities).map { arrangement, capacities in
        [arrangement.name]
          + capacities.map { capacity in
            let limit = capacity.limit.map { "; then the \($0.rawValue)" } ?? " and more"
            return ScaleTables.grouped(capacity.logCount) + limit
          }
      })
  }

  /// The times of saves and of followers with many logs.
  var load: [String] {
    ScaleTables.table(
      head: [
        "arrangement", "sessions of a server", "a save: half, 99 of 100",
        "until a follower has it: half, 99 of 100", "processors in use",
      ],
      rows: zip(Arrangement.all, outcomes.loads).map { arrangement, load in
        let sessions = ScaleTables.grouped(arrangement.connectionCount(logCount: logCount))
        switch load {
        case .exceeds(let limit):
          return [arrangement.name, sessions, "exceeds the \(limit.rawValue)", "–", "–"]
        case .fits(let outcome):
          return [
            arrangement.name, sessions, ScaleTables.halfAndMost(outcome.saves),
            ScaleTables.halfAndMost(outcome.follows), ScaleTables.percent(outcome.processorShare),
          ]
        }
      })
  }

  /// The bytes and other rates with many logs on one server.
  var rates: [String] {
    let arrangement = Arrangement.all[3]
    let saves = ScaleWorkload.saveRate(arrangement, logCount: logCount)
    let logBytes = ScaleWorkload.logByteRate(server, arrangement: arrangement, logCount: logCount)
    let commitSeconds = server.flushSeconds + server.standbySeconds
    let entryBytes = LoadAssumptions.notificationByteCount
    let notifications = 1 / commitSeconds
    let queueHours = LoadAssumptions.notificationQueueByteCount / entryBytes / notifications / 3600
    let rivals = server.rivals
    let deadRows = Double(rivals.attemptCount - rivals.groupCount) / Double(rivals.groupCount)
    let grouped = ScaleTables.grouped
    return ScaleTables.table(
      head: ["rate", "figure", "how it is computed"],
      rows: [
        [
          "saves", "\(grouped(Int(saves))) a second",
          """
          \(grouped(logCount)) logs, \(LoadAssumptions.replicaCount) replicas, a save every \
          \(Int(LoadAssumptions.saveIntervalSeconds)) seconds
          """,
        ],
        [
          "commits with `NOTIFY`", "at most \(grouped(Int(notifications))) a second",
          "one after the other, each \(ScaleTables.milliseconds(commitSeconds))",
        ],
        [
          "write-ahead log", "\(ScaleTables.megabytes(logBytes)) a second",
          """
          \(Int(server.appendLogByteCount)) bytes a save, and after each checkpoint one image of \
          each changed page
          """,
        ],
        [
          "table and indexes",
          "\(ScaleTables.gigabytes(saves * server.groupByteCount * 86_400)) a day",
          "\(Int(server.groupByteCount)) bytes a save of one change",
        ],
        [
          "dead rows, if \(rivals.machineCount) machines write to one log",
          "\(ScaleTables.tenths(deadRows)) for each group",
          """
          measured: \(grouped(rivals.attemptCount)) attempts for \(grouped(rivals.groupCount)) groups
          """,
        ],
        [
          "time until the queue of `NOTIFY` is full", "\(Int(queueHours)) hours",
          "8 GB of \(Int(entryBytes)) bytes each, if one session never reads",
        ],
      ])
  }

  /// The time until all clients are connected after an outage.
  var storms: [String] {
    func time(_ outcome: StormSimulation.Outcome) -> String {
      guard let seconds = outcome.seconds else {
        return "not within \(Int(StormSimulation.endSeconds)) s"
      }
      return """
        \(ScaleTables.tenths(seconds)) s, \(ScaleTables.tenths(outcome.attemptCount)) attempts each
        """
    }
    return ScaleTables.table(
      head: ["clients"] + StormSimulation.Pauses.all.map(\.name),
      rows: outcomes.storms.map { count, outcomes in
        [ScaleTables.grouped(count)] + outcomes.map(time)
      })
  }

  /// The reads of one list with many followers.
  var fanOut: [String] {
    let fedCount = LoadAssumptions.fedCount
    let (rate, grouped) = (LoadAssumptions.changeRate, ScaleTables.grouped)
    return ScaleTables.table(
      head: [
        "followers", "reads a second from the server", "processors for them",
        "levels, if each feeds \(fedCount)", "reads a second from the server",
      ],
      rows: [100, 10_000, 1_000_000].map { count in
        let reads = Double(count) * rate
        let levels = (1...).first { (0..<$0).reduce(1) { n, _ in n * fedCount } >= count }
        return [
          grouped(count), grouped(Int(reads)), ScaleTables.tenths(reads * server.readSeconds),
          "\(levels ?? 0)", grouped(Int(rate)),
        ]
      })
  }

  // MARK: Texts

  private static func table(head: [String], rows: [[String]]) -> [String] {
    ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }
  }

  private static func halfAndMost(_ sorted: [Double]) -> String {
    [0.5, 0.99].map { milliseconds(ScaleWorkload.percentile(of: sorted, share: $0)) }.joined(
      separator: ", ")
  }

  private static func milliseconds(_ seconds: Double) -> String { "\(tenths(seconds * 1000)) ms" }

  private static func megabytes(_ bytes: Double) -> String { "\(tenths(bytes / 1e6)) MB" }

  private static func gigabytes(_ bytes: Double) -> String {
    "\(grouped(Int(bytes / 1e9 + 0.5))) GB"
  }

  private static func percent(_ share: Double) -> String { "\(Int(share * 100 + 0.5)) %" }

  private static func tenths(_ number: Double) -> String {
    let scaled = Int(number * 10 + 0.5)
    return "\(grouped(scaled / 10)).\(scaled % 10)"
  }

  /// Returns a number with commas between groups of three digits.
  private static func grouped(_ number: Int) -> String {
    guard number >= 1000 else { return "\(number)" }
    let rest = String(number % 1000)
    return "\(grouped(number / 1000)),\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}
