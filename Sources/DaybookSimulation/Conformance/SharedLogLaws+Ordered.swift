import DaybookJournal

extension SharedLogLaws {
  /// Checks a log without a group.
  func checkEmptyLog(_ session: LogSession<Log>) async throws {
    let (client, maker) = (session.client, session.maker)
    var random = session.random
    if let head = try await client.head() {
      throw round.problem(
        .empty,
        explanation: "The head of a new log is \(head.title). Expected nil: a new log has no group."
      )
    }
    for first: SequenceNumber in [.zero, 1, SequenceNumber(.max)] {
      let groups = try await client.read(from: first)
      if let group = groups.first {
        throw round.problem(
          .empty,
          explanation: "A read of a new log returned \(group.title). A new log has no group.")
      }
    }
    let early = maker.group(after: maker.header.end, using: &random)
    try await client.append(
      early, expecting: [.missingPredecessor], law: .chain, because: "the log contains no group")
    try await session.appendHeader()
    try await client.append(
      early, expecting: [.appended], law: .chain, because: "the log ends directly before the group")
    var other = random
    let rival = GroupMaker(using: &other).header
    try await client.append(
      rival, expecting: [.conflict], law: .oneWinner,
      because: "the log contains a different header")
    try await client.checkContents()
  }

  /// Performs random calls, one after the other, and compares each result with a plain array of
  /// groups.
  func checkOrderedCalls(_ session: LogSession<Log>) async throws {
    var random = session.random
    let clients = [session.client, try await session.connectClient()]
    try await session.appendHeader()
    var model = LogModel(groups: [session.maker.header], maker: session.maker)
    for _ in 0..<40 {
      let client = clients[random.below(clients.count)]
      switch random.below(10) {
      case 0..<4:
        let group = model.nextGroup(using: &random)
        try await client.append(
          group, expecting: [.appended], law: .chain,
          because: "the log ends directly before the group")
        model.groups.append(group)
      case 4:
        try await client.append(
          model.anyGroup(using: &random), expecting: [.appended], law: .retry,
          because: "the log contains the group already")
      case 5: try await checkRefusals(of: model, by: client, random: &random)
      case 6:
        try await client.checkHead(is: model.head)
      default: try await checkRead(of: model, by: client, random: &random)
      }
    }
    let contents = try await clients[1].checkContents()
    if contents.count != model.groups.count {
      throw round.problem(
        .retry,
        explanation: """
          The log contains \(contents.count) groups, but \(model.groups.count) were appended. A refused or repeated \
          append must change nothing.
          """)
    }
  }

  /// Appends groups at wrong positions.
  private func checkRefusals(
    of model: LogModel, by client: LogClient, random: inout SplitMix64
  ) async throws {
    let (maker, head) = (model.maker, model.head)
    let present = model.groups[random.below(model.groups.count)]
    try await client.append(
      present.duplicate, expecting: [.conflict], law: .oneWinner,
      because: "the log contains the group of a different machine, whose bytes are equal")
    if present.first > .zero {
      let before = SharedHead(next: present.first, checksum: present.previousChecksum)
      try await client.append(
        maker.group(after: before, using: &random), expecting: [.conflict], law: .oneWinner,
        because: "the log contains a different group with the same first number")
      let fork = SharedHead(next: present.first, checksum: random.next())
      try await client.append(
        maker.group(after: fork, using: &random), expecting: [.conflict, .missingPredecessor],
        law: .chain, because: "the log contains a different group with the same first number")
      if present.next > present.first.next {
        let inside = SharedHead(next: present.first.next, checksum: random.next())
        try await client.append(
          maker.group(after: inside, using: &random), expecting: [.conflict, .missingPredecessor],
          law: .chain, because: "the group starts inside a group of the log")
      }
    }
    let gap = SharedHead(next: head.next + (1 + random.below(3)), checksum: random.next())
    try await client.append(
      maker.group(after: gap, using: &random), expecting: [.missingPredecessor], law: .gapFree,
      because: "the log ends before the frame that the group follows")
    // The numbers fit, and only the checksum shows that the group belongs to a different history.
    let fork = SharedHead(next: head.next, checksum: random.next())
    try await client.append(
      maker.group(after: fork, using: &random), expecting: [.missingPredecessor], law: .chain,
      because: "the last frame of the log has a different check")
  }

