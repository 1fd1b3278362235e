import DaybookJournal

extension SharedLogLaws {
  /// Appends different groups at the same number at the same time. Then appends one group by all
  /// writers at the same time.
  func checkRaces(_ session: LogSession<Log>) async throws {
    var random = session.random
    var clients: [LogClient] = []
    for _ in 0..<round.options.writerCount { clients.append(try await session.connectClient()) }

    // The first race is for the header.
    var headers = [session.maker.header]
    for _ in clients.dropFirst() { headers.append(GroupMaker(using: &random).header) }
    var winner = try await race(zip(clients, headers).map { ($0, $1) })
    for number in 0..<8 {
      var groups = clients.map { _ in session.maker.group(after: winner.end, using: &random) }
      if number % 4 == 2 {
        // All machines build equal bytes, for example if each adds 1 to a counter.
        for index in groups.indices.dropFirst() { groups[index] = groups[index - 1].duplicate }
      }
      if number % 4 == 3 {
        let outcomes = try await appendAtOnce(clients.map { ($0, groups[0]) })
        if let failed = outcomes.first(where: { ExpectedOutcome($0) != .appended }) {
          throw round.problem(
            .retry,
            explanation: """
              \(clients.count) connections appended \(groups[0].title) at the same time, and one append returned \
              \(ExpectedOutcome(failed).rawValue). Expected appended for all, because the groups are equal.
              """)
        }
        winner = groups[0]
      } else {
        winner = try await race(zip(clients, groups).map { ($0, $1) })
      }
    }
    try await session.client.checkContents()
  }

  /// Appends groups with the same first number at the same time, and returns the group that was
  /// appended.
  private func race(_ appends: [(LogClient, FrameGroup)]) async throws -> FrameGroup {
    let outcomes = try await appendAtOnce(appends)
    for (outcome, (_, group)) in zip(outcomes, appends) {
      if case .appended = outcome { return group }
    }
    throw round.problem(
      .oneWinner,
      explanation: """
        \(appends.count) connections appended different groups at number \(appends[0].1.first) at the same time, and \
        no append returned appended. Exactly one of them must.
        """)
  }

  private func appendAtOnce(
    _ appends: [(LogClient, FrameGroup)]
  ) async throws -> [SharedAppendOutcome] {
    try await withThrowingTaskGroup(of: (Int, SharedAppendOutcome).self) { tasks in
      for (index, (client, group)) in appends.enumerated() {
        tasks.addTask { (index, try await client.append(group)) }
      }
      var outcomes = appends.map { _ in SharedAppendOutcome.conflict }
      for try await (index, outcome) in tasks { outcomes[index] = outcome }
      return outcomes
    }
  }

  /// Lets several writers and readers work at the same time, with faults between them and the log.
  func checkWriters(_ session: LogSession<Log>) async throws {
    var random = session.random
    try await session.appendHeader()
    let start = session.maker.header
    var connections: [FaultySharedLog] = []
    var clients: [LogClient] = []
    for _ in 0...round.options.writerCount {
      let connection = FaultySharedLog(
        over: try await session.connect(), plan: .random(seed: random.next(), percent: 40))
      connections.append(connection)
      clients.append(LogClient(connection, history: session.history, round: round))
    }
    let read = try await withThrowingTaskGroup(of: Void.self) { tasks in
      for client in clients.dropFirst() {
        let random = SplitMix64(seed: random.next())
        tasks.addTask {
          try await write(
            groupCount: 6, after: start, of: session.maker, by: client, random: random)
        }
      }
      let reader = clients[0]
      let following = Task { try await follow(after: start, reader) }
      do { try await tasks.waitForAll() } catch {
        following.cancel()
        throw error
      }
      following.cancel()
      return try await following.value
    }
    for connection in connections { await connection.performLateRequests() }
    let contents = try await session.client.checkContents()
    try checkPrefix([start] + read, of: contents)
    try await session.client.checkHead(is: contents.last?.end)
  }

