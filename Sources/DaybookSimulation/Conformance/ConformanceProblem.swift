/// A law that a shared log or a journal breaks.
///
/// ``checkConformance(of:connecting:restarting:options:)`` and
/// ``checkConformance(of:reopening:options:)`` throw this error.
public struct ConformanceProblem: Error, Hashable, Sendable {
  /// The laws of shared logs and journals.
  @nonexhaustive
  public enum Law: Hashable, Sendable {
    /// A new log or journal is empty.
    case empty
    /// Numbers are consecutive, and a read returns consecutive groups or transactions.
    case gapFree
    /// If several machines append at the same number, exactly one of them succeeds.
    case oneWinner
    /// A group is appended only after the frame that it names by its check. Numbers alone do not
    /// decide.
    case chain
    /// Groups and transactions are returned as they were appended, byte for byte.
    case contents
    /// Appending a group again that the log contains returns `appended` and changes nothing.
    case retry
    /// A later read returns what an earlier read returned, and possibly more.
    case prefix
    /// A read stops at its limit of bytes, and returns at least one group.
    case readLimit
    /// An acknowledged append is never lost or replaced, also if the server stops.
    case durability
    /// The times of transactions never decrease.
    case times
    /// A closed log or journal throws `closed`, and appends nothing.
    case closing
    /// A base replaces the first groups of a log at once, and changes nothing else.
    case base
    /// All replicas of a log are equal.
    case replicas
    /// A live list is equal to a list that is fetched, and its differences are exact.
    case lists
    /// A call returns a result if nothing failed, and an error if its outcome is not known.
    case reply
  }

  /// The law that does not hold.
  public let law: Law
  /// The seed of the run, which repeats it.
  public let seed: UInt64
  /// The number of the round, starting at 0.
  public let round: Int
  /// The observation and the rule that it breaks, in whole sentences.
  public let explanation: String
}

extension ConformanceProblem: CustomStringConvertible {
  /// The seed and the round, followed by the explanation.
  public var description: String { "seed \(seed), round \(round): \(explanation)" }
}

/// The extent of a conformance check.
public struct ConformanceOptions: Hashable, Sendable {
  /// The seed of all random numbers. Equal seeds give equal calls, apart from the order of
  /// concurrent calls.
  public var seed: UInt64 = 1
  /// The number of rounds. Each round checks all laws with new logs or journals.
  public var roundCount = 10
  /// The number of writers in the concurrent parts of a round.
  public var writerCount = 4
  /// The time that the check waits for a server that is unavailable, or for a read that does not
  /// contain the newest groups yet.
  ///
  /// The first attempts follow each other without a pause, so that a log in memory needs no time.
  public var patience: Duration = .seconds(5)

  /// Creates options with ten rounds.
  public init() {}

  /// Creates options for a seed and a number of rounds.
  public init(seed: UInt64, roundCount: Int) {
    self.seed = seed
    self.roundCount = roundCount
  }
}

/// One round of a conformance check.
package struct ConformanceRound: Sendable {
  package let options: ConformanceOptions
  package let number: Int

  package init(options: ConformanceOptions, number: Int) {
    self.options = options
    self.number = number
  }

  /// Returns a generator whose numbers follow from the seed, the round and the law.
  package func random(_ law: UInt64) -> SplitMix64 {
    var mixed = SplitMix64(seed: options.seed ^ UInt64(number) << 32 ^ law << 48)
    return SplitMix64(seed: mixed.next())
  }

  package func problem(
    _ law: ConformanceProblem.Law, explanation: String
  ) -> ConformanceProblem {
    ConformanceProblem(
      law: law, seed: options.seed, round: number, explanation: explanation)
  }

  package func makePatience() -> Patience { Patience(limit: options.patience) }
}

/// A limit for the repetition of a call.
///
/// Injected faults alone cannot exhaust it: a random plan lets at most a few consecutive calls fail
/// (``LogFaultPlan/consecutiveFaultCountMax``), and a caller can reach the log through two wrappers
/// with such plans.
package struct Patience {
  /// The number of attempts without a pause.
  private static let immediateCount = 128
  private var attemptCount = 0
  private let limit: Duration
  private var deadline: ContinuousClock.Instant?

  init(limit: Duration) { self.limit = limit }

  /// Suspends before the next attempt. The first attempts follow at once, and later ones after a
  /// pause.
  ///
  /// - Returns: False if there must be no further attempt.
  package mutating func allowsAttempt() async -> Bool {
    attemptCount += 1
    guard attemptCount > Patience.immediateCount else {
      await Task.yield()
      return true
    }
    let end = deadline ?? .now + limit
    deadline = end
    guard .now < end, !Task.isCancelled else { return false }
    try? await Task.sleep(for: .milliseconds(5))
    return true
  }
}
