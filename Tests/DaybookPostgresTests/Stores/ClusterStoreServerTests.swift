#if Postgres
  import DaybookJournal
  import DaybookStore
  import DaybookTesting
  import Synchronization
  import Testing
  import StoreTestSupport
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "Stores that share a log in PostgreSQL", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct ClusterStoreServerTests {
    @Test func `eight stores over a server keep their promises`() async throws {
      Audit.start()
      let server = try PostgresServer.shared.get()
      let names = NameMaker()
      var options = ConformanceOptions(seed: 1, roundCount: FaultRow.count(1, full: 100, least: 1))
      options.writerCount = 8
      options.patience = .seconds(120)
      try await checkStores(
        sharing: { server.log(names.next("stores")) },
        connecting: { PostgresLog(server.url(), name: $0.baseName) }, options: options)
    }

    @Test func `eight stores keep their promises over a failover to a synchronous standby`()
      async throws
    {
      Audit.start()
      let count = FaultRow.count(1, full: 30, least: 1)
      for seed in 1...UInt64(count) {
        let cluster = try await PostgresCluster(standbyCount: 2, isSynchronous: true)
        let failoverCount = Mutex(0)
        var options = ConformanceOptions(seed: seed, roundCount: 1)
        options.writerCount = 8
        options.patience = .seconds(120)
        try await checkStores(
          sharing: { cluster.log("failover") },
          connecting: { _ in cluster.log("failover") },
          restarting: { _ in
            try await cluster.failOver()
            failoverCount.withLock { $0 += 1 }
          }, options: options)
        #expect(failoverCount.withLock { $0 } == 1)
      }
    }

    @Test func `a failover that loses saves is found by the check of stores`() async throws {
      Audit.start()
      let cluster = try await PostgresCluster(standbyCount: 1, isSynchronous: false)
      let standby = cluster.servers[1]
      let connectionCount = Mutex(0)
      var options = ConformanceOptions(seed: 1, roundCount: 1)
      options.writerCount = 8
      options.patience = .seconds(120)
      var found = "no problem"
      do {
        try await checkStores(
          sharing: { cluster.log("lossy") },
          connecting: { _ in
            let count = connectionCount.withLock { count in
              count += 1
              return count
            }
            // The standby has the beginning of the log.
            if count == 9 {
              try await standby.wait(
                for: "select count(*) from (select from daybook.groups limit 1) as groups", toBe: 1)
              standby.stop()
            }
            return cluster.log("lossy")
          },
          restarting: { _ in
            try cluster.primary.crash()
            try standby.start()
            try await cluster.promote(1, followedBy: [])
          }, options: options)
      } catch { found = "\(error)" }
      // A store throws when it finds the loss, or the check finds that a save is missing. The
      // outcome of a save without an answer is not known before a repair.
      let findings = [
        "does not contain transaction", "was acknowledged, but", "is still not known",
      ]
      #expect(findings.contains { found.contains($0) }, "\(found)")
    }

    /// Returns the error of a call that must fail.
    private func reason(_ call: () async throws -> Void) async -> JournalError.Reason? {
      do {
        try await call()
        return nil
      } catch let error as StoreError {
        if case .journal(let error) = error.reason { return error.reason }
        return nil
      } catch { return nil }
    }

    @Test func `a former primary that waits for standbys acknowledges no save`() async throws {
      let cluster = try await PostgresCluster(standbyCount: 2, isSynchronous: true)
      let (first, second) = (NoteMachine(1), NoteMachine(2))
      let store = try await first.open(cluster.log("notes"))
      try await store.add(1)
      try await cluster.failOver()
      try await store.addUntilSaved(2)
      // The former primary is the first host of the URL.
      try cluster.servers[0].start()
      let other = try await second.open(cluster.log("notes"))
      #expect(try other.ids() == [1, 2])
      try await other.addUntilSaved(3)
      // A machine that knows the former primary only gets no acknowledgement.
      let stale = cluster.servers[0].log("notes", options: PostgresOptions(timeLimit: .seconds(1)))
      let end = try #require(try await stale.head())
      #expect(
        await sentence { try await stale.append(.after(end)) } == """
          The log \(stale.name) did not answer an append, which may be in the log or not: the server \
          did not react for 1.0 seconds.
          """)
      try await store.addUntilSaved(4, minimumServers: 2)
      #expect(
        await sentence { try await store.addUntilSaved(5, minimumServers: 3) } == """
          notes.daybook: the transaction is not saved, because of its shared log. The log \
          \(cluster.log("notes").name) cannot be used: it stores a transaction on 2 servers, and the \
          save requires 3. Save it again later.
          """)
      try await other.pull()
      #expect(try other.ids() == [1, 2, 3, 4])
      #expect(try store.ids() == [1, 2, 3, 4])
      #expect(other.sharingStatus == .connected && store.sharingStatus == .connected)
      try await other.close()
      try await store.close()
      let bytes = try await cluster.primary.log("notes").readAll().flatMap(\.bytes)
      let areEqual = first.frames == bytes && second.frames == bytes
      #expect(areEqual)
    }

    @Test func `an asynchronous failover loses saves, and each store that knew them says so`()
      async throws
    {
      let cluster = try await PostgresCluster(standbyCount: 1, isSynchronous: false)
      let (first, second) = (NoteMachine(1), NoteMachine(2))
      let store = try await first.open(cluster.log("notes"))
      try await store.add(1)
      let kept = try await cluster.log("notes").readAll()
      let follower = cluster.servers[1].log("notes")
      while try await follower.readAll() != kept { await Task.yield() }
      cluster.servers[1].stop()

      // The primary acknowledges two transactions that the standby never gets.
      try await store.add(2)
      let other = try await second.open(cluster.log("notes"))
      try await store.add(3)
      try cluster.primary.crash()
      try cluster.servers[1].start()
      try await cluster.promote(1, followedBy: [])

      // The log is shorter than both replicas, which can still be read.
      for (store, ids) in [(store, [1, 2, 3]), (other, [1, 2])] {
        var isDiverged = false
        for _ in 0..<12_000 where !isDiverged {
          switch await reason({ try await store.add(9) }) {
          case .diverged: isDiverged = true
          case .sharedLog: try await Task.sleep(for: .milliseconds(5))
          case let other: throw Surprise("the save had another outcome: \(other as Any)")
          }
        }
        #expect(isDiverged)
        if case .diverged = store.sharingStatus {
        } else {
          Issue.record("the status is \(store.sharingStatus as Any)")
        }
        #expect(try store.ids() == ids)
      }
      #expect(try await cluster.log("notes").readAll() == kept)
      try await store.close()
      try await other.close()
    }
  }
#endif
