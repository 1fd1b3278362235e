#if Postgres
  import DaybookJournal
  import DaybookTesting
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "A log in PostgreSQL", .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct PostgresLogServerTests {
    private func server() throws -> PostgresServer { try PostgresServer.shared.get() }

    @Test func `a log obeys the laws of shared logs`() async throws {
      let server = try server()
      let names = NameMaker()
      try await checkConformance(
        of: { server.log(names.next("laws")) },
        connecting: { PostgresLog(server.url(), name: $0.baseName) },
        options: ConformanceOptions(seed: 1, roundCount: FaultRow.count(20, full: 500)))
    }

    @Test func `a log without groups has no head and returns no groups`() async throws {
      let log = try server().log("empty")
      #expect(try await log.head() == nil)
      #expect(try await log.read(from: 0, byteCount: 1000) == [])
      #expect(
        try await log.append(.after(SharedHead(next: 1, checksum: 7))) == .missingPredecessor)
    }

    @Test func `a log returns the groups that were appended, in order and with all fields`()
      async throws
    {
      let log = try server().log("order")
      var groups = [FrameGroup.header()]
      for index in 1...20 {
        groups.append(
          .after(groups[index - 1].end, count: 1 + index % 4, byteCount: index * 13, seed: index))
      }
      for group in groups {
        #expect(try await log.append(group) == .appended(serverCount: 1))
        #expect(try await log.head() == group.end)
      }
      #expect(try await log.read(from: 0, byteCount: .max) == groups)
      // A number inside a group finds the group.
      for (index, group) in groups.enumerated() {
        for number in group.first.rawValue..<group.next.rawValue {
          let read = try await log.read(from: SequenceNumber(number), byteCount: .max)
          #expect(read == Array(groups[index...]))
        }
      }
      #expect(try await log.read(from: groups[20].next, byteCount: .max) == [])
      #expect(try await log.read(from: SequenceNumber(.max), byteCount: .max) == [])
    }

    @Test func `a log that has lost all its groups gets them again`() async throws {
      let log = try server().log("emptied")
      let groups = try await log.fill(2)
      try server().session().execute(
        "delete from daybook.groups where log = (select id from daybook.logs where name = 'emptied')"
      )
      #expect(try await log.head() == nil)
      #expect(try await log.append(groups[1]) == .missingPredecessor)
      for group in groups { #expect(try await log.append(group) == .appended(serverCount: 1)) }
      #expect(try await log.readAll() == groups)
      #expect(try await log.append(.header(9)) == .conflict)
    }

    /// The append waits for the row of the other session, which then waits for the append. The
    /// server ends the append, as it checks the session that has waited longer.
    @Test func `an append that ends in a deadlock is repeated`() async throws {
      let server = try PostgresServer()
      let log = server.log("deadlock", options: PostgresOptions(notifiesFollowers: false))
      var groups = try await log.fill(1)
      groups.append(.after(groups[1].end))
      let other = try server.session()
      try other.executeAll(
        """
        set deadlock_timeout = '60s'; begin;
        insert into daybook.groups select id, \(groups[2].first), \(groups[2].next), 0, 0, 0, ''
          from daybook.logs where name = 'deadlock'
        """)
      let (last, appending) = (groups[2], log)
      let append = Task { try await appending.append(last) }
      try await server.wait(for: "select count(*) from pg_locks where not granted", toBe: 1)
      try other.executeAll(
        "select pg_advisory_xact_lock(\(LockKeys.classID), hashtext('deadlock'))")
      try other.executeAll("rollback")
      #expect(try await append.value == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups)
      #expect(
        try server.session().execute(
          "select deadlocks from pg_stat_database where datname = current_database()"
        ).integer(row: 0, column: 0) == 1)
    }

    @Test func `appending a group again changes nothing`() async throws {
      let log = try server().log("again")
      let groups = try await log.fill(5)
      for group in groups { #expect(try await log.append(group) == .appended(serverCount: 1)) }
      #expect(try await log.readAll() == groups)
    }

    @Test func `a different first group is a conflict`() async throws {
      let log = try server().log("header")
      #expect(try await log.append(.header(1)) == .appended(serverCount: 1))
      #expect(try await log.append(.header(2)) == .conflict)
      #expect(try await log.append(.header(1)) == .appended(serverCount: 1))
      #expect(try await log.readAll() == [.header(1)])
    }

    @Test func `a group that differs from the group with its number is a conflict`() async throws {
      let log = try server().log("rival")
      let groups = try await log.fill(3)
      #expect(try await log.append(.after(groups[2].end, seed: 1)) == .conflict)
      #expect(try await log.append(.after(groups[2].end, count: 5, seed: 1)) == .conflict)
      // A different machine can build the same bytes.
      var twin = groups[3]
      twin.nonce = 2
      #expect(try await log.append(twin) == .conflict)
      // Equal checks with different bytes occur only if a checksum collides.
      var forged = groups[3]
      forged.bytes[0] ^= 1
      #expect(try await log.append(forged) == .conflict)
      #expect(try await log.readAll() == groups)
    }

    @Test func `a group after a hole has no predecessor`() async throws {
      let log = try server().log("hole")
      let groups = try await log.fill(3)
      let missing = FrameGroup.after(groups[3].end)
      #expect(try await log.append(.after(missing.end)) == .missingPredecessor)
      #expect(try await log.append(missing) == .appended(serverCount: 1))
      #expect(try await log.append(.after(missing.end)) == .appended(serverCount: 1))
    }

    @Test func `a fork with equal numbers has no predecessor`() async throws {
      let log = try server().log("fork")
      let groups = try await log.fill(3)
      // The other branch continues after the group 1, with the same numbers as the log.
      let other2 = FrameGroup.after(groups[1].end, seed: 9)
      let other3 = FrameGroup.after(other2.end, seed: 9)
      #expect(other3.end.next == groups[3].end.next)
      #expect(try await log.append(.after(other3.end)) == .missingPredecessor)
      // The same holds where the log has a group with the number.
      #expect(try await log.append(other3) == .missingPredecessor)
      #expect(try await log.append(other2) == .conflict)
      #expect(try await log.readAll() == groups)
    }

    @Test func `eight writers append without a gap, and each number has one winner`()
      async throws
    {
      let server = try server()
      _ = try await server.log("writers").append(.header())
      let winCount = 40
      let acknowledged = try await withThrowingTaskGroup(of: [FrameGroup].self) { tasks in
        for writer in 0..<8 {
          tasks.addTask {
            let log = server.log("writers")
            var won: [FrameGroup] = []
            while won.count < winCount {
              guard let head = try await log.head() else { throw Surprise("no head") }
              let group = FrameGroup.after(
                head, count: 1 + writer % 3, seed: writer * 1000 + won.count)
              switch try await log.append(group) {
              case .appended: won.append(group)
              case .conflict: break
              case .missingPredecessor: throw Surprise("the end of the log is not in the log")
              }
            }
            return won
          }
        }
        return try await tasks.reduce(into: []) { $0 += $1 }
      }
      let groups = try await server.log("writers").readAll()
      #expect(groups.count == 8 * winCount + 1)
      for (previous, group) in zip(groups, groups.dropFirst()) {
        #expect(group.first == previous.next)
        #expect(group.previousChecksum == previous.checksum)
      }
      #expect(Set(acknowledged) == Set(groups.dropFirst()))
    }

    @Test func `a machine that loses three times in a row wins before the others go on`()
      async throws
    {
      let server = try server()
      // A thread that is not scheduled for a time is no silent machine.
      var options = PostgresOptions()
      options.lockSilenceMilliseconds = 60_000
      let (slow, fast) = (server.log("slow", options: options), server.log("slow"))
      var head = FrameGroup.header().end
      _ = try await fast.append(.header())
      // The slow machine reads the head, and is overtaken each time before it appends.
      for attempt in 1...3 {
        let group = FrameGroup.after(head, seed: attempt)
        #expect(try await fast.append(group) == .appended(serverCount: 1))
        #expect(try await slow.append(.after(head, seed: -attempt)) == .conflict)
        head = group.end
      }
      // It has the lock: the append of the fast machine waits.
      let before = head
      let rival = Task { try await fast.append(.after(before, seed: 4)) }
      try await server.wait(for: PostgresServer.lockCount(of: "slow", isGranted: false), toBe: 1)
      #expect(try await slow.append(.after(before, seed: -4)) == .appended(serverCount: 1))
      #expect(try await rival.value == .conflict)
      try await server.wait(for: PostgresServer.lockCount(of: "slow", isGranted: true), toBe: 0)
    }

    @Test func `a machine that loses and stays silent does not keep the lock`() async throws {
      let server = try server()
      var options = PostgresOptions()
      options.lockSilenceMilliseconds = 100
      let (slow, fast) = (server.log("silent", options: options), server.log("silent"))
      let groups = try await fast.fill(3)
      for index in 0..<3 {
        #expect(try await slow.append(.after(groups[index].end, seed: 5)) == .conflict)
      }
      // The server ends the silent session.
      #expect(try await fast.append(.after(groups[3].end)) == .appended(serverCount: 1))
      #expect(try await slow.head() != nil)
    }

    @Test func `large groups are appended and read`() async throws {
      let log = try server().log("large")
      let header = FrameGroup.header()
      let large = FrameGroup.after(header.end, count: 1000, byteCount: 6 << 20)
      let small = FrameGroup.after(large.end)
      for group in [header, large, small] {
        #expect(try await log.append(group) == .appended(serverCount: 1))
      }
      #expect(try await log.append(large) == .appended(serverCount: 1))
      let isEqual = try await log.read(from: 1, byteCount: 1) == [large]
      #expect(isEqual)
      #expect(try await log.read(from: large.next, byteCount: 1) == [small])
    }

    @Test func `a read ends with the group that reaches the number of bytes`() async throws {
      let log = try server().log("bytes")
      let groups = try await log.fill(10, byteCount: 100)
      for (byteCount, count) in [(-5, 1), (0, 1), (1, 1), (100, 1), (101, 2), (250, 3), (1000, 10)]
      {
        let read = try await log.read(from: 1, byteCount: byteCount)
        #expect(read == Array(groups[1...count]), "\(byteCount) bytes")
      }
    }

    @Test func `reading a long log in pieces returns each group once`() async throws {
      let server = try server()
      let log = server.log("long")
      _ = try await log.append(.header())
      try server.sql(
        """
        insert into daybook.groups
        select (select id from daybook.logs where name = 'long'), n, n + 1, 0, 0, 0, 'x'
        from generate_series(1, 4500) n
        """)
      for byteCount in [700, Int.max] {
        let groups = try await log.readAll(byteCount: byteCount)
        #expect(groups.map(\.first.rawValue) == Array(0...4500))
      }
    }

    @Test func `a read does not skip a group that a server does not show`() async throws {
      let server = try server()
      let log = server.log("gap")
      let groups = try await log.fill(6)
      try server.sql(
        """
        delete from daybook.groups where first in (2, 4)
          and log = (select id from daybook.logs where name = 'gap')
        """)
      #expect(try await log.read(from: 0, byteCount: .max) == Array(groups[...1]))
      #expect(try await log.read(from: 2, byteCount: .max) == [])
      #expect(try await log.read(from: 3, byteCount: .max) == [groups[3]])
    }

    @Test func `the logs of one database are independent`() async throws {
      let server = try server()
      let (one, other) = (server.log("one"), server.log("öther \"log\" 🗒"))
      let groups = try await one.fill(2)
      #expect(try await other.head() == nil)
      #expect(try await other.append(groups[1]) == .missingPredecessor)
      #expect(try await other.append(.header(3)) == .appended(serverCount: 1))
      #expect(try await one.readAll() == groups)
    }

    @Test func `a closed log throws, and ends its streams`() async throws {
      let log = try server().log("closed")
      _ = try await log.append(.header())
      let changes = log.changes()
      await log.close()
      for await _ in changes {}
      for await _ in log.changes() {}
      let expected = "The log \(log.name) is closed."
      #expect(await sentence { try await log.head() } == expected)
      #expect(await sentence { try await log.append(.header()) } == expected)
      #expect(await sentence { try await log.read(from: 0, byteCount: 1) } == expected)
    }

    @Test func `numbers that the tables cannot store are refused`() async throws {
      let log = try server().log("numbers")
      let end = SharedHead(next: SequenceNumber(UInt64(Int64.max)), checksum: 0)
      #expect(
        await sentence { try await log.append(.after(end)) } == """
          The log \(log.name) cannot be used: a group from 9223372036854775807 to before \
          9223372036854775808 cannot be stored.
          """)
      #expect(PostgresLink.defect(.header(), byteCount: 1_000_000_000) == nil)
      #expect(
        PostgresLink.defect(.header(), byteCount: 1_000_000_001)
          == "a group of 1000000001 bytes cannot be stored, but at most 1000000000 bytes can")
    }

    // MARK: Hints

    @Test func `a machine is notified of appends of a different machine`() async throws {
      let server = try server()
      let (writer, reader) = (server.log("hints"), server.log("hints"))
      var group = try await writer.fill(1)[1]
      let changes = reader.changes()
      var iterator = changes.makeAsyncIterator()
      // The first hint says that the connection exists.
      _ = await iterator.next()
      for _ in 0..<20 {
        group = .after(group.end)
        _ = try await writer.append(group)
        while try await reader.head() != group.end { _ = await iterator.next() }
      }
    }

    @Test func `the last append of a burst is notified too`() async throws {
      let server = try server()
      let (writer, reader) = (server.log("burst"), server.log("burst"))
      var group = try await writer.fill(1)[1]
      let changes = reader.changes()
      var iterator = changes.makeAsyncIterator()
      _ = await iterator.next()
      for _ in 0..<50 {
        group = .after(group.end)
        _ = try await writer.append(group)
      }
      while try await reader.head() != group.end { _ = await iterator.next() }
    }

    @Test func `a log without notifications sends none`() async throws {
      let server = try server()
      let quiet = server.log("quiet", options: PostgresOptions(notifiesFollowers: false))
      let session = try server.session()
      try session.execute("listen \(PostgresLog.channel(for: "quiet"))")
      var group = try await quiet.fill(5)[5]
      group = .after(group.end)
      _ = try await server.log("quiet").append(group)
      // The notification of the last append is the first one.
      while try !session.waitForNotification() {}
      #expect(session.lastPayload == group.next.description)
    }
  }
#endif
