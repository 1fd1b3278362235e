/// A simulation of one server to which many logs append, event by event.
///
/// ```
///   a save ─▶ its log is idle? ─▶ processor ─▶ lock of NOTIFY ─▶ write-ahead log ─▶ acknowledged
///               │ no                             (if it notifies)   (one sync for     │
///               └─▶ the next group of the log                        all that wait)   ▼
///                                              followers read ◀─ processor ◀─ sessions that listen
/// ```
///
/// - A log has one append in flight. Saves that arrive meanwhile form its next group. If a second
///   replica has tried to append meanwhile, the server also executes an insert that fails and a
///   read.
/// - PostgreSQL orders notifications by a lock. A commit that notifies keeps it while it syncs and
///   waits for the standby. So these commits do not share syncs.
/// - Up to version 18, a notification wakes every session of the database that listens, on any
///   channel.
struct SaveSimulation {
  /// The results of a simulation.
  struct Outcome {
    /// The times of all saves, in seconds, in ascending order.
    var saves: [Double]
    /// The times from a commit to the end of each follower's read, in seconds, in ascending order.
    var follows: [Double]
    /// The shares of the time in which each resource worked.
    var processorShare = 0.0
    var lockShare = 0.0
    var flushShare = 0.0
    /// A Boolean value that indicates whether the server executed all saves soon after the end.
    var isDrained = true
  }

  private enum Event {
    case save(log: Int)
    case end(Job)
    case flushed
    case committed(log: Int)
    case poll(process: Int)
  }

  private enum Job {
    case append(log: Int)
    /// Work that nothing waits for.
    case other
    /// The work of all sessions that listen, for one notification. The reads of the followers start
    /// after it.
    case wake(commitTime: Double)
    case read(commitTime: Double)
  }

  /// An append between its start and its commit.
  private struct Flight {
    var arrivals: [Double]
    var waiting: [Double] = []
  }

  private let figures: ServerFigures
  private let arrangement: Arrangement
  private let listenerCount: Int
  private var events = EventQueue<Event>()
  private var processors: Processors<Job>
  private var flights: [Int: Flight] = [:]
  private var lastNotification: [Int: Double] = [:]
  private var random: UInt64
  private var now = 0.0

  /// The log whose append has the lock of `NOTIFY`; nil if none has it.
  private var lockOwner: Int?
  private var lockQueue: [Int] = []
  private var firstInLockQueue = 0
  private var lockSeconds = 0.0
  private var lockTime = 0.0

  private var flushing: [Int] = []
  private var flushQueue: [Int] = []
  private var flushSeconds = 0.0
  /// The commit times of the groups that each process reads next.
  private var unread = [[Double]](repeating: [], count: LoadAssumptions.processCount)

  private var outcome = Outcome(saves: [], follows: [])

  /// The shortest time between two notifications of a log, as in `PostgresLog`.
  private static let notificationInterval = 5e-3

  init(
    _ figures: ServerFigures, arrangement: Arrangement, logCount: Int, seed: UInt64
  ) {
    self.figures = figures
    self.arrangement = arrangement
    listenerCount = arrangement.listenerCount(logCount: logCount)
    processors = Processors(count: figures.processorCount)
    random = seed
  }

  /// Simulates a number of logs for a number of seconds.
  static func run(
    _ figures: ServerFigures, arrangement: Arrangement, logCount: Int, seconds: Double
  ) -> Outcome {
    let ownCount = max(1, logCount / arrangement.serverCount)
    var simulation = SaveSimulation(
      figures, arrangement: arrangement, logCount: ownCount, seed: 2026)
    return simulation.run(logCount: ownCount, seconds: seconds)
  }

  private mutating func run(logCount: Int, seconds: Double) -> Outcome {
    let rate =
      Double(logCount * LoadAssumptions.replicaCount) / LoadAssumptions.saveIntervalSeconds
    for _ in 0..<Int(rate * seconds) {
      let time = uniform() * seconds
      events.insert(.save(log: drawLog(of: logCount)), at: time)
    }
    if !arrangement.notifies {
      let count = Double(LoadAssumptions.processCount)
      for process in 0..<LoadAssumptions.processCount {
        events.insert(
          .poll(process: process), at: arrangement.pollSeconds * Double(process) / count)
      }
    }
    let limit = seconds * 1.5
    while let (time, event) = events.removeFirst() {
      now = time
      if now > limit {
        outcome.isDrained = flights.isEmpty
        break
      }
      handle(event, until: seconds)
    }
    outcome.processorShare = processors.busySeconds / Double(figures.processorCount) / seconds
    outcome.lockShare = lockSeconds / seconds
    outcome.flushShare = flushSeconds / seconds
    outcome.saves.sort()
    outcome.follows.sort()
    return outcome
  }

  // MARK: Random numbers

