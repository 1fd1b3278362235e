import DaybookJournal

/// A client of a shared log that repeats a call whose outcome is unknown, and records all appends.
struct LogClient: Sendable {
  private let log: any SharedLog
  let history: LogHistory
  let round: ConformanceRound

  init(_ log: any SharedLog, history: LogHistory, round: ConformanceRound) {
    self.log = log
    self.history = history
    self.round = round
  }

  /// Appends a group, and appends it again while its outcome is unknown.
  func append(_ group: FrameGroup) async throws(ConformanceProblem) -> SharedAppendOutcome {
    let outcome = try await repeated("append") { () async throws(SharedLogError) in
      try await appendOnce(group)
    }
    try history.record(outcome, of: group)
    return outcome
  }

  /// Appends a group. If the first append throws `unavailable`, nothing was sent, and the group
  /// can be abandoned.
  ///
  /// - Returns: The outcome; nil if the group is abandoned.
  func appendOrAbandon(
    _ group: FrameGroup
  ) async throws(ConformanceProblem) -> SharedAppendOutcome? {
    let outcome: SharedAppendOutcome
    do throws(SharedLogError) {
      outcome = try await appendOnce(group)
    } catch {
      if case .unavailable = error.reason { return nil }
      return try await append(group)
    }
    try history.record(outcome, of: group)
    return outcome
  }

  /// Appends a group, and records a failure. The caller records an outcome.
  func appendOnce(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    do throws(SharedLogError) {
      return try await log.append(group)
    } catch {
      if case .unknown = error.reason {
        history.recordFailure(of: group, wasSent: true)
      } else {
        history.recordFailure(of: group, wasSent: false)
      }
      throw error
    }
  }

  /// Appends a group like ``append(_:)``, but records nothing, because a base can replace the
  /// group.
  func appendUnrecorded(
    _ group: FrameGroup
  ) async throws(ConformanceProblem) -> SharedAppendOutcome {
    try await repeated("append") { () async throws(SharedLogError) in try await log.append(group) }
  }

  /// Appends a group, and checks its outcome.
  func append(
    _ group: FrameGroup, expecting expected: [ExpectedOutcome], law: ConformanceProblem.Law,
    because reason: String
  ) async throws(ConformanceProblem) {
    let found = ExpectedOutcome(try await append(group))
    if !expected.contains(found) {
      throw round.problem(
        law,
        explanation: """
          An append of \(group.title) returned \(found.rawValue). Expected \
          \(expected.map(\.rawValue).joined(separator: " or ")), because \(reason).
          """)
    }
  }

  /// Replaces the first groups, and repeats the call while its outcome is unknown.
  ///
  /// - Returns: The result; nil if the log keeps all groups.
  func replaceGroups(with base: FrameGroup) async throws(ConformanceProblem) -> Bool? {
    try await repeated("call of replaceGroups") { () async throws(SharedLogError) -> Bool? in
      do throws(SharedLogError) { return try await log.replaceGroups(with: base) } catch {
        guard case .refused(SharedLogError.keepsAllGroups) = error.reason else { throw error }
        return nil
      }
    }
  }

  func head() async throws(ConformanceProblem) -> SharedHead? {
    try await repeated("call of head") { () async throws(SharedLogError) in try await log.head() }
  }

  func read(
    from first: SequenceNumber, byteCount: Int = 1 << 20
  ) async throws(ConformanceProblem) -> [FrameGroup] {
    try await repeated("read") { () async throws(SharedLogError) in
      try await log.read(from: first, byteCount: byteCount)
    }
  }

  /// Reads the groups that follow an end, until the log returns at least one.
  func readMore(after end: SharedHead) async throws(ConformanceProblem) -> [FrameGroup] {
    var patience = round.makePatience()
    while true {
      let groups = try await read(from: end.next)
      try history.checkConsecutive(groups, after: end)
      if !groups.isEmpty { return groups }
      guard await patience.allowsAttempt() else {
        throw round.problem(
          .durability,
          explanation: """
            Reads from number \(end.next) return no group, but an append at this number had returned conflict. After \
            a conflict, the log contains a group with the number.
            """)
      }
    }
  }

  /// Reads the whole log. Waits until the log returns all acknowledged groups.
  func contents() async throws(ConformanceProblem) -> [FrameGroup] {
    var groups: [FrameGroup] = []
    var patience = round.makePatience()
    while true {
      let end = groups.last?.end ?? SharedHead(next: .zero, checksum: 0)
      let more = try await read(from: end.next)
      try history.checkConsecutive(more, after: end)
      groups += more
      guard more.isEmpty else { continue }
      if end.next >= history.acknowledgedEnd { return groups }
      guard await patience.allowsAttempt() else { return groups }
    }
  }

  /// Reads the whole log, and checks it against the history.
  @discardableResult
  func checkContents() async throws(ConformanceProblem) -> [FrameGroup] {
    let contents = try await contents()
    try history.check(contents)
    return contents
  }

  /// Checks that the head is the end of the last acknowledged group.
  func checkHead(is expected: SharedHead?) async throws(ConformanceProblem) {
    let found = try await head()
    if found != expected {
      throw round.problem(
        .durability,
        explanation: """
          The head of the log is \(found?.title ?? "nil"). Expected \(expected?.title ?? "nil"), which is the end of \
          the last acknowledged group.
          """)
    }
  }

  /// Performs a call, and repeats it while the log is unavailable or the outcome is unknown.
  private func repeated<Value: Sendable>(
    _ call: String, body: () async throws(SharedLogError) -> Value
  ) async throws(ConformanceProblem) -> Value {
    var patience = round.makePatience()
    while true {
      do throws(SharedLogError) {
        return try await body()
      } catch {
        let isTransient =
          switch error.reason {
          case .unavailable, .unknown: true
          case .refused, .closed: false
          }
        let waits = isTransient ? await patience.allowsAttempt() : false
        guard waits else {
          throw round.problem(
            .reply, explanation: "The \(call) failed, although the log is open: \(error)")
        }
      }
    }
  }
}

/// The outcomes of an append without their values.
enum ExpectedOutcome: String {
  case appended, conflict
  case missingPredecessor = "missingPredecessor"

  init(_ outcome: SharedAppendOutcome) {
    self =
      switch outcome {
      case .appended: .appended
      case .conflict: .conflict
      case .missingPredecessor: .missingPredecessor
      }
  }
}

extension ConformanceRound {
  /// Reads the whole log with a client that has no history.
  package func contents(of log: any SharedLog) async throws(ConformanceProblem) -> [FrameGroup] {
    try await LogClient(log, history: LogHistory(self), round: self).contents()
  }
}
