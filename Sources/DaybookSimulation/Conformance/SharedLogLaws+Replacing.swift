import DaybookJournal

extension SharedLogLaws {
  /// Replaces the first groups by bases at random ends, and compares the log with a plain array of
  /// groups. A log that keeps all groups is not checked.
  func checkReplacing(_ session: LogSession<Log>) async throws {
    var random = session.random
    let clients = [session.client, try await session.connectClient()]
    try await session.appendHeader()
    var model = LogModel(groups: [session.maker.header], maker: session.maker)
    for _ in 0..<40 {
      let client = clients[random.below(clients.count)]
      switch random.below(8) {
      case 0..<4:
        let group = model.nextGroup(using: &random)
        try await client.append(
          group, expecting: [.appended], law: .chain,
          because: "the log ends directly before the group")
        model.groups.append(group)
      case 4, 5:
        guard try await replace(in: &model, by: client, random: &random) else { return }
      case 6:
        // The end is inside a group, after the log, or has a different check.
        let group = model.anyGroup(using: &random)
        var end = group.end
        switch random.below(3) {
        case 0: end = SharedHead(next: model.head.next + 1, checksum: random.next())
        case 1 where group.next > group.first.next && group.first > .zero:
          end = SharedHead(next: group.first.next, checksum: random.next())
        default: end.checksum ^= 1
        }
        let base = session.maker.base(at: end, using: &random)
        guard let isReplaced = try await client.replaceGroups(with: base) else { return }
        if isReplaced {
          throw round.problem(
            .base,
            explanation: """
              A base that ends at \(end.title) was accepted. Expected false, because no group of the log ends there.
              """)
        }
      case 7 where model.dropped.count > 0:
        let group = model.dropped[random.below(model.dropped.count)]
        let outcome = ExpectedOutcome(try await client.appendUnrecorded(group))
        if outcome != .missingPredecessor {
          throw round.problem(
            .base,
            explanation: """
              An append of \(group.title) returned \(outcome.rawValue). Expected missingPredecessor, because a base \
              has replaced the group and the groups before it.
              """)
        }
      default: break
      }
      try await check(model, by: clients[random.below(clients.count)])
    }
  }

  /// Replaces the groups up to a random one.
  ///
  /// - Returns: False if the log keeps all groups.
  private func replace(
    in model: inout LogModel, by client: LogClient, random: inout SplitMix64
  ) async throws -> Bool {
    let index = random.below(model.groups.count)
    let base = model.maker.base(at: model.groups[index].end, using: &random)
    for _ in 0..<2 {
      guard let isReplaced = try await client.replaceGroups(with: base) else { return false }
      if !isReplaced {
        throw round.problem(
          .base,
          explanation: """
            A base that ends at \(base.end.title) was not accepted. Expected true, because \
            \(model.groups[index].title) ends there.
            """)
      }
    }
    // A base with the same end is not replaced.
    if index > 0 {
      model.dropped += model.groups[...index].filter { $0.first > .zero }
      model.groups.replaceSubrange(...index, with: [base])
    }
    return true
  }

  /// Compares the head and the groups of a log with those of a model.
  private func check(_ model: LogModel, by client: LogClient) async throws {
    try await client.checkHead(is: model.head)
    let found = try await groups(through: model.head, by: client)
    if let (stored, expected) = zip(found, model.groups).first(where: { $0 != $1 }),
      stored.first == expected.first, let difference = stored.difference(from: expected)
    {
      throw round.problem(.base, explanation: difference)
    }
    if found != model.groups {
      throw round.problem(
        .base,
        explanation: """
          The log returned \(found.count) groups: \(found.map(\.title).joined(separator: ", ")). Expected \
          \(model.groups.count): \(model.groups.map(\.title).joined(separator: ", ")).
          """)
    }
  }

  /// Reads the whole log. Waits until the log returns the group that ends at its head.
  private func groups(through head: SharedHead?, by client: LogClient) async throws -> [FrameGroup]
  {
    var groups: [FrameGroup] = []
    var patience = round.makePatience()
    while groups.last?.end != head {
      let more = try await client.read(from: groups.last?.next ?? .zero)
      groups += more
      if more.isEmpty, !(await patience.allowsAttempt()) { break }
    }
    return groups
  }

  /// Lets writers append while other connections replace the first groups. Some appends follow an
  /// old head or repeat an old group, as those of a machine that was late.
  func checkWritersOverReplacing(_ session: LogSession<Log>) async throws {
    var random = session.random
    try await session.appendHeader()
    let probe = session.maker.base(at: session.maker.header.end, using: &random)
    guard try await session.client.replaceGroups(with: probe) != nil else { return }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<round.options.writerCount {
        let client = try await session.connectClient()
        let generator = SplitMix64(seed: random.next())
        tasks.addTask {
          var random = generator
          try await appendOverReplacing(
            session.maker, by: client, replaces: number % 2 == 1, random: &random)
        }
      }
      try await tasks.waitForAll()
    }
    let head = try await session.client.head()
    let contents = try await groups(through: head, by: session.client)
    try session.history.checkConsecutive(contents, after: SharedHead(next: .zero, checksum: 0))
    try checkAcknowledged(session.history.acknowledgedGroups, in: contents)
  }

  /// Appends groups, and replaces the first groups of the log if it is asked to.
  private func appendOverReplacing(
    _ maker: GroupMaker, by client: LogClient, replaces: Bool, random: inout SplitMix64
  ) async throws {
    var heads: [SharedHead] = []
    var acknowledged: [FrameGroup] = []
    for _ in 0..<20 {
      guard let head = try await client.head() else { continue }
      heads.append(head)
      if replaces, random.below(3) == 0 {
        try await replaceSome(maker, by: client, random: &random)
        continue
      }
      let choice = random.below(6)
      let group: FrameGroup
      if choice == 0, !acknowledged.isEmpty {
        group = acknowledged[random.below(acknowledged.count)]
      } else {
        let recent = heads.suffix(4)
        let end = choice < 3 ? recent[recent.startIndex + random.below(recent.count)] : head
        group = maker.group(after: end, using: &random)
      }
      if case .appended = try await client.append(group) { acknowledged.append(group) }
    }
  }

  /// Checks that acknowledged groups do not overlap, and that the log contains each of them that
  /// its base does not replace.
  private func checkAcknowledged(
    _ acknowledged: [FrameGroup], in contents: [FrameGroup]
  ) throws(ConformanceProblem) {
    let stored = Set(contents)
    let base = contents.first?.next ?? .zero
    var previous: FrameGroup?
    for group in acknowledged {
      if let previous, previous.next > group.first {
        throw round.problem(
          .base,
          explanation: """
            While bases were stored, \(previous.title) and \(group.title) were acknowledged. Each number belongs to one \
            group.
            """)
      }
      previous = group
      if group.next > base, !stored.contains(group) {
        throw round.problem(
          .base,
          explanation: """
            After a base was stored, the log does not contain \(group.title), which it had acknowledged.
            """)
      }
    }
  }

  private func replaceSome(
    _ maker: GroupMaker, by client: LogClient, random: inout SplitMix64
  ) async throws {
    let groups = try await client.read(from: .zero)
    guard !groups.isEmpty else { return }
    // A base at the end of the log replaces also the groups after the heads that others have read.
    let index = random.below(2) == 0 ? groups.count - 1 : random.below(groups.count)
    let end = groups[index].end
    // A different connection can have replaced more meanwhile.
    _ = try await client.replaceGroups(with: maker.base(at: end, using: &random))
  }
}