  private mutating func uniform() -> Double {
    Double(RowGenerator.next(&random) >> 11) / Double(1 << 53)
  }

  /// Returns the number of a log. Log 2n is used about half as often as log n: each group of logs
  /// between two powers of two has the same load.
  private mutating func drawLog(of count: Int) -> Int {
    let groupCount = count.bitWidth - count.leadingZeroBitCount
    let first = 1 << (Int(RowGenerator.next(&random) >> 1) % groupCount)
    let last = min(count, 2 * first - 1)
    return first + Int(RowGenerator.next(&random) >> 1) % (last - first + 1)
  }

  // MARK: Events

  private mutating func handle(_ event: Event, until end: Double) {
    switch event {
    case .save(let log):
      if flights[log] != nil {
        flights[log]?.waiting.append(now)
      } else {
        begin(log, arrivals: [now])
      }
    case .end(let job):
      if let next = processors.end() { events.insert(.end(next.job), at: now + next.seconds) }
      handle(job)
    case .flushed: endFlush()
    case .committed(let log): commit(log)
    case .poll(let process):
      // One statement finds the logs with new groups, and one for each of them reads the groups.
      start(.other, seconds: figures.readSeconds)
      for time in unread[process] { start(.read(commitTime: time), seconds: figures.readSeconds) }
      unread[process] = []
      if now < end + arrangement.pollSeconds {
        events.insert(.poll(process: process), at: now + arrangement.pollSeconds)
      }
    }
  }

  private mutating func start(_ job: Job, seconds: Double) {
    guard let (job, seconds) = processors.add(job, seconds: seconds) else { return }
    events.insert(.end(job), at: now + seconds)
  }

  private mutating func begin(_ log: Int, arrivals: [Double]) {
    flights[log] = Flight(arrivals: arrivals)
    start(.append(log: log), seconds: figures.appendSeconds)
  }

  private mutating func handle(_ job: Job) {
    switch job {
    case .append(let log):
      if arrangement.notifies, now >= (lastNotification[log] ?? -1) + Self.notificationInterval {
        lastNotification[log] = now
        lockQueue.append(log)
        takeLock()
      } else {
        addToFlush(log)
      }
    case .other: break
    case .wake(let commitTime):
      for _ in 0..<arrangement.readCount {
        start(.read(commitTime: commitTime), seconds: figures.readSeconds)
      }
    case .read(let commitTime):
      outcome.follows.append(now - commitTime + 2 * LoadAssumptions.networkSeconds)
    }
  }

  // MARK: The lock of notifications, and the write-ahead log

  private mutating func takeLock() {
    guard lockOwner == nil, firstInLockQueue < lockQueue.count else { return }
    let log = lockQueue[firstInLockQueue]
    firstInLockQueue += 1
    lockOwner = log
    lockTime = now
    addToFlush(log)
  }

  private mutating func addToFlush(_ log: Int) {
    flushQueue.append(log)
    if flushing.isEmpty { beginFlush() }
  }

  private mutating func beginFlush() {
    swap(&flushing, &flushQueue)
    guard !flushing.isEmpty else { return }
    flushSeconds += figures.flushSeconds
    events.insert(.flushed, at: now + figures.flushSeconds)
  }

  private mutating func endFlush() {
    let logs = flushing
    flushing = []
    for log in logs {
      events.insert(.committed(log: log), at: now + figures.standbySeconds)
    }
    if flushing.isEmpty { beginFlush() }
  }

  private mutating func commit(_ log: Int) {
    guard let flight = flights.removeValue(forKey: log) else {
      preconditionFailure("no append of log \(log) is in flight")
    }
    for arrival in flight.arrivals {
      outcome.saves.append(now - arrival + 2 * LoadAssumptions.networkSeconds)
    }
    if lockOwner == log {
      lockSeconds += now - lockTime
      lockOwner = nil
      takeLock()
      wakeListeners()
    } else if arrangement.notifies {
      // A read after the next notification of the log returns this group too.
      start(.read(commitTime: now), seconds: figures.readSeconds)
    } else {
      for _ in 0..<arrangement.readCount {
        let process = Int(RowGenerator.next(&random) >> 1) % unread.count
        unread[process].append(now)
      }
    }
    guard !flight.waiting.isEmpty else { return }
    start(.other, seconds: figures.appendSeconds + figures.readSeconds)
    begin(log, arrivals: flight.waiting)
  }

  /// Starts the work of all sessions that listen. It is divided evenly among the processors.
  private mutating func wakeListeners() {
    let jobCount = min(listenerCount, processors.count)
    guard jobCount > 0 else { return }
    let seconds = figures.wakeSeconds * Double(listenerCount) / Double(jobCount)
    for job in 0..<jobCount {
      start(job == jobCount - 1 ? .wake(commitTime: now) : .other, seconds: seconds)
    }
  }
}
