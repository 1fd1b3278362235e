#if Postgres
  import DaybookJournal
  import DaybookPlatform
  import DaybookTesting
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "Connections that end", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct PostgresConnectionServerTests {
    private func server() throws -> PostgresServer { try PostgresServer.shared.get() }

    /// The number of sessions that wait for a lock of a row or of a transaction.
    private let waitingCount = """
      select count(*) from pg_stat_activity where wait_event_type = 'Lock' \
      and query like '%insert into daybook.groups%'
      """
    /// The number of sessions that wait for a standby at their commit.
    private let committingCount =
      "select count(*) from pg_stat_activity where wait_event = 'SyncRep'"

    private func isUnknown(_ text: String) -> Bool {
      text.contains("did not answer an append, which may be in the log or not")
    }

    @Test func `a log obeys the laws of shared logs over crashes of its server`() async throws {
      let server = try PostgresServer()
      let names = NameMaker()
      try await checkConformance(
        of: { server.log(names.next("crashes")) },
        connecting: { PostgresLog(server.url(), name: $0.baseName) },
        restarting: { _ in
          try server.crash()
          try server.start()
        }, options: ConformanceOptions(seed: 1, roundCount: FaultRow.count(5, full: 200, least: 1)))
    }

    @Test func `an append whose connection is cut at any byte is resolved by a second one`()
      async throws
    {
      let server = try server()
      let relay = try Relay(toPort: server.port)
      defer { relay.close() }
      let log = PostgresLog(
        "postgres://admin@127.0.0.1:\(relay.port)/postgres", name: "cut",
        options: PostgresOptions(notifiesFollowers: false))
      var groups = try await log.fill(2)

      // The bytes of one append, after the statement was prepared.
      relay.set(nil)
      groups.append(.after(groups[2].end))
      _ = try await log.append(groups[3])
      let counts = (
        toServer: relay.passedByteCount(.toServer), toClient: relay.passedByteCount(.toClient)
      )
      #expect(counts.toServer > 100 && counts.toClient > 20)

      let faults =
        stride(from: 0, through: counts.toServer, by: 7).map {
          Relay.Fault.cut(.toServer, afterByteCount: $0)
        }
        + stride(from: 0, through: counts.toClient, by: 5).map {
          Relay.Fault.cut(.toClient, afterByteCount: $0)
        }
      var unknownCount = 0
      for fault in faults {
        guard let last = groups.last else { return }
        let group = FrameGroup.after(last.end)
        groups.append(group)
        // The session is open, and its statement is prepared.
        _ = try await log.appendUntilKnown(last)
        relay.set(fault)
        let first = await sentence { try await log.append(group) }
        if isUnknown(first) { unknownCount += 1 }
        #expect(
          isUnknown(first) || first.contains("appended(serverCount: 1)"), "\(fault): \(first)")
        relay.set(nil)
        let second = try await log.appendUntilKnown(group)
        #expect(second == .appended(serverCount: 1), "\(fault)")
      }
      #expect(unknownCount > faults.count / 2)
      #expect(try await server.log("cut").readAll() == groups)
    }

    @Test func `an append whose backend is terminated before the commit is resolved`() async throws
    {
      // The test ends sessions that wait, so no other test uses the server.
      let server = try PostgresServer()
      let log = server.log("terminated")
      let groups = try await log.fill(1)
      let rival = FrameGroup.after(groups[1].end, seed: 1)
      for isRivalCommitted in [false, true] {
        // An uncommitted row of a different session blocks the append.
        let session = try server.session()
        try session.executeAll("begin")
        _ = try session.execute(
          .appendQuietly,
          with: [
            .text("terminated"), .number(rival.first), .number(rival.next),
            .check(rival.previousChecksum), .check(rival.checksum), .bytes(rival.bytes),
            .check(rival.nonce),
          ])
        let group = FrameGroup.after(groups[1].end, seed: 2)
        let append = Task { await sentence { try await log.append(group) } }
        try await server.wait(for: waitingCount, toBe: 1)
        try server.sql(
          """
          select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' \
          and query like '%insert into daybook.groups%'
          """)
        #expect(
          await append.value == """
            The log \(log.name) did not answer an append, which may be in the log or not: \
            terminating connection due to administrator command.
            """)
        try session.executeAll(isRivalCommitted ? "commit" : "rollback")
        if isRivalCommitted {
          #expect(try await log.append(group) == .conflict)
        } else {
          #expect(try await log.append(group) == .appended(serverCount: 1))
          try server.sql(
            "delete from daybook.groups where first = \(group.first) and log = "
              + "(select id from daybook.logs where name = 'terminated')")
        }
      }
      #expect(try await log.readAll() == groups + [rival])
    }

    @Test func `a server that crashes while an append waits leaves it unknown`() async throws {
      let server = try PostgresServer()
      let log = server.log("crash")
      let groups = try await log.fill(1)
      let session = try server.session()
      try session.executeAll(
        "begin; select pg_advisory_xact_lock(\(LockKeys.classID), hashtext('crash'))")
      let group = FrameGroup.after(groups[1].end)
      let append = Task { await sentence { try await log.append(group) } }
      try await server.wait(for: PostgresServer.lockCount(of: "crash", isGranted: false), toBe: 1)
      try server.crash()
      #expect(isUnknown(await append.value))
      let refused = await sentence { try await log.append(group) }
      #expect(refused.hasPrefix("The log \(log.name) cannot be reached: connection to server at"))
      #expect(refused.contains("Connection refused"))
      try server.start()
      #expect(try await log.appendUntilKnown(group) == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups + [group])
    }

    @Test func `a log connects again after a restart of the server, and hints go on`()
      async throws
    {
      let server = try PostgresServer()
      let (log, other) = (server.log("restart"), server.log("restart"))
      let changes = other.changes()
      var iterator = changes.makeAsyncIterator()
      _ = await iterator.next()
      var groups = try await log.fill(1)
      for _ in 0..<2 {
        server.stop()
        try server.start()
        // The end of the connection has arrived, so the append is sent on a new one.
        groups.append(.after(groups[groups.count - 1].end))
        #expect(try await log.append(groups[groups.count - 1]) == .appended(serverCount: 1))
        while try await other.head() != groups.last?.end { _ = await iterator.next() }
      }
      #expect(try await other.readAll() == groups)
    }

    @Test func `a warning at the commit leaves the outcome unknown`() async throws {
      let server = try PostgresServer()
      try await setStandbys("nobody", on: server)
      let log = server.log("warning")
      let first = Task { await sentence { try await log.append(.header()) } }
      try await server.wait(for: committingCount, toBe: 1)
      // A row that waits for a standby is not visible.
      #expect(try await server.log("warning").head() == nil)
      try server.sql(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")
      #expect(
        await first.value == """
          The log \(log.name) did not answer an append, which may be in the log or not: the server \
          warned at the commit: canceling wait for synchronous replication due to user request.
          """)
      #expect(try await server.log("warning").head() == FrameGroup.header().end)

      // The second append finds the row, and waits for the standby too.
      let second = Task { await sentence { try await log.append(.header()) } }
      try await server.wait(for: committingCount, toBe: 1)
      try server.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")
      #expect(isUnknown(await second.value))
      let third = Task { try await log.append(.header()) }
      try await server.wait(for: committingCount, toBe: 1)
      try await setStandbys("", on: server)
      #expect(try await third.value == .appended(serverCount: 2))
      #expect(try await log.append(.header()) == .appended(serverCount: 1))
    }

    /// Changes the standbys that commits wait for, and waits until sessions see the change.
    private func setStandbys(_ names: String, on server: PostgresServer) async throws {
      let session = try server.session()
      try session.execute("alter system set synchronous_standby_names = '\(names)'")
      try session.execute("select pg_reload_conf()")
      try await server.wait(
        for: "select count(*) from pg_settings where name = 'synchronous_standby_names' "
          + "and setting = '\(names)'", toBe: 1)
    }

    @Test func `a silent host before the right one costs its time limit once`() async throws {
      let server = try server()
      let relay = try Relay(toPort: server.port)
      defer { relay.close() }
      relay.set(.silence)
      let log = PostgresLog(
        "postgres://admin@127.0.0.1:\(relay.port),127.0.0.1:\(server.port)/postgres?connect_timeout=2",
        name: "silent host")
      #expect(try await log.head() == nil)
      // One connection, and one request without an answer.
      #expect(relay.roundTripCount == 2)
    }

    @Test func `a log knows the time of its server after it has connected`() async throws {
      let server = try server()
      let log = server.log("time")
      #expect(log.serverTime == nil)
      func now() throws -> Int64 {
        try server.session().execute("select extract(epoch from clock_timestamp())::bigint")
          .integer(row: 0, column: 0)
      }
      let before = try now()
      #expect(try await log.head() == nil)
      let time = try #require(log.serverTime).nanoseconds / 1_000_000_000
      #expect(try before - 1 <= time && time <= now() + 1)
    }

    @Test func `a pooler that divides its connections is named`() {
      let connector = PostgresConnector(
        log: "banks",
        address: Result { () throws(PostgresAddress.Defect) in
          try PostgresAddress("postgres://127.0.0.1/app")
        }, options: PostgresOptions(), gate: ConnectionGate())
      for state in [SQLState.duplicateStatement, SQLState.unknownStatement] {
        let error = connector.notSent(.refused(state: state, message: "prepared statement"))
        #expect(
          "\(error)" == """
            The log banks at postgres://127.0.0.1/app cannot be used: a pooler gives its connections \
            to several clients in turn. Connect without the pooler, or set its mode to session.
            """)
      }
    }

    @Test func `a server that stays silent leaves an append unknown after the time limit`()
      async throws
    {
      let server = try server()
      let relay = try Relay(toPort: server.port)
      defer { relay.close() }
      // The relay is listed first, as a former primary can be.
      let log = PostgresLog(
        "postgres://admin@127.0.0.1:\(relay.port),127.0.0.1:\(server.port)/postgres",
        name: "stale",
        options: PostgresOptions(timeLimit: .seconds(3), notifiesFollowers: false))
      var groups = try await log.fill(1)
      groups.append(.after(groups[1].end))
      relay.set(.silence)
      #expect(
        await sentence { try await log.append(groups[2]) } == """
          The log \(log.name) did not answer an append, which may be in the log or not: the server \
          did not react for 3.0 seconds.
          """)
      // The next call takes the next host.
      #expect(try await log.appendUntilKnown(groups[2]) == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups)
      #expect(relay.passedByteCount(.toServer) == 0)
    }

    @Test func `closing a log ends an append that waits`() async throws {
      let server = try server()
      let log = server.log("interrupted")
      let groups = try await log.fill(1)
      let session = try server.session()
      try session.executeAll(
        "begin; select pg_advisory_xact_lock(\(LockKeys.classID), hashtext('interrupted'))")
      let append = Task { await sentence { try await log.append(.after(groups[1].end)) } }
      try await server.wait(
        for: PostgresServer.lockCount(of: "interrupted", isGranted: false), toBe: 1)
      await log.close()
      #expect(
        await append.value == """
          The log \(log.name) did not answer an append, which may be in the log or not: the log \
          was closed.
          """)
      try session.executeAll("rollback")
    }

    @Test func `a server that cannot be reached is unavailable`() async throws {
      let log = PostgresLog("postgres://admin:hush@127.0.0.1:1/postgres", name: "nowhere")
      let expected = """
        The log nowhere at postgres://127.0.0.1:1/postgres cannot be reached: connection to server \
        at "127.0.0.1", port 1 failed: Connection refused.
        """
      #expect(await sentence { try await log.head() } == expected)
      #expect(await sentence { try await log.append(.header()) } == expected)
    }
  }
#endif
