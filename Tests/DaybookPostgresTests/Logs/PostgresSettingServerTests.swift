#if Postgres
  import DaybookJournal
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "A server that is not fit for a log", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct PostgresSettingServerTests {
    private func server() throws -> PostgresServer { try PostgresServer.shared.get() }

    /// Returns the URL of a new database without tables.
    private func newDatabase(_ name: String, on server: PostgresServer) throws -> String {
      try server.session().execute("create database \(name)")
      return "postgres://admin@127.0.0.1:\(server.port)/\(name)"
    }

    @Test func `a server that does not sync is refused, unless an option allows it`() async throws {
      let server = try PostgresServer(["fsync=off"])
      let log = server.log("sync")
      let expected = """
        The log \(log.name) cannot be used: its setting fsync is off, so a crash of the machine \
        can damage the database. Set it to on, or allow such a server with the option \
        allowsLossyServer.
        """
      #expect(await sentence { try await log.append(.header()) } == expected)
      #expect(await sentence { try await server.log("sync").head() } == expected)
      let careless = server.log("sync", options: PostgresOptions(allowsLossyServer: true))
      #expect(try await careless.append(.header()) == .appended(serverCount: 0))
    }

    @Test(arguments: ["off", "local"])
    func `a session that commits without a sync is refused, unless an option allows it`(
      value: String
    ) async throws {
      let query = "options=-c%20synchronous_commit%3D\(value)"
      let log = try server().log("commit \(value)", query: query)
      #expect(
        await sentence { try await log.append(.header()) } == """
          The log \(log.name) cannot be used: its setting synchronous_commit is \(value), so a \
          crash can lose transactions that were acknowledged. Set it to on, or allow such a server \
          with the option allowsLossyServer.
          """)
      let careless = try server().log(
        "commit \(value)", query: query, options: PostgresOptions(allowsLossyServer: true))
      #expect(
        try await careless.append(.header()) == .appended(serverCount: value == "off" ? 0 : 1))
    }

    @Test func `a database without tables is refused until they are created`() async throws {
      let url = try newDatabase("bare", on: server())
      let log = PostgresLog(url, name: "bare")
      let expected = """
        The log \(log.name) cannot be used: its database contains no tables of Daybook. Create \
        them with `daybook log create`.
        """
      #expect(await sentence { try await log.head() } == expected)
      // Several calls at once create the tables once.
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for _ in 0..<4 { tasks.addTask { try await PostgresLog.createSchema(url) } }
        try await tasks.waitForAll()
      }
      #expect(
        try await PostgresLog(url, name: "bare").append(.header()) == .appended(serverCount: 1))
      try await PostgresLog.createSchema(url)
      #expect(try await PostgresLog(url, name: "bare").head() == FrameGroup.header().end)
    }

    @Test func `tables of a different version are refused`() async throws {
      let url = try newDatabase("versions", on: server())
      try await PostgresLog.createSchema(url)
      let session = try PostgresSession(
        PostgresAddress(url), firstHost: 0, gate: ConnectionGate(), limitMilliseconds: 10_000)
      let advice = [
        2: "Use a newer version of Daybook", 0: "Update them with `daybook log create`",
      ]
      for (version, advice) in advice {
        try session.executeAll("update daybook.schema_version set version = \(version)")
        let log = PostgresLog(url, name: "versions")
        let reason = """
          cannot be used: the tables of Daybook in its database have the version \(version), and \
          this version of Daybook uses the version 1. \(advice).
          """
        #expect(await sentence { try await log.head() } == "The log \(log.name) \(reason)")
        #expect(
          await sentence { try await PostgresLog.createSchema(url) }.hasSuffix(reason))
      }
    }

    @Test func `a server that is read-only is unavailable for appends`() async throws {
      let server = try server()
      let groups = try await server.log("read-only").fill(1)
      let log = server.log("read-only", query: "options=-c%20default_transaction_read_only%3Don")
      #expect(try await log.readAll() == groups)
      #expect(
        await sentence { try await log.append(.after(groups[1].end)) } == """
          The log \(log.name) cannot be reached: the server is a standby or is read-only, so it \
          takes no appends and does not know the head. Add target_session_attrs=read-write to the \
          URL.
          """)
    }

    @Test func `no name and no message contains a password`() async throws {
      let server = try server()
      try server.sql(
        "set password_encryption = 'scram-sha-256'; create role careful login password 'hush-1'")
      try server.sql("grant usage on schema daybook to careful")
      try server.sql("grant select, insert on all tables in schema daybook to careful")
      let right = PostgresLog(
        "postgres://careful:hush-1@127.0.0.1:\(server.port)/postgres", name: "secret")
      #expect(right.name == "secret at postgres://127.0.0.1:\(server.port)/postgres")
      #expect(try await right.append(.header()) == .appended(serverCount: 1))

      let wrong = PostgresLog(
        "postgres://careful:hush-2@127.0.0.1:\(server.port)/postgres", name: "secret")
      #expect(
        await sentence { try await wrong.head() } == """
          The log \(wrong.name) cannot be reached: connection to server at "127.0.0.1", port \
          \(server.port) failed: password authentication failed for user "careful".
          """)
      let broken = PostgresLog("postgres://careful:hu@sh-3@127.0.0.1/postgres", name: "secret")
      #expect(broken.name == "secret")
      #expect(
        await sentence { try await broken.append(.header()) } == """
          The log secret cannot be used: its URL contains an @ after the user's part. In a \
          password, write it as %40, and a slash as %2F.
          """)
    }
  }
#endif
