#if Postgres
  import DaybookJournal
  import DaybookTesting
  import Synchronization
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  /// Engines over real servers that break the laws of shared logs, each in one way.
  @Suite(
    "Wrong engines on real servers", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct WrongPostgresServerTests {
    private var options: ConformanceOptions {
      var options = ConformanceOptions(seed: 1, roundCount: 1)
      options.patience = .seconds(5)
      options.writerCount = 2
      return options
    }

    /// Returns the problem that a check throws.
    private func problem(_ check: () async throws -> Void) async throws -> ConformanceProblem? {
      do {
        try await check()
        return nil
      } catch let problem as ConformanceProblem {
        return problem
      }
    }

    @Test func `a SELECT before the INSERT lets two writers get one number`() async throws {
      let server = try PostgresServer()
      try server.sql(SelectingLog.table)
      let problem = try await problem {
        try await checkConformance(
          of: { try SelectingLog(server) }, connecting: { try $0.connect() }, options: options)
      }
      #expect(problem?.law == .oneWinner)
      let explanation = problem?.explanation ?? ""
      #expect(
        explanation.hasPrefix(
          "Two different groups that start at number 0 were acknowledged, with the checks "))
      #expect(
        explanation.hasSuffix(
          "Of all groups that start at one number, the log must append exactly one."))
    }

    @Test func `an acknowledgement before the commit is on disk loses groups in a crash`()
      async throws
    {
      // The writer of the write-ahead log pauses for longer than the time before the crash.
      let server = try PostgresServer(["wal_writer_delay=10s"])
      let names = NameMaker()
      let query = "options=-c%20synchronous_commit%3Doff"
      let careless = PostgresOptions(allowsLossyServer: true)
      var options = options
      options.roundCount = 5
      let problem = try await problem {
        try await checkConformance(
          of: { ClaimingLog(server.log(names.next("early"), query: query, options: careless)) },
          connecting: {
            ClaimingLog(server.log($0.log.baseName, query: query, options: careless))
          },
          restarting: { _ in
            try server.crash()
            try server.start()
          }, options: options)
      }
      #expect(problem?.law == .durability)
      let rule = "The log must keep each group that it acknowledged."
      #expect(problem?.explanation.hasSuffix(rule) == true, "\(problem as Any)")
    }

    @Test func `a failover to a standby that lacks rows loses groups`() async throws {
      let cluster = try await PostgresCluster(standbyCount: 1, isSynchronous: false)
      cluster.servers[1].stop()
      let names = NameMaker()
      let problem = try await problem {
        try await checkConformance(
          of: { cluster.log(names.next("lossy")) },
          connecting: { cluster.log($0.baseName) },
          restarting: { _ in
            try cluster.primary.crash()
            try cluster.servers[1].start()
            try await cluster.promote(1, followedBy: [])
          }, options: options)
      }
      #expect(problem?.law == .durability)
      let rule = "The log must keep each group that it acknowledged."
      #expect(problem?.explanation.hasSuffix(rule) == true, "\(problem as Any)")
    }
  }

  /// A log that claims that one server has each group on disk.
  private struct ClaimingLog: SharedLog {
    let log: PostgresLog

    init(_ log: PostgresLog) { self.log = log }

    var name: String { log.name }

    func head() async throws(SharedLogError) -> SharedHead? { try await log.head() }

    func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
      let outcome = try await log.append(group)
      return outcome == .appended(serverCount: 0) ? .appended(serverCount: 1) : outcome
    }

    func read(
      from first: SequenceNumber, byteCount: Int
    ) async throws(SharedLogError) -> [FrameGroup] {
      try await log.read(from: first, byteCount: byteCount)
    }

    func changes() -> AsyncStream<Void> { log.changes() }

    func close() async { await log.close() }
  }

  /// A log that reads the head by one statement, and inserts by a second one, into a table without
  /// a unique key, at READ COMMITTED.
  private final class SelectingLog: SharedLog {
    static let table = """
      create table selected (log bigint, first bigint, next bigint, previous_check bigint,
        end_check bigint, nonce bigint, frames bytea);
      create sequence selected_log;
      """

    let name = "selecting"
    private let server: PostgresServer
    private let log: Int64
    private let session: Mutex<PostgresSession?>
    private let meeting: Meeting

    /// The number of appends that have read the head of a log, of two connections.
    private final class Meeting: Sendable {
      let state = Mutex((connectionCount: 0, selectedCount: 0))
    }

    private init(_ server: PostgresServer, log: Int64, meeting: Meeting) throws {
      (self.server, self.log, self.meeting) = (server, log, meeting)
      session = Mutex(try server.session())
    }

    convenience init(_ server: PostgresServer) throws {
      let log = try server.number("select nextval('selected_log')")
      try self.init(server, log: log, meeting: Meeting())
    }

    func connect() throws -> SelectingLog {
      meeting.state.withLock { $0.connectionCount += 1 }
      return try SelectingLog(server, log: log, meeting: meeting)
    }

    func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
      let rows = try await read(from: .zero, byteCount: .max)
      meeting.state.withLock { if $0.connectionCount > 1 { $0.selectedCount += 1 } }
      // Two further connections append at the same time. Then both select before either inserts.
      while meeting.state.withLock({ $0.connectionCount > 1 && $0.selectedCount < 2 }) {
        await Task.yield()
      }
      if let row = rows.first(where: { $0.first == group.first }) {
        return row == group ? .appended(serverCount: 1) : .conflict
      }
      let end = rows.last?.end ?? SharedHead(next: 0, checksum: 0)
      guard group.first == end.next, group.previousChecksum == end.checksum else {
        return .missingPredecessor
      }
      let values: [PostgresValue] = [
        .integer(log), .number(group.first), .number(group.next), .check(group.previousChecksum),
        .check(group.checksum), .check(group.nonce), .bytes(group.bytes),
      ]
      let insert = PostgresStatement(
        name: "insert",
        text: """
          insert into selected values ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint,
            $6::bigint, $7::bytea)
          """)
      _ = try perform { (session) throws(PostgresFailure) in
        try session.execute(insert, with: values).count
      }
      return .appended(serverCount: 1)
    }

    func head() async throws(SharedLogError) -> SharedHead? {
      try await read(from: .zero, byteCount: .max).last?.end
    }

    func read(
      from first: SequenceNumber, byteCount: Int
    ) async throws(SharedLogError) -> [FrameGroup] {
      let select = PostgresStatement(
        name: "select",
        text: """
          select first, next, previous_check, end_check, nonce, frames from selected
          where log = $1::bigint and next > $2::bigint order by next
          """)
      let log = log
      let groups = try perform { (session) throws(PostgresFailure) in
        let rows = try session.execute(select, with: [.integer(log), .number(first)])
        var groups: [FrameGroup] = []
        for row in 0..<rows.count {
          groups.append(
            FrameGroup(
              first: try rows.number(row: row, column: 0),
              next: try rows.number(row: row, column: 1),
              previousChecksum: try rows.check(row: row, column: 2),
              checksum: try rows.check(row: row, column: 3), bytes: rows.bytes(row: row, column: 5),
              nonce: try rows.check(row: row, column: 4)))
        }
        return groups
      }
      var before = 0
      return groups.prefix { group in
        defer { before += group.bytes.count }
        return before == 0 || before < byteCount
      }
    }

    private func perform<Value: Sendable>(
      _ body: @Sendable (PostgresSession) throws(PostgresFailure) -> Value
    ) throws(SharedLogError) -> Value {
      let result = session.withLock { session -> Result<Value, SharedLogError> in
        guard let session else { return .failure(SharedLogError(.closed, log: name)) }
        do throws(PostgresFailure) { return .success(try body(session)) } catch {
          return .failure(SharedLogError(.unavailable(error.text), log: name))
        }
      }
      return try result.get()
    }

    func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    func close() async { session.withLock { $0 = nil } }
  }
#endif
