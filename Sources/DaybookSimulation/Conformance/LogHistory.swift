import DaybookJournal
import Synchronization

/// A record of all appends to one shared log and of their outcomes. It checks the contents of the
/// log against them.
final class LogHistory: Sendable {
  // Shared state: `state`, guarded by its mutex.

  private struct Key: Hashable {
    let first: SequenceNumber
    let checksum: UInt64
    let nonce: UInt64

    init(_ group: FrameGroup) {
      (first, checksum, nonce) = (group.first, group.checksum, group.nonce)
    }
  }

  private struct Attempt {
    let group: FrameGroup
    /// A Boolean value that indicates whether an append of the group may have reached the log.
    var wasSent = false
    var wasRefused = false
  }

  private struct State {
    var attempts: [Key: Attempt] = [:]
    var acknowledged: [SequenceNumber: FrameGroup] = [:]
  }

  private let round: ConformanceRound
  private let state = Mutex(State())

  init(_ round: ConformanceRound) { self.round = round }

  /// The end of the last acknowledged group.
  var acknowledgedEnd: SequenceNumber {
    state.withLock { $0.acknowledged.values.map(\.next).max() ?? .zero }
  }

  /// The acknowledged groups, in the order of their first numbers.
  var acknowledgedGroups: [FrameGroup] {
    state.withLock { $0.acknowledged.values.sorted { $0.first < $1.first } }
  }

  /// Records an append that threw an error.
  ///
  /// - Parameter wasSent: A Boolean value that indicates whether the group may be in the log.
  func recordFailure(of group: FrameGroup, wasSent: Bool) {
    state.withLock { state in
      state.attempts[Key(group), default: Attempt(group: group)].wasSent =
        wasSent || state.attempts[Key(group)]?.wasSent ?? false
    }
  }

  /// Records the outcome of an append.
  ///
  /// - Throws: ``ConformanceProblem`` if the outcome contradicts an earlier one.
  func record(_ outcome: SharedAppendOutcome, of group: FrameGroup) throws(ConformanceProblem) {
    let problem = state.withLock { state -> ConformanceProblem? in
      var attempt = state.attempts[Key(group)] ?? Attempt(group: group)
      defer { state.attempts[Key(group)] = attempt }
      attempt.wasSent = true
      switch outcome {
      case .appended(let serverCount):
        if serverCount < 1 {
          return round.problem(
            .durability,
            explanation: """
              An append of \(group.title) returned appended with \(serverCount) servers. At least one server must \
              have the group.
              """)
        }
        let other = state.acknowledged.updateValue(group, forKey: group.first)
        if let other, other != group { return twoWinners(other, and: group) }
        if attempt.wasRefused {
          return round.problem(
            .oneWinner,
            explanation: """
              An append of \(group.titleAndChecksum) returned appended after an earlier append of it had returned \
              conflict. After a conflict, the number belongs to a different group.
              """)
        }
      case .conflict:
        if state.acknowledged[group.first] == group {
          return round.problem(
            .retry,
            explanation: """
              An append of \(group.titleAndChecksum) returned conflict after an earlier append of it had returned \
              appended. Appending a group again that the log contains must return appended.
              """)
        }
        attempt.wasRefused = true
      case .missingPredecessor: break
      }
      return nil
    }
    if let problem { throw problem }
  }

  private func twoWinners(_ one: FrameGroup, and other: FrameGroup) -> ConformanceProblem {
    if one.checksum == other.checksum {
      return round.problem(
        .oneWinner,
        explanation: """
          Two groups that start at number \(one.first) were acknowledged. Their bytes are equal, but their nonces \
          differ, so that they are the appends of two machines. The log must append exactly one of them.
          """)
    }
    let checks = [one.checksum, other.checksum].sorted().map { Hexadecimal.digits($0) }
    return round.problem(
      .oneWinner,
      explanation: """
        Two different groups that start at number \(one.first) were acknowledged, with the checks \(checks[0]) and \
        \(checks[1]). Of all groups that start at one number, the log must append exactly one.
        """)
  }

  /// Checks that groups are consecutive, and that they follow an end.
  func checkConsecutive(
    _ groups: [FrameGroup], after head: SharedHead
  ) throws(ConformanceProblem) {
    var end = head
    var title: String?
    for group in groups {
      guard group.first == end.next, group.next > group.first else {
        let context = title.map { "After \($0)" } ?? "For a read from number \(end.next)"
        throw round.problem(
          .gapFree,
          explanation: """
            \(context), the log returned \(group.title). A read must return consecutive groups.
            """)
      }
      guard group.previousChecksum == end.checksum else {
        throw round.problem(
          .chain,
          explanation: """
            The log returned \(group.title), which has the previous check \(Hexadecimal.digits(group.previousChecksum)), \
            but the frame before it ends with the checksum \(Hexadecimal.digits(end.checksum)). A group must follow the \
            frame that it names.
            """)
      }
      end = group.end
      title = group.title
    }
  }

  /// Checks the whole contents of the log.
  ///
  /// - Precondition: No append is running.
  func check(_ contents: [FrameGroup]) throws(ConformanceProblem) {
    try checkConsecutive(contents, after: SharedHead(next: .zero, checksum: 0))
    let state = state.withLock { $0 }
    let stored = Dictionary(contents.map { ($0.first, $0) }) { first, _ in first }
    for group in acknowledgedGroups {
      try checkAcknowledged(group, as: stored[group.first], end: contents.last?.next ?? .zero)
    }
    for group in contents {
      try checkSent(group, as: state.attempts[Key(group)])
    }
  }

  private func checkAcknowledged(
    _ group: FrameGroup, as stored: FrameGroup?, end: SequenceNumber
  ) throws(ConformanceProblem) {
    let rule = "The log must keep each group that it acknowledged."
    guard let stored else {
      throw round.problem(
        .durability,
        explanation:
          "The log ends before number \(end), but \(group.title) was acknowledged. \(rule)")
    }
    guard stored.checksum == group.checksum, stored.nonce == group.nonce else {
      throw round.problem(
        .durability,
        explanation: """
          The log contains \(stored.titleAndChecksum), but \(group.titleAndChecksum) was acknowledged. \(rule)
          """)
    }
  }

  private func checkSent(_ group: FrameGroup, as attempt: Attempt?) throws(ConformanceProblem) {
    guard let attempt else {
      throw round.problem(
        .contents,
        explanation: "The log returned \(group.titleAndChecksum), which was never appended."
      )
    }
    if let difference = group.difference(from: attempt.group) {
      throw round.problem(.contents, explanation: difference)
    }
    if !attempt.wasSent {
      throw round.problem(
        .reply,
        explanation: """
          The log contains \(group.titleAndChecksum), but every append of it threw unavailable. An append may throw \
          unavailable only if nothing was sent.
          """)
    }
    if attempt.wasRefused {
      throw round.problem(
        .oneWinner,
        explanation:
          "The log contains \(group.titleAndChecksum), but an append of it returned conflict.")
    }
  }
}
