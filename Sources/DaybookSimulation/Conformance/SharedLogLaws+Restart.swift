import DaybookJournal

extension SharedLogLaws {
  /// Restarts the server after an append was acknowledged and its rival refused.
  func checkRestart(
    _ session: LogSession<Log>, restarting: @Sendable (Log) async throws -> Void
  ) async throws {
    var random = session.random
    try await session.appendHeader()
    var last = session.maker.header
    var client = session.client
    for _ in 0..<3 {
      let group = session.maker.group(after: last.end, using: &random)
      let rival = session.maker.group(after: last.end, using: &random)
      try await client.append(
        group, expecting: [.appended], law: .chain,
        because: "the log ends directly before the group")
      try await client.append(
        rival, expecting: [.conflict], law: .oneWinner,
        because: "the log contains a different group with the same first number")
      try await restarting(session.log)
      client = try await session.connectClient()
      try await client.checkContents()
      try await client.append(
        rival, expecting: [.conflict], law: .durability,
        because: "a different group with the same first number was acknowledged before the restart")
      try await client.append(
        group, expecting: [.appended], law: .durability,
        because: "the group was acknowledged before the restart")
      last = group
    }
  }

  /// Restarts the server while several writers append.
  func checkWritersOverRestart(
    _ session: LogSession<Log>, restarting: @Sendable (Log) async throws -> Void
  ) async throws {
    var random = session.random
    try await session.appendHeader()
    let start = session.maker.header
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for _ in 0..<round.options.writerCount {
        let random = SplitMix64(seed: random.next())
        let connection = ReconnectingLog(try await session.connect()) {
          try await session.connect()
        }
        let client = LogClient(connection, history: session.history, round: round)
        tasks.addTask {
          try await write(
            groupCount: 6, after: start, of: session.maker, by: client, random: random)
        }
      }
      for _ in 0..<20 { await Task.yield() }
      try await restarting(session.log)
      try await tasks.waitForAll()
    }
    try await session.connectClient().checkContents()
  }
}
