#if Postgres
  import DaybookCLibrary
  import DaybookPlatform
  import TestSupport
  import Testing

  @testable import DaybookPostgres

  /// The commands of the tool for shared logs, and the example of three machines, on real servers.
  @Suite(
    "Tools on several machines", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct SharedToolServerTests {
    private static let folder = "Tests/DaybookPostgresTests/Transcripts"

    /// A primary, and a standby that has each acknowledged commit.
    private func cluster() async throws -> (primary: PostgresServer, standby: PostgresServer) {
      let primary = try PostgresServer()
      let standby = try PostgresServer(standbyOf: primary)
      try primary.session().execute("alter system set synchronous_standby_names = '*'")
      try primary.session().execute("select pg_reload_conf()")
      try await primary.wait(
        for: "select count(*) from pg_stat_replication where sync_state = 'sync'", toBe: 1)
      return (primary, standby)
    }

    private func compare(_ played: [String], with path: String) throws {
      if getenv("DAYBOOK_REWRITE_TRANSCRIPTS") != nil {
        try ProjectFiles.write(Array(played.joined(separator: "\n").utf8), to: path)
      }
      let changes = try played.difference(from: ProjectFiles.lines(path)).map { change in
        switch change {
        case .remove(let offset, let line, _): "\(path):\(offset + 1): missing: \(line)"
        case .insert(let offset, let line, _): "line \(offset + 1) of the output: \(line)"
        }
      }
      #expect(changes.isEmpty, "\(changes.joined(separator: "\n"))")
    }

    /// A recorded session: each command after `$ `, and below it its output. Lines after `! ` change
    /// the cluster. At `! fail over`, the primary is killed, and the standby takes its place.
    @Test(arguments: [
      "three-machines.txt", "refusals.txt", "shortened-log.txt", "forked-log.txt", "moved-log.txt",
      "lost-attribute.txt", "lost-replica.txt", "published-text.txt",
      "locked-replica.txt", "erased-log.txt", "compacted-log.txt", "late-replicas.txt",
    ])
    func `a recorded session of several machines prints the same`(_ name: String) async throws {
      let (primary, standby) = try await cluster()
      let path = "\(SharedToolServerTests.folder)/\(name)"
      let played = try await TemporaryDirectory.with { scratch in
        let session = ToolSession(scratch: scratch, on: [primary, standby], log: "list")
        var played: [String] = []
        for line in try ProjectFiles.lines(path) {
          if line.hasPrefix("#") { played.append(line) }
          guard line.hasPrefix("$ ") || line.hasPrefix("! ") else { continue }
          if !played.isEmpty { played.append("") }
          played.append(line)
          switch line {
          case "! fail over":
            try primary.crash()
            try standby.session().execute("select pg_promote()")
          case "! stop the primary": primary.stop()
          case "! stop the standby":
            try primary.session().execute("alter system set synchronous_standby_names = ''")
            try primary.session().execute("select pg_reload_conf()")
            try await primary.wait(
              for: "select length(current_setting('synchronous_standby_names'))::bigint", toBe: 0)
            standby.stop()
          case "! fail over to the stopped standby":
            try primary.crash()
            try standby.start()
            try standby.session().execute("select pg_promote()")
          default: played += try session.lines(String(line.dropFirst(2)))
          }
        }
        return played + [""]
      }
      try compare(played, with: path)
    }

    @Test func `Ctrl-C while the log is asked to drop history leaves the outcome open`()
      async throws
    {
      let server = try PostgresServer()
      try await TemporaryDirectory.with { scratch in
        let session = ToolSession(scratch: scratch, on: [server], log: "list")
        _ = try session.lines(
          """
          echo '{"tx":1,"time":"2020-01-01T00:00:00Z","changes":[]}' | daybook publish - $URL
          daybook clone $URL list.daybook
          """)
        let keeper = try server.session()
        try keeper.executeAll(
          "begin; select pg_advisory_xact_lock(\(LockKeys.classID), hashtext('list'))")
        let played = Task.detached {
          try session.lines(
            """
            env --default-signal=INT daybook compact list.daybook --yes & pid=$!
            until [ -e waits ]; do sleep 0.1; done; kill -INT $pid; wait $pid; echo "exit $?"
            """)
        }
        try await server.wait(for: PostgresServer.lockCount(of: "list", isGranted: false), toBe: 1)
        _ = try scratch.write([], to: "waits")
        #expect(
          try await played.value == [
            "exit 130",
            "Interrupted. The log may have dropped the history. The same command continues.",
          ])
        try keeper.executeAll("rollback")
        #expect(
          try session.lines("daybook compact list.daybook --yes") == [
            "list.daybook: removed 1 transaction from the log; its history starts after transaction 1"
          ])
      }
    }

    /// Each round trip to a far server takes time. So a command makes few of them, on one connection.
    @Test func `a command makes few round trips to the log`() async throws {
      let server = try PostgresServer()
      let relay = try Relay(toPort: server.port)
      defer { relay.close() }
      try TemporaryDirectory.with { scratch in
        let session = ToolSession(scratch: scratch, ports: [relay.port], log: "games")
        try scratch.write(ProjectFiles.bytes("Journal/Samples/games.jsonl"), to: "games.jsonl")
        func roundTrips(_ command: String) throws -> Int {
          let before = relay.roundTripCount
          let lines = try session.lines(command)
          #expect(lines.last?.hasPrefix("[exit") == false, "\(lines)")
          return relay.roundTripCount - before
        }
        _ = try roundTrips("daybook publish games.jsonl $URL")
        #expect(try roundTrips("daybook clone $URL a.daybook") <= 11)
        #expect(try roundTrips("daybook clone $URL b.daybook") <= 11)
        #expect(try roundTrips("daybook set a.daybook Game 1 name=Pong") <= 8)
        // The replica has missed a transaction.
        #expect(try roundTrips("daybook set b.daybook Game 1 name=Tron") <= 9)
        #expect(try roundTrips("daybook sync a.daybook") <= 8)
      }
    }

    @Test func `the page on sharing shows the output of its commands`() async throws {
      let (primary, standby) = try await cluster()
      let path = "Sources/DaybookStore/DaybookStore.docc/Share.md"
      let played = try TemporaryDirectory.with { scratch in
        let session = ToolSession(scratch: scratch, on: [primary, standby], log: "banks")
        try scratch.write(
          ProjectFiles.bytes("Journal/Samples/games.jsonl"), to: "games.jsonl")
        var played: [String] = []
        var isSession = false
        for line in try ProjectFiles.lines(path) {
          if isSession, line != "```" {
            guard line.hasPrefix("$ ") else { continue }
            if played.last?.hasPrefix("```") == false { played.append("") }
            played.append(line)
            played += try session.lines(String(line.dropFirst(2)))
          } else {
            isSession = line == "```console"
            played.append(line)
          }
        }
        return played
      }
      try compare(played, with: path)
    }

    @Test func `the example of three machines prints its recorded output`() async throws {
      let server = try PostgresServer.shared.get()
      let played = try TemporaryDirectory.with { scratch in
        try ToolSession(scratch: scratch, on: [server], log: "none").lines(
          "daybook-examples shared")
      }
      try compare(played + [""], with: "Journal/Samples/shared.txt")
    }
  }
#endif