  /// Reads from a random number, with a random limit.
  private func checkRead(
    of model: LogModel, by client: LogClient, random: inout SplitMix64
  ) async throws {
    let first = model.anyNumber(using: &random)
    let limit = [0, 1, 5_000, 20_000, .max][random.below(5)]
    let expected = model.groups(from: first)
    var patience = round.makePatience()
    var found = try await client.read(from: first, byteCount: limit)
    while found.isEmpty, !expected.isEmpty, await patience.allowsAttempt() {
      found = try await client.read(from: first, byteCount: limit)
    }
    let call = "A read from number \(first) with a limit of \(limit) bytes"
    guard let firstExpected = expected.first else {
      if let group = found.first {
        throw round.problem(
          .gapFree,
          explanation:
            "\(call) returned \(group.title). Expected no group: the log ends before the number.")
      }
      return
    }
    guard let firstFound = found.first else {
      throw round.problem(
        .readLimit,
        explanation:
          "\(call) returned no group. Expected at least one, starting with \(firstExpected.title).")
    }
    guard firstFound.first == firstExpected.first else {
      throw round.problem(
        .gapFree,
        explanation: """
          \(call) returned \(firstFound.title) first. Expected \(firstExpected.title), which contains the number.
          """)
    }
    let before = SharedHead(next: firstExpected.first, checksum: firstExpected.previousChecksum)
    try client.history.checkConsecutive(found, after: before)
    for (group, expected) in zip(found, expected) {
      if let difference = group.difference(from: expected) {
        throw round.problem(.contents, explanation: difference)
      }
    }
    let byteCount = found.dropLast().reduce(0) { $0 + $1.bytes.count }
    if found.count > 1, byteCount >= limit {
      throw round.problem(
        .readLimit,
        explanation: """
          \(call) returned \(found.count) groups, and all but the last have \(byteCount) bytes. After the limit, a \
          read must return no further group.
          """)
    }
  }

  /// Checks that a closed connection throws `closed`, and that other connections remain usable.
  func checkClosing(_ session: LogSession<Log>) async throws {
    var random = session.random
    try await session.appendHeader()
    let last = session.maker.group(after: session.maker.header.end, using: &random)
    let other = try await session.connectClient()
    try await session.client.append(
      last, expecting: [.appended], law: .chain, because: "the log ends directly before the group")
    await session.log.close()
    await session.log.close()

    let late = session.maker.group(after: last.end, using: &random)
    let log = session.log
    try await checkClosed("head", of: log) { () async throws(SharedLogError) in
      _ = try await log.head()
    }
    try await checkClosed("read", of: log) { () async throws(SharedLogError) in
      _ = try await log.read(from: .zero, byteCount: 1)
    }
    try await checkClosed("append", of: log) { () async throws(SharedLogError) in
      _ = try await log.append(late)
    }
    guard session.hasConnections else { return }
    let contents = try await other.checkContents()
    if contents.last != last {
      throw round.problem(
        .closing,
        explanation: """
          After the close of one connection, another one returned \(contents.count) groups. Expected 2: a closed \
          connection appends nothing, and the others remain usable.
          """)
    }
    try await other.append(
      late, expecting: [.appended], law: .closing, because: "only another connection was closed")
  }

  private func checkClosed(
    _ call: String, of log: Log, body: () async throws(SharedLogError) -> Void
  ) async throws {
    var found = "returned a result."
    do throws(SharedLogError) {
      try await body()
    } catch {
      if error == SharedLogError(.closed, log: log.name) { return }
      found = "threw this error: \(error)"
    }
    throw round.problem(
      .closing,
      explanation: """
        A call of \(call) after close \(found) Expected the error: \(SharedLogError(.closed, log: log.name))
        """)
  }
}

/// The groups that a log must contain.
struct LogModel {
  var groups: [FrameGroup]
  /// The groups that a base has replaced.
  var dropped: [FrameGroup] = []
  let maker: GroupMaker

  /// The end of the last group.
  ///
  /// - Precondition: The log contains the header.
  var head: SharedHead { groups[groups.count - 1].end }

  func nextGroup(using random: inout SplitMix64) -> FrameGroup {
    maker.group(after: head, using: &random)
  }

  func anyGroup(using random: inout SplitMix64) -> FrameGroup {
    groups[random.below(groups.count)]
  }

  /// Returns a number inside a group or at the end of the log, and seldom the largest number.
  func anyNumber(using random: inout SplitMix64) -> SequenceNumber {
    switch random.below(10) {
    case 0: return SequenceNumber(.max)
    case 1: return head.next
    case 2: return head.next + 1
    default:
      let group = anyGroup(using: &random)
      // The base of a journal can have more numbers than an `Int` can represent.
      let offset = random.next() % (group.next.rawValue - group.first.rawValue)
      return SequenceNumber(group.first.rawValue + offset)
    }
  }

  /// Returns the group that contains a number, and all later groups.
  func groups(from first: SequenceNumber) -> ArraySlice<FrameGroup> {
    groups.drop { $0.next <= first }
  }
}
