import Daybook
import DaybookJournal
import DaybookResults
import DaybookStore

/// Checks that stores that share a log keep their promises.
///
/// ```swift
/// try await checkStores(sharing: { MyLog() }, connecting: { $0.connect() })
/// ```
///
/// Each round opens a store on each of several machines. The machines are simulated disks with
/// clocks that differ. Tasks of all machines save at the same time, with faults between the stores
/// and the log; stores close and open again, and machines lose their power. Then these laws hold:
///
/// - Each acknowledged save is in the history of all stores exactly once, and no refused save is.
/// - A save is refused only by a conflict or because the log cannot be reached.
/// - All replicas contain the header and the frames of the log, byte for byte.
/// - A live list performed exact differences, and shows what a new store fetches.
///
/// - Parameters:
///   - make: A closure that returns a new, empty log.
///   - connecting: A closure that returns a further connection to a log.
///   - restarting: A closure that stops the server of a log without a warning, and starts it again
///     or promotes a different server. The machines save meanwhile. The closure returns when a new
///     connection can be made. Its parameter is a connection from before. Without this closure, the
///     check does not restart the server.
///   - options: The seed and the extent of the check. The number of writers is that of machines.
/// - Throws: `ConformanceProblem` if a law does not hold; the errors of the closures, and of
///   stores after the faults have ended
public func checkStores<Log: SharedLog>(
  sharing make: @escaping @Sendable () async throws -> Log,
  connecting: @escaping @Sendable (Log) async throws -> Log,
  restarting: (@Sendable (Log) async throws -> Void)? = nil,
  options: ConformanceOptions = ConformanceOptions()
) async throws {
  for number in 0..<options.roundCount {
    let round = ConformanceRound(options: options, number: number)
    let log = try await make()
    var history = StoreHistory(round: round, connect: { try await connecting(log) })
    if let restarting { history.restart = { try await restarting(log) } }
    do { try await history.check() } catch {
      await log.close()
      throw error
    }
    await log.close()
  }
}

/// The stores of one round, which share one log.
struct StoreHistory: Sendable {
  /// The number of phases of each machine. After a restart, there are further phases.
  private static let phaseCount = 12
  private static let phaseCountAfterRestart = 6

  let round: ConformanceRound
  /// Returns a connection without faults.
  let connect: @Sendable () async throws -> any SharedLog
  /// Restarts the server; nil if the check must not do so.
  var restart: (@Sendable () async throws -> Void)?

  func check() async throws {
    var random = round.random(20)
    var machines = (0..<round.options.writerCount).map { number in
      StoreMachine(
        number: number, round: round, random: SplitMix64(seed: random.next()), connect: connect)
    }
    let end = StoreHistory.phaseCount
    try await run(&machines, phases: 0..<end)
    if restart != nil {
      try await run(&machines, phases: end..<end + StoreHistory.phaseCountAfterRestart)
    }
    try await checkEnd(of: machines)
  }

  /// Runs phases of all machines at the same time. In the middle of the first phases, the first
  /// machine restarts the server, while the others go on.
  private func run(_ machines: inout [StoreMachine], phases: Range<Int>) async throws {
    let all = machines
    machines = try await withThrowingTaskGroup(of: StoreMachine.self) { tasks in
      for machine in all {
        let restart = machine.number == 0 ? restart : nil
        tasks.addTask {
          var machine = machine
          try await machine.run(phases: phases) { phase in
            if phase == StoreHistory.phaseCount / 2 { try await restart?() }
          }
          return machine
        }
      }
      return try await tasks.reduce(into: []) { $0.append($1) }
    }
    machines.sort { $0.number < $1.number }
  }

