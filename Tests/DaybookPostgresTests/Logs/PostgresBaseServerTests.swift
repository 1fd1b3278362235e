#if Postgres
  import DaybookJournal
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "Bases of logs in a database", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct PostgresBaseServerTests {
    private func server() throws -> PostgresServer { try PostgresServer.shared.get() }

    /// The text of a statement that takes the lock of a log for a transaction.
    private func lock(_ log: String) -> String {
      "select pg_advisory_xact_lock(\(LockKeys.classID), hashtext('\(log)'))"
    }

    private func count(_ table: String, of log: String) -> String {
      "select count(*) from daybook.\(table) join daybook.logs on log = id where name = '\(log)'"
    }

    // The session sets its isolation level. The URL and the role can contain a different one.
    @Test(arguments: ["read committed", "repeatable read", "serializable"])
    func `an append that waits while a base replaces its predecessor is refused`(
      isolation: String
    ) async throws {
      let server = try server()
      let name = "late \(isolation)"
      let setting = isolation.replacing(" ", with: "%5C%20")
      let writer = server.log(
        name, query: "options=-c%20default_transaction_isolation%3D\(setting)")
      let groups = try await writer.fill(5)
      let keeper = try server.session()
      try keeper.executeAll("begin; \(lock(name))")
      let stale = FrameGroup.after(groups[5].end, seed: 9)
      async let outcome = writer.append(stale)
      try await server.wait(for: PostgresServer.lockCount(of: name, isGranted: false), toBe: 1)
      // The base also replaces groups that were appended after the start of the append.
      let end = SharedHead(next: stale.next + 3, checksum: 77)
      let log = "log = (select id from daybook.logs where name = '\(name)')"
      try keeper.executeAll(
        """
        delete from daybook.groups where \(log) and first > 0;
        update daybook.groups set next = \(end.next.rawValue), nonce = 7, frames = '',
          end_check = 77 where \(log) and first = 0;
        commit
        """)
      #expect(try await outcome == .missingPredecessor)
      #expect(try server.number(count("groups", of: name)) == 1)
      #expect(try await writer.append(.after(end, seed: 3)) == .appended(serverCount: 1))
    }

    @Test func `an append with the number of a group that is being deleted does not wait`()
      async throws
    {
      let server = try server()
      let log = server.log("deleted")
      let groups = try await log.fill(5)
      let keeper = try server.session()
      try keeper.executeAll("begin")
      let next = SequenceNumber(5)
      let values: [PostgresValue] = [.text("deleted"), .number(next)]
      #expect(
        try keeper.execute(.dropSomeGroups, with: values + [.integer(100)])
          .integer(row: 0, column: 0) == 3)
      // The append would wait for the keeper, and the keeper for the append.
      #expect(try await log.append(.after(groups[1].end, seed: 7)) == .conflict)
      #expect(try await log.append(groups[2]) == .appended(serverCount: 1))
      #expect(try await log.append(.after(groups[5].end)) == .appended(serverCount: 1))
      _ = try keeper.execute(.lockTransaction, with: [.text("deleted")])
      try keeper.executeAll("rollback")
      #expect(try await log.readAll().prefix(6) == groups[...])
    }

    @Test func `appends go on after a keeper has locked the log and stopped`() async throws {
      let server = try server()
      let log = server.log("stopped")
      var groups = try await log.fill(2)
      let keeper = try server.session()
      try keeper.executeAll("begin isolation level read committed")
      _ = try keeper.execute(.dropGroups, with: [.text("stopped"), .number(groups[2].next)])
      _ = try keeper.execute(.lockTransaction, with: [.text("stopped")])
      groups.append(.after(groups[2].end))
      #expect(try await log.append(groups[3]) == .appended(serverCount: 1))
      #expect(
        sentence(of: { try keeper.executeAll("commit") }).contains(
          "terminating connection due to idle-in-transaction timeout"))
      #expect(try await log.readAll() == groups)
    }

    @Test func `a base replaces more groups than one statement deletes`() async throws {
      let server = try server()
      let log = server.log("batches")
      let header = FrameGroup.header()
      _ = try await log.append(header)
      let last = 25_000
      let checksum = Int64(bitPattern: header.checksum)
      try server.sql(
        """
        insert into daybook.groups
        select id, number, number + 1, \(checksum) + number - 1, \(checksum) + number, 1, 'x'
        from daybook.logs, generate_series(1::bigint, \(last)) as number where name = 'batches'
        """)
      let end = SharedHead(
        next: SequenceNumber(UInt64(last)), checksum: header.checksum &+ UInt64(last - 1))
      let base = FrameGroup.base(at: end, byteCount: 3_000_000, seed: 7)
      #expect(try await log.replaceGroups(with: base))
      #expect(try server.number(count("groups", of: "batches")) == 2)
      let found = try await log.readAll()
      #expect(found.map(\.first) == [0, end.next])
      #expect(found.first == base)
      #expect(try await log.head() == SharedHead(next: end.next + 1, checksum: end.checksum &+ 1))
    }

    @Test func `a replacement whose connection is cut at any byte can be repeated`() async throws {
      let server = try server()
      let relay = try Relay(toPort: server.port)
      defer { relay.close() }
      let url = "postgres://admin@127.0.0.1:\(relay.port)/postgres"
      let log = server.log("cut base")
      var base = FrameGroup.header()
      var last = try await log.fill(2)[2]

      /// Returns a log whose session has looked for the end of the base, and nothing else.
      func newKeeper() async throws -> PostgresLog {
        relay.set(nil)
        let keeper = PostgresLog(url, name: "cut base")
        #expect(try await keeper.replaceGroups(with: base))
        return keeper
      }

      let first = try await newKeeper()
      relay.set(nil)
      base = .base(at: last.end, byteCount: 1_100_000, seed: 1)
      #expect(try await first.replaceGroups(with: base))
      let toServer = relay.passedByteCount(.toServer)
      let toClient = relay.passedByteCount(.toClient)
      #expect(toServer > 1_100_000 && toClient > 100)
      let offsets =
        Array(stride(from: 0, to: 1000, by: 200))
        + Array(stride(from: 200_000, to: toServer, by: 300_000))
        + Array(stride(from: toServer - 1200, to: toServer, by: 150))
      let faults =
        offsets.map { Relay.Fault.cut(.toServer, afterByteCount: $0) }
        + stride(from: 0, to: toClient, by: 40).map { .cut(.toClient, afterByteCount: $0) }
        + [.cut(.toClient, afterByteCount: toClient - 1)]
      var unknownCount = 0
      for (number, fault) in faults.enumerated() {
        let keeper = try await newKeeper()
        last = .after(last.end)
        _ = try await log.append(last)
        let later = FrameGroup.after(last.end)
        _ = try await log.append(later)
        let old = try await log.readAll()
        base = .base(at: last.end, byteCount: 1_100_000, seed: number + 2)
        relay.set(fault)
        let found = await sentence { try await keeper.replaceGroups(with: base) }
        if found.contains("did not answer") { unknownCount += 1 }
        let expected = [base, later]
        let contents = try await log.readAll()
        // A query that got no answer is repeated.
        if found == "no error, but true" {
          #expect(contents == expected, "\(fault)")
        } else {
          #expect(contents == old || contents == expected, "\(fault)")
          #expect(
            found.contains("cannot be reached") || found.contains("did not answer"),
            "\(fault): \(found)")
        }
        relay.set(nil)
        while (try? await keeper.replaceGroups(with: base)) != true {
          // The log connects again after a pause. The tasks of other tests run meanwhile.
          try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await log.readAll() == expected, "\(fault)")
        await keeper.close()
        last = later
      }
      #expect(unknownCount > 0)
      #expect(try server.number(count("bases", of: "cut base")) == 2)
    }

    @Test func `a warning at the commit of a base leaves the outcome unknown`() async throws {
      let server = try PostgresServer()
      let log = server.log("warned base")
      let groups = try await log.fill(3)
      let session = try server.session()
      try session.execute("alter system set synchronous_standby_names = 'nobody'")
      try session.execute("select pg_reload_conf()")
      try await server.wait(
        for: "select count(*) from pg_settings where name = 'synchronous_standby_names' "
          + "and setting = 'nobody'", toBe: 1)
      let base = FrameGroup.base(at: groups[2].end, byteCount: 10, seed: 7)
      let replacement = Task { await sentence { try await log.replaceGroups(with: base) } }
      try await server.wait(
        for: "select count(*) from pg_stat_activity where wait_event = 'SyncRep'", toBe: 1)
      try server.sql(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")
      #expect(
        await replacement.value == """
          The log \(log.name) did not answer an append, which may be in the log or not: the server \
          warned at the commit: canceling wait for synchronous replication due to user request.
          """)
      #expect(try await log.replaceGroups(with: base))
      #expect(try await log.readAll() == [base, groups[3]])
    }

    @Test func `readers read whole bases while others replace them`() async throws {
      let server = try server()
      let log = server.log("torn")
      let groups = try await log.fill(12)
      let bases = (1..<12).map {
        FrameGroup.base(at: groups[$0].end, byteCount: 2_200_000, seed: $0)
      }
      try await withThrowingTaskGroup(of: Bool.self) { tasks in
        tasks.addTask {
          let keeper = server.log("torn")
          for base in bases {
            if try await !keeper.replaceGroups(with: base) { return false }
          }
          return true
        }
        for _ in 0..<2 {
          tasks.addTask {
            let reader = server.log("torn")
            while true {
              // A read fails if its base is replaced during each of several attempts.
              guard let found = try? await reader.read(from: 0, byteCount: .max) else { continue }
              let start = found.first?.next ?? 0
              guard found.first.map({ bases.contains($0) || $0 == groups[0] }) == true,
                found.dropFirst() == groups.drop(while: { $0.next <= start })
              else { return false }
              if found.first == bases.last { return true }
            }
          }
        }
        for try await isRight in tasks { #expect(isRight) }
      }
    }
  }
#endif
