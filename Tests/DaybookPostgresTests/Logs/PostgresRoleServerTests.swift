#if Postgres
  import DaybookJournal
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "Roles of a database with logs", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct PostgresRoleServerTests {
    private let denied = SQLState.insufficientPrivilege

    /// Returns the SQL state of a statement that must fail; nil if it succeeds.
    private func state(_ text: String, as role: String, on server: PostgresServer) throws -> String?
    {
      let session = try server.session(user: role)
      do throws(PostgresFailure) {
        try session.executeAll(text)
        return nil
      } catch {
        if case .refused(let state, _) = error { return state }
        throw error
      }
    }

    @Test func `only a keeper replaces groups by a base, which is stored in pieces`() async throws {
      let server = try PostgresServer()
      try await PostgresLog.createSchema(
        server.url(), readers: ["reader"], writers: ["writer"], keepers: ["keeper"])
      try server.sql(
        "alter role reader login; alter role writer login; alter role keeper login")
      let writer = server.log("kept", user: "writer")
      let groups = try await writer.fill(5)
      let first = FrameGroup.base(at: groups[2].end, byteCount: 2_500_000, seed: 7)
      #expect(
        await sentence { try await writer.replaceGroups(with: first) } == """
          The log \(writer.name) cannot be used: permission denied for table bases. Grant the role of the \
          URL the rights of a keeper.
          """)
      #expect(try await writer.readAll() == groups)

      let keeper = server.log("kept", user: "keeper")
      for _ in 0..<2 { #expect(try await keeper.replaceGroups(with: first)) }
      let reader = server.log("kept", user: "reader")
      #expect(try await reader.readAll() == [first] + groups[3...])
      #expect(try await reader.head() == groups[5].end)
      let pieces = "select count(*) from daybook.bases"
      #expect(try server.number(pieces) == 3)
      // A number that the base has replaced finds the base. A limit of bytes includes it.
      #expect(try await reader.read(from: 1, byteCount: 1) == [first])

      // A base that ends elsewhere changes nothing.
      #expect(
        try await keeper.replaceGroups(with: .base(at: groups[1].end, byteCount: 10, seed: 8))
          == false)
      #expect(try server.number(pieces) == 3)
      let second = FrameGroup.base(at: groups[5].end, byteCount: 1 << 20, seed: 9)
      #expect(try await keeper.replaceGroups(with: second))
      #expect(try server.number(pieces) == 1)
      #expect(try await reader.readAll() == [second])
      #expect(try await writer.append(groups[5]) == .missingPredecessor)
      let next = FrameGroup.after(groups[5].end, seed: 3)
      #expect(try await writer.append(next) == .appended(serverCount: 1))
      #expect(try await keeper.readAll() == [second, next])

      for statement in [
        "truncate daybook.logs", "truncate daybook.groups", "truncate daybook.bases",
        "update daybook.groups set first = 7", "update daybook.bases set number = 7",
        "drop table daybook.bases",
      ] {
        #expect(try state(statement, as: "keeper", on: server) == denied, "\(statement)")
      }

      let other = server.log("other", user: "writer")
      #expect(try await other.append(.header()) == .appended(serverCount: 1))
      #expect(
        await sentence { try await other.remove() } == """
          The log \(other.name) cannot be used: permission denied for table bases. Grant the role of the \
          URL the rights of a keeper.
          """)
      for _ in 0..<2 { try await keeper.remove() }
      #expect(try await reader.head() == nil)
      #expect(try await writer.append(.after(next.end)) == .missingPredecessor)
      for table in ["groups", "logs"] {
        #expect(try server.number("select count(*) from daybook.\(table)") == 1, "\(table)")
      }
      #expect(try server.number("select count(*) from daybook.bases") == 0)
      #expect(try await writer.append(.header()) == .appended(serverCount: 1))
    }

    @Test func `a reader reads, a writer appends, and neither does more`() async throws {
      let server = try PostgresServer()
      try await PostgresLog.createSchema(
        server.url(), readers: ["reader"], writers: ["writer", "odd \"role\""])
      // The roles were created without login.
      let refused = await sentence { try await server.log("rights", user: "reader").head() }
      #expect(refused.contains("role \"reader\" is not permitted to log in"), "\(refused)")
      try server.sql(
        #"""
        alter role reader login; alter role writer login; alter role "odd ""role""" login;
        create role stranger login; create table secret (number int);
        """#)

      let writer = server.log("rights", user: "writer")
      let groups = try await writer.fill(2)
      // All statements of a writer work: a retry with its barrier, a conflict, a missing
      // predecessor, and the lock after three losses.
      #expect(try await writer.append(groups[1]) == .appended(serverCount: 1))
      for seed in 3..<7 {
        #expect(try await writer.append(.after(groups[1].end, seed: seed)) == .conflict)
      }
      let hole = FrameGroup.after(FrameGroup.after(groups[2].end).end)
      #expect(try await writer.append(hole) == .missingPredecessor)
      let odd = server.log("odd", user: "odd%20%22role%22")
      #expect(try await odd.append(.header()) == .appended(serverCount: 1))

      let reader = server.log("rights", user: "reader")
      #expect(try await reader.readAll() == groups)
      #expect(try await reader.head() == groups[2].end)
      let grant = "Grant the role of the URL the rights of a"
      #expect(
        await sentence { try await reader.append(.after(groups[2].end)) } == """
          The log \(reader.name) cannot be used: permission denied for table groups. \(grant) writer.
          """)
      #expect(
        await sentence { try await PostgresLog.createSchema(server.url(user: "stranger")) }
          .hasSuffix(
            "The role of the URL needs CREATE on the database, and CREATEROLE if roles are created."
          ))
      let stranger = server.log("rights", user: "stranger")
      #expect(
        await sentence { try await stranger.head() } == """
          The log \(stranger.name) cannot be used: permission denied for schema daybook. \(grant) reader \
          or a writer.
          """)

      let statements = [
        "delete from daybook.groups", "delete from daybook.logs", "truncate daybook.groups",
        "delete from daybook.bases", "insert into daybook.bases values (1, 1, 1, 1, '')",
        "update daybook.groups set frames = ''", "update daybook.logs set name = 'x'",
        "update daybook.schema_version set version = 7",
        "insert into daybook.schema_version values (7)",
        "insert into daybook.logs (id, name) overriding system value values (7, 'x')",
        "alter table daybook.groups add column more int", "drop table daybook.groups",
        "create table daybook.more (number int)", "drop schema daybook cascade",
        "create index on daybook.groups (nonce)", "select * from public.secret",
        "begin; lock table daybook.groups in exclusive mode",
        "grant select on daybook.groups to stranger; set role admin",
      ]
      for role in ["reader", "writer"] {
        for statement in statements {
          #expect(try state(statement, as: role, on: server) == denied, "\(role): \(statement)")
        }
      }
      for statement in [
        "insert into daybook.logs (name) values ('x')",
        "insert into daybook.groups values (1, 9, 10, 0, 0, 0, '')",
      ] {
        #expect(try state(statement, as: "reader", on: server) == denied, "\(statement)")
      }
      #expect(try await server.log("rights").readAll() == groups)
    }

    @Test func `a role gets exactly the rights of the last call that names it`() async throws {
      let server = try PostgresServer()
      let url = server.url()
      try await PostgresLog.createSchema(url, writers: ["changing", "steady"])
      try server.sql("alter role changing login; alter role steady login")
      let log = server.log("change", user: "changing")
      let groups = try await log.fill(1)
      try await PostgresLog.createSchema(url, readers: ["changing"])
      #expect(
        await sentence { try await log.append(.after(groups[1].end)) }.contains(
          "permission denied for table groups"))
      #expect(try await log.head() == groups[1].end)
      let steady = server.log("change", user: "steady")
      #expect(try await steady.append(.after(groups[1].end)) == .appended(serverCount: 1))
      // A role that may not create roles says so.
      try server.sql("create role modest login; grant create on database postgres to modest")
      let refused = await sentence {
        try await PostgresLog.createSchema(server.url(user: "modest"), readers: ["new"])
      }
      #expect(refused.hasPrefix("The log schema at postgres://"), "\(refused)")
      #expect(refused.contains("permission denied"), "\(refused)")
    }
  }
#endif
