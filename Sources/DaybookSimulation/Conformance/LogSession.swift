import DaybookJournal
import Synchronization

/// A new log with its connections and the history of its appends.
struct LogSession<Log: SharedLog>: Sendable {
  let log: Log
  let history: LogHistory
  let round: ConformanceRound
  let maker: GroupMaker
  /// The random numbers of the law. A law copies the generator, and uses its copy.
  let random: SplitMix64
  private let connecting: (@Sendable (Log) async throws -> Log)?
  private let connections = ConnectionList()

  init(
    _ log: Log, connecting: (@Sendable (Log) async throws -> Log)?, round: ConformanceRound,
    random: SplitMix64
  ) {
    var random = random
    self.log = log
    self.connecting = connecting
    self.round = round
    history = LogHistory(round)
    // Every third log has a base, as the log of a compacted journal.
    let base = random.below(3) == 0 ? 1 + random.next() >> (1 + random.next() % 60) : 0
    maker = GroupMaker(base: SequenceNumber(base), using: &random)
    self.random = random
  }

  /// A client over the first connection.
  var client: LogClient { LogClient(log, history: history, round: round) }

  /// A Boolean value that indicates whether each connection can be closed without the others.
  var hasConnections: Bool { connecting != nil }

  /// Returns a new connection to the log, or the only connection.
  func connect() async throws -> Log {
    guard let connecting else { return log }
    let connection = try await connecting(log)
    connections.append(connection)
    return connection
  }

  /// Returns a client over a new connection.
  func connectClient() async throws -> LogClient {
    LogClient(try await connect(), history: history, round: round)
  }

  /// Appends the group of the header.
  func appendHeader() async throws {
    try await client.append(
      maker.header, expecting: [.appended], law: .empty, because: "the log contains no group")
  }

  func close() async {
    for connection in connections.all { await connection.close() }
    await log.close()
  }
}

private final class ConnectionList: Sendable {
  private let list = Mutex<[any SharedLog]>([])

  var all: [any SharedLog] { list.withLock { $0 } }

  func append(_ connection: any SharedLog) { list.withLock { $0.append(connection) } }
}