  /// Appends groups. After a conflict, reads the groups of the other writers first.
  func write(
    groupCount: Int, after start: FrameGroup, of maker: GroupMaker, by client: LogClient,
    random generator: SplitMix64
  ) async throws(ConformanceProblem) {
    var random = generator
    var last = start
    var count = 0
    var patience = round.makePatience()
    while count < groupCount {
      let group = maker.group(after: last.end, using: &random)
      switch try await client.appendOrAbandon(group) {
      case .appended:
        last = group
        count += 1
        patience = round.makePatience()
      case nil:
        // The next group takes the number of the group that was not sent.
        guard await patience.allowsAttempt() else {
          throw round.problem(
            .reply,
            explanation:
              "Each append at number \(last.next) threw unavailable, although the log is open.")
        }
      case .conflict:
        let more = try await client.readMore(after: last.end)
        last = more[more.count - 1]
      case .missingPredecessor:
        throw round.problem(
          .durability,
          explanation: """
            An append of \(group.title) returned missingPredecessor, but \(last.titleAndChecksum) had been acknowledged \
            or read. The log must keep such a group.
            """)
      }
    }
  }

  /// Reads groups while others are appended, until the task is cancelled.
  private func follow(after start: FrameGroup, _ client: LogClient) async throws -> [FrameGroup] {
    var groups: [FrameGroup] = []
    while !Task.isCancelled {
      let end = (groups.last ?? start).end
      let more = try await client.read(from: end.next)
      try client.history.checkConsecutive(more, after: end)
      groups += more
      await Task.yield()
    }
    return groups
  }

  private func checkPrefix(_ groups: [FrameGroup], of contents: [FrameGroup]) throws {
    for (index, group) in groups.enumerated() {
      guard index < contents.count, contents[index] == group else {
        throw round.problem(
          .prefix,
          explanation: """
            A read returned \(group.titleAndChecksum) while writers appended, but the log does not contain this group \
            afterward. A read must return only groups that remain in the log.
            """)
      }
    }
  }

  /// Cancels tasks during their appends. The append after that resolves the outcome.
  func checkCancellation(_ session: LogSession<Log>) async throws {
    var random = session.random
    let client = session.client
    try await session.appendHeader()
    var last = session.maker.header
    for number in 0..<6 {
      let group = session.maker.group(after: last.end, using: &random)
      let task = Task { () async -> SharedAppendOutcome? in
        // Half of the tasks are cancelled before their append starts.
        if number % 2 == 0 { withUnsafeCurrentTask { $0?.cancel() } }
        return try? await client.appendOnce(group)
      }
      for _ in 0..<random.below(8) { await Task.yield() }
      task.cancel()
      if let outcome = await task.value {
        try session.history.record(outcome, of: group)
        // The log must contain the group without a second append.
        if case .appended = outcome { try await client.checkContents() }
      }
      try await client.append(
        group, expecting: [.appended], law: .retry,
        because: "no other group with this number was appended, and cancellation changes nothing")
      last = group
    }
    try await client.checkContents()
  }

  /// Checks that appends and reads do not depend on the reader of the hints.
  func checkHints(_ session: LogSession<Log>) async throws {
    var random = session.random
    try await session.appendHeader()
    // One stream is never read, one is released at once, and one is read by a task that ends early.
    let unread = session.log.changes()
    _ = session.log.changes()
    let hints = session.log.changes()
    let listener = Task {
      var count = 0
      for await _ in hints { count += 1 }
      return count
    }
    var last = session.maker.header
    for number in 0..<20 {
      if number == 10 { listener.cancel() }
      let group = session.maker.group(after: last.end, using: &random)
      try await session.client.append(
        group, expecting: [.appended], law: .chain,
        because: "the log ends directly before the group")
      last = group
    }
    _ = await listener.value
    withExtendedLifetime(unread) {}
    try await session.client.checkContents()
  }
}
