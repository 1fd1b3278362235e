/// A simulation of the connections after an outage: all clients of a server connect again at once.
///
/// The server starts one process for each connection immediately, so all new connections share the
/// processors. Each needs the same processor time. A client gives up after a time limit and tries
/// again after a pause, whose limit doubles up to a maximum.
struct StormSimulation {
  /// The pauses between the attempts of a client.
  struct Pauses {
    var name: String
    /// The limit of the pause after the first failure.
    var firstSeconds = 0.05
    /// The limit of all pauses.
    var lastSeconds: Double
    /// The smallest part of the limit that a pause has. The rest is random.
    var leastPart: Double

    /// Pauses without a random part.
    static let equal = Pauses(name: "equal pauses up to 2 s", lastSeconds: 2, leastPart: 1)
    /// The pauses of `PostgresLog`.
    static let own = Pauses(name: "random pauses up to 2 s", lastSeconds: 2, leastPart: 0.5)
    static let long = Pauses(
      name: "random pauses up to 40 s", firstSeconds: 1, lastSeconds: 40, leastPart: 0)
    static let all = [equal, own, long]
  }

  struct Outcome {
    /// The time until the last client is connected, in seconds; nil if the simulation ended before.
    var seconds: Double?
    /// The number of attempts of a client, on average.
    var attemptCount: Double
  }

  private struct Attempt {
    var client: Int
    var startTime: Double
    /// The work of one attempt, after this attempt started, at which it is done. See `work`.
    var doneWork: Double
  }

  private let figures: ServerFigures
  private let pauses: Pauses
  private var random: UInt64 = 2026
  private var now = 0.0
  /// The processor time that an attempt which started at time 0 would have got.
  private var work = 0.0
  private var starts = EventQueue<Int>()
  private var attempts: [Attempt] = []
  /// The index of the oldest attempt in progress. As all attempts need the same work and have the
  /// same time limit, the oldest is the first that ends.
  private var oldest = 0
  private var failureCounts: [Int]
  private var connectedCount = 0

  /// The time limit of an attempt, which is the default of `PostgresLog`.
  static let limitSeconds = 5.0
  /// The simulated time after which the server counts as blocked.
  static let endSeconds = 120.0

  private init(_ figures: ServerFigures, clientCount: Int, pauses: Pauses) {
    self.figures = figures
    self.pauses = pauses
    failureCounts = [Int](repeating: 0, count: clientCount)
  }

  /// Simulates a number of clients that all connect within 50 milliseconds.
  static func run(_ figures: ServerFigures, clientCount: Int, pauses: Pauses) -> Outcome {
    var storm = StormSimulation(figures, clientCount: clientCount, pauses: pauses)
    for client in 0..<clientCount { storm.starts.insert(client, at: storm.uniform() * 0.05) }
    while storm.connectedCount < clientCount, storm.now < endSeconds { storm.step() }
    return Outcome(
      seconds: storm.connectedCount == clientCount ? storm.now : nil,
      attemptCount: Double(storm.attempts.count) / Double(clientCount))
  }

  private mutating func uniform() -> Double {
    Double(RowGenerator.next(&random) >> 11) / Double(1 << 53)
  }

  private var activeCount: Int { attempts.count - oldest }

  /// The processor time that each attempt in progress gets in a second.
  private var speed: Double {
    activeCount == 0 ? 0 : min(1, Double(figures.processorCount) / Double(activeCount))
  }

  /// Advances to the next event: a start, an end or a time limit.
  private mutating func step() {
    let startTime = starts.nextTime ?? .infinity
    guard activeCount > 0 else {
      begin(at: startTime)
      return
    }
    let attempt = attempts[oldest]
    let doneTime = now + max(0, attempt.doneWork - work) / speed
    let limitTime = max(now, attempt.startTime + Self.limitSeconds)
    if startTime < min(doneTime, limitTime) {
      begin(at: startTime)
      return
    }
    advance(to: min(doneTime, limitTime))
    oldest += 1
    if doneTime <= limitTime {
      connectedCount += 1
    } else {
      retry(attempt.client)
    }
  }

  private mutating func advance(to time: Double) {
    work += (time - now) * speed
    now = time
  }

  private mutating func begin(at time: Double) {
    advance(to: time)
    guard let (_, client) = starts.removeFirst() else { preconditionFailure("no client is left") }
    attempts.append(
      Attempt(client: client, startTime: now, doneWork: work + figures.connectSeconds))
  }

  private mutating func retry(_ client: Int) {
    var limit = pauses.firstSeconds
    for _ in 0..<min(failureCounts[client], 10) { limit = min(pauses.lastSeconds, limit * 2) }
    failureCounts[client] += 1
    let part = pauses.leastPart + (1 - pauses.leastPart) * uniform()
    starts.insert(client, at: now + limit * part)
  }
}
