#if Postgres
  import DaybookJournal
  import DaybookStore
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "Disks of servers", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct PostgresDiskServerTests {
    /// A Boolean value that indicates whether this process may mount file systems.
    private static let canMount =
      (try? PostgresServer.run("unshare -m mount -t tmpfs -o size=1m none /mnt")) != nil

    @Test(.enabled(if: canMount, "file systems can be mounted by root only"))
    func `a full disk refuses appends, and saves go on when there is space again`() async throws {
      let server = try PostgresServer(
        preparation: "mount -t tmpfs -o size=160m none data && chown --reference=. data")
      let log = server.log("disk")
      var groups = try await log.fill(2)
      let store = try await NoteMachine(1).open(server.log("notes"))
      try await store.add(1)

      try? PostgresServer.run("head -c 300m /dev/zero >\(server.path("data/filler")) 2>/dev/null")
      groups.append(.after(groups[2].end, byteCount: 300_000))
      let refused = await sentence { try await log.append(groups[3]) }
      #expect(
        refused.hasPrefix("The log \(log.name) cannot be reached: could not extend file"),
        "\(refused)")
      #expect(refused.contains("No space left on device"))
      // A small group still fits into the pages that exist.
      #expect(try await log.head() == groups[2].end)

      try PostgresServer.run("rm \(server.path("data/filler"))")
      #expect(try await log.appendUntilKnown(groups[3]) == .appended(serverCount: 1))
      #expect(try await log.readAll() == groups)
      try await store.addUntilSaved(2)
      #expect(try store.ids() == [1, 2])
      try await store.close()
    }
  }
#endif
