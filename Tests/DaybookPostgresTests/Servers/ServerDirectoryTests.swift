#if Postgres
  import DaybookCLibrary
  import TestSupport
  import Testing

  @Suite("Directories of servers") struct ServerDirectoryTests {
    @Test func `the directories of processes that have ended are removed`() throws {
      let kept = try ServerDirectory.make()
      defer { try? PostgresServer.run(ServerDirectory.removal(of: kept)) }
      let directory = TemporaryDirectory(path: kept)
      let owner = String(decoding: try directory.bytes(of: "owner").dropLast(), as: UTF8.self)
        .split(separator: " ")
      #expect(owner.first == "\(getpid())" && owner.count == 3)
      // A process with the same number that has started at a different time, and one of a different
      // number space.
      let (reused, foreign) = (try ServerDirectory.make(), try ServerDirectory.make())
      try PostgresServer.run("echo \(owner[0]) 1 '\(owner[2])' >\(reused)/owner")
      try PostgresServer.run("echo \(owner[0]) 1 'pid:[1]' >\(foreign)/owner")
      defer { try? PostgresServer.run(ServerDirectory.removal(of: foreign)) }
      try ServerDirectory.removeAbandoned()
      let names = Set(TemporaryDirectory(path: "/tmp").names.map { "/tmp/\($0)" })
      #expect(names.isSuperset(of: [kept, foreign]) && !names.contains(reused))
    }

    /// Without a server, most suites of this target are skipped.
    @Test(.enabled(if: getenv("DAYBOOK_REQUIRES_POSTGRES") != nil))
    func `the machine has the programs of a server, if the tests require them`() {
      #expect(PostgresServer.isInstalled, "\(PostgresServer.absence)")
    }
  }
#endif
