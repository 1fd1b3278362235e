#if Postgres
  import DaybookJournal
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "Failover to a standby", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct PostgresFailoverServerTests {
    /// A log that follows the primary, whichever of two servers it is.
    private func log(
      _ name: String, on servers: [PostgresServer], options: PostgresOptions = PostgresOptions()
    ) -> PostgresLog {
      let hosts = servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
      return PostgresLog(
        "postgres://admin@\(hosts)/postgres?target_session_attrs=read-write", name: name,
        options: options)
    }

    private func setSynchronous(_ primary: PostgresServer) async throws {
      try primary.session().execute("alter system set synchronous_standby_names = '*'")
      try primary.session().execute("select pg_reload_conf()")
      try await primary.wait(
        for: "select count(*) from pg_stat_replication where sync_state = 'sync'", toBe: 1)
    }

    @Test func `a failover to a synchronous standby keeps each acknowledged group`() async throws {
      let primary = try PostgresServer()
      let standby = try PostgresServer(standbyOf: primary)
      try await setSynchronous(primary)
      let log = log("failover", on: [primary, standby])
      var groups = [FrameGroup.header()]
      for index in 0..<20 { groups.append(.after(groups[index].end)) }
      for group in groups { #expect(try await log.append(group) == .appended(serverCount: 2)) }

      // The standby shows the groups a little later, and takes no appends.
      let follower = standby.log("failover")
      while try await follower.readAll() != groups { await Task.yield() }
      groups.append(.after(groups[20].end))
      let expected = """
        The log \(follower.name) cannot be reached: the server is a standby or is read-only, so it \
        takes no appends and does not know the head. Add target_session_attrs=read-write to the \
        URL.
        """
      #expect(await sentence { try await follower.append(groups[21]) } == expected)
      #expect(await sentence { try await follower.head() } == expected)

      try primary.crash()
      try standby.session().execute("select pg_promote()")
      #expect(try await log.appendUntilKnown(groups[21]) == .appended(serverCount: 1))
      #expect(try await log.append(groups[20]) == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups)
    }

    @Test func `an append waits for the standby at a crash, and the new primary resolves it`()
      async throws
    {
      let primary = try PostgresServer()
      let standby = try PostgresServer(standbyOf: primary)
      try await setSynchronous(primary)
      let log = log("waiting", on: [primary, standby])
      var groups = [FrameGroup.header()]
      _ = try await log.append(groups[0])
      standby.stop()
      groups.append(.after(groups[0].end))
      let group = groups[1]
      let append = Task { await sentence { try await log.append(group) } }
      try await primary.wait(
        for: "select count(*) from pg_stat_activity where wait_event = 'SyncRep'", toBe: 1)
      try primary.crash()
      #expect(await append.value.contains("which may be in the log or not"))
      try standby.start()
      try standby.session().execute("select pg_promote()")
      // The new primary does not have the group, so the second append adds it.
      #expect(try await standby.log("waiting").head() == groups[0].end)
      #expect(try await log.appendUntilKnown(groups[1]) == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups)
    }

    @Test func `a failover that loses groups is found, and the same groups fill the hole`()
      async throws
    {
      let primary = try PostgresServer()
      let standby = try PostgresServer(standbyOf: primary)
      let log = log("lossy", on: [primary, standby])
      var groups = try await log.fill(3)
      let follower = standby.log("lossy")
      while try await follower.readAll() != groups { await Task.yield() }
      standby.stop()
      for index in 3..<6 {
        groups.append(.after(groups[index].end))
        #expect(try await log.append(groups[index + 1]) == .appended(serverCount: 1))
      }
      try primary.crash()
      try standby.start()
      try standby.session().execute("select pg_promote()")
      let next = FrameGroup.after(groups[6].end)
      #expect(try await log.appendUntilKnown(next) == .missingPredecessor)
      #expect(try await log.head() == groups[3].end)
      // Several machines may append the lost groups again.
      let second = self.log("lossy", on: [primary, standby])
      for group in groups[4...] {
        #expect(try await log.append(group) == .appended(serverCount: 1))
        #expect(try await second.append(group) == .appended(serverCount: 1))
      }
      #expect(try await second.append(next) == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups + [next])
    }

    @Test func `a former primary that takes writes again gets no append`() async throws {
      let cluster = try await PostgresCluster(standbyCount: 1, isSynchronous: false)
      let log = cluster.log("former")
      var groups = try await log.fill(3)
      let follower = cluster.servers[1].log("former")
      while try await follower.readAll() != groups { await Task.yield() }
      try await cluster.failOver()
      groups.append(.after(groups[3].end))
      #expect(try await log.appendUntilKnown(groups[4]) == .appended(serverCount: 1))
      // The former primary is the first host of the URL, and does not know that it was replaced.
      try cluster.servers[0].start()
      try cluster.primary.sql(
        """
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'daybook' and pid <> pg_backend_pid()
        """)
      groups.append(.after(groups[4].end))
      #expect(try await log.appendUntilKnown(groups[5]) == .appended(serverCount: 1))

      // A machine that starts later compares all hosts too.
      let late = cluster.log("former")
      #expect(try await late.head() == groups[5].end)
      groups.append(.after(groups[5].end))
      #expect(try await late.append(groups[6]) == .appended(serverCount: 1))
      #expect(try await late.readAll() == groups)
      #expect(try await cluster.servers[0].log("former").readAll() == Array(groups[...3]))
    }

    @Test func `a primary that was replaced during a session returns no head and takes no append`()
      async throws
    {
      let cluster = try await PostgresCluster(standbyCount: 1, isSynchronous: false)
      let log = cluster.log("replaced")
      var groups = try await log.fill(3)
      // The standby is promoted while the primary runs, as after a cut of their network.
      let standby = cluster.servers[1].log("replaced")
      while try await standby.readAll() != groups { await Task.yield() }
      try await cluster.promote(1, followedBy: [])
      groups.append(.after(groups[3].end))
      #expect(try await standby.appendUntilKnown(groups[4]) == .appended(serverCount: 1))
      // The session with the former primary lacks the predecessor.
      groups.append(.after(groups[4].end))
      #expect(
        await sentence { try await log.append(groups[5]) } == """
          The log \(log.name) cannot be reached: the server is a former primary, which a different \
          server has replaced. Stop it, or remove it from the URL.
          """)
      #expect(try await log.appendUntilKnown(groups[5]) == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups)
      #expect(try await cluster.servers[0].log("replaced").readAll() == Array(groups[...3]))
    }
  }
#endif
