/// The tables of the page *Grow to many machines*, as lines of Markdown. A test compares the page
/// with them.
enum ScaleTables {
  static var all: [[String]] { [capacities, load, rates, storms, fanOut] }

  /// The number of logs of the detailed tables.
  private static let logCount = 100_000
  /// The server of the detailed tables: the larger one with a standby.
  private static var server: ServerFigures { ServerFigures.all[2] }

  // MARK: Tables

  /// The largest number of logs for each arrangement and server.
  static var capacities: [String] {
    let servers = ServerFigures.all
    return table(
      head: ["arrangement"] + servers.map(\.name),
      rows: Arrangement.all.map { arrangement in
        [arrangement.name]
          + servers.map { server in
            let capacity = ScaleWorkload.capacity(server, arrangement: arrangement)
            let limit = capacity.limit.map { "; then the \($0.rawValue)" } ?? " and more"
            return grouped(capacity.logCount) + limit
          }
      })
  }

  /// The times of saves and of followers with 100,000 logs.
  static var load: [String] {
    table(
      head: [
        "arrangement", "sessions of a server", "a save: half, 99 of 100",
        "until a follower has it: half, 99 of 100", "processors in use",
      ],
      rows: Arrangement.all.map { arrangement in
        let sessions = grouped(arrangement.connectionCount(logCount: logCount))
        if let limit = ScaleWorkload.limit(server, arrangement: arrangement, logCount: logCount) {
          return [arrangement.name, sessions, "exceeds the \(limit.rawValue)", "–", "–"]
        }
        let outcome = ScaleWorkload.outcome(server, arrangement: arrangement, logCount: logCount)
        return [
          arrangement.name, sessions, halfAndMost(outcome.saves), halfAndMost(outcome.follows),
          percent(outcome.processorShare),
        ]
      })
  }

  /// The bytes and other rates with 100,000 logs on one server.
  static var rates: [String] {
    let arrangement = Arrangement.all[3]
    let saves = ScaleWorkload.saveRate(arrangement, logCount: logCount)
    let logBytes = ScaleWorkload.logByteRate(server, arrangement: arrangement, logCount: logCount)
    let commitSeconds = server.flushSeconds + server.standbySeconds
    let entryBytes = LoadAssumptions.notificationByteCount
    let notifications = 1 / commitSeconds
    let queueHours = LoadAssumptions.notificationQueueByteCount / entryBytes / notifications / 3600
    return table(
      head: ["rate", "figure", "how it is computed"],
      rows: [
        ["saves", "\(grouped(Int(saves))) a second", "100,000 logs, 3 replicas, a save a minute"],
        [
          "commits with `NOTIFY`", "at most \(grouped(Int(notifications))) a second",
          "one after the other, each \(milliseconds(commitSeconds))",
        ],
        [
          "write-ahead log", "\(megabytes(logBytes)) a second",
          """
          \(Int(server.appendLogByteCount)) bytes a save, and after each checkpoint one image of \
          each changed page
          """,
        ],
        [
          "table and indexes", "\(gigabytes(saves * server.groupByteCount * 86_400)) a day",
          "\(Int(server.groupByteCount)) bytes a save of one change",
        ],
        [
          "dead rows, if 8 machines write to one log", "2.9 for each group",
          "measured: 82,800 attempts for 21,300 groups",
        ],
        [
          "time until the queue of `NOTIFY` is full", "\(Int(queueHours)) hours",
          "8 GB of \(Int(entryBytes)) bytes each, if one session never reads",
        ],
      ])
  }

  /// The time until all clients are connected after an outage.
  static var storms: [String] {
    func time(_ outcome: StormSimulation.Outcome) -> String {
      guard let seconds = outcome.seconds else { return "not within 120 s" }
      return "\(tenths(seconds)) s, \(tenths(outcome.attemptCount)) attempts each"
    }
    return table(
      head: ["clients", "pauses of 50 ms to 2 s", "random pauses up to 40 s"],
      rows: ScaleWorkload.storms().map { count, outcomes in
        [grouped(count)] + outcomes.map(time)
      })
  }

  /// The reads of one list with many followers.
  static var fanOut: [String] {
    let changeRate = 10.0
    return table(
      head: [
        "followers", "reads a second from the server", "processors for them",
        "levels, if each feeds 100", "reads a second from the server",
      ],
      rows: [100, 10_000, 1_000_000].map { count in
        let reads = Double(count) * changeRate
        let levels = (1...).first { level in (0..<level).reduce(1) { n, _ in n * 100 } >= count }
        return [
          grouped(count), grouped(Int(reads)), tenths(reads * server.readSeconds),
          "\(levels ?? 0)", grouped(Int(changeRate)),
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
    let whole = Int(number * 10 + 0.5)
    return "\(grouped(whole / 10)).\(whole % 10)"
  }

  /// Returns a number with commas between groups of three digits.
  private static func grouped(_ number: Int) -> String {
    guard number >= 1000 else { return "\(number)" }
    let rest = String(number % 1000)
    return "\(grouped(number / 1000)),\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}