  /// Opens all stores again without faults, and compares them.
  private func checkEnd(of machines: [StoreMachine]) async throws {
    let fresh = StoreMachine(
      number: machines.count, round: round, random: round.random(21), connect: connect)
    let all = machines + [fresh]
    var stores: [Store] = []
    for machine in all {
      stores.append(try await machine.openStore(sharing: try await connect()))
    }
    for store in stores { try await store.pull() }
    let markers = try MarkerList(stores[machines.count])
    let hasSaved = machines.contains { machine in
      machine.outcomes.values.contains { if case .saved = $0 { true } else { false } }
    }
    if !hasSaved {
      throw round.problem(.reply, explanation: "No save of any machine succeeded.")
    }
    for machine in machines { try markers.check(machine.outcomes, round: round) }
    let count = try stores[0].snapshot.object(SharedEntry.self, id: 0)?.count ?? 0
    let incrementCount = markers.all.keys.count { $0.hasSuffix("+") }
    if count != incrementCount {
      throw round.problem(
        .replicas,
        explanation: """
          The counter is \(count), but the history contains \(incrementCount) transactions that add 1 to it.
          """)
    }
    let expected = try stores[machines.count].snapshot.fetch(SharedEntry.list).text { $0.text }
    for (machine, store) in zip(all, stores) {
      let found = try store.snapshot.fetch(SharedEntry.list).text { $0.text }
      if found != expected {
        throw round.problem(
          .lists,
          explanation: """
            The list of machine \(machine.number) is not the list of a store that has read the whole log. \
            Expected:
            \(expected)
            Found:
            \(found)
            """)
      }
    }
    try checkLaws(of: SharedEntry.list, over: stores[0])
    for store in stores { try await store.close() }
    try await checkReplicas(of: all, over: try await connect())
  }

  private func checkReplicas(of machines: [StoreMachine], over log: any SharedLog) async throws {
    let bytes = try await round.contents(of: log).flatMap(\.bytes)
    await log.close()
    for machine in machines {
      let replica = machine.replica
      if let offset = zip(replica, bytes).enumerated().first(where: { $1.0 != $1.1 })?.offset {
        throw round.problem(
          .replicas,
          explanation: """
            The replica of machine \(machine.number) differs from the log at byte \(offset) of the header page \
            and the frames.
            """)
      }
      if replica.count < bytes.count || replica[bytes.count...].contains(where: { $0 != 0 }) {
        throw round.problem(
          .replicas,
          explanation: """
            The replica of machine \(machine.number) does not end where the log ends, at byte \(bytes.count) of \
            the header page and the frames.
            """)
      }
    }
  }
}

/// The markers of all transactions in a history.
private struct MarkerList {
  var all: [String: SequenceNumber] = [:]
  private var repeated: String?

  init(_ store: Store) throws {
    var transactions = try store.transactions(from: 1)
    while let transaction = try transactions.next() {
      guard let marker = transaction.metadata.correlation else { continue }
      if all[marker] != nil { repeated = marker }
      all[marker] = transaction.sequence
    }
  }

  /// Compares the outcomes of one machine with the history.
  func check(_ outcomes: [String: SaveOutcome], round: ConformanceRound) throws {
    if let repeated {
      throw round.problem(
        .retry, explanation: "The save \(repeated) is in the history twice. A save is applied once."
      )
    }
    for (marker, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
      switch (outcome, all[marker]) {
      case (.saved, nil):
        throw round.problem(
          .durability,
          explanation: "The save \(marker) was acknowledged, but the history does not contain it.")
      case (.saved(let receipt?), let sequence?) where receipt.sequence != sequence:
        throw round.problem(
          .gapFree,
          explanation: """
            The receipt of the save \(marker) has the number \(receipt.sequence), but its transaction is \
            \(sequence). A receipt has the final number.
            """)
      case (.refused(let why), let sequence?):
        throw round.problem(
          .reply,
          explanation: """
            The save \(marker) was refused, but transaction \(sequence) contains it. The refusal was: \(why)
            """)
      default: break
      }
    }
  }
}

/// The outcome of a save for its caller.
enum SaveOutcome: Sendable {
  case saved(Receipt?)
  case refused(String)
  /// The machine has lost its power before the outcome was known.
  case uncertain
}

/// A record of the stores that share a log. Record 0 is a counter.
struct SharedEntry: Record {
  var id = 0
  var count = 0
  var title = ""
  var group = ""

  static let schema = RecordSchema<SharedEntry>("Entry")
    .attribute("count", at: \.count).attribute("title", at: \.title).attribute("group", at: \.group)

  static let list = ListRequest<SharedEntry>(
    sortedBy: [.ascending(\SharedEntry.group), .descending(\SharedEntry.count)],
    sectionedBy: .by(\SharedEntry.group))

  var text: String { "\(id) \(count) \(title)" }
}
