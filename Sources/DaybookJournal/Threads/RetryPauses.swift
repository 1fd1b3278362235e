/// The pauses between the attempts to reach a server.
///
/// The limit of a pause doubles with each failure, up to a maximum. A pause is random, from half of
/// the limit to the limit. So clients that lost a server at the same moment do not come back at the
/// same moment.
package struct RetryPauses: Sendable {
  private let firstLimit: Int64
  private let lastLimit: Int64
  private var limit: Int64

  /// Creates pauses that start with the first one.
  ///
  /// - Parameters:
  ///   - first: The limit of the first pause, in nanoseconds.
  ///   - last: The limit of all pauses, in nanoseconds.
  package init(from first: Int64, to last: Int64) {
    precondition(first > 0 && first <= last, "pauses from \(first) to \(last) nanoseconds")
    (firstLimit, lastLimit, limit) = (first, last, first)
  }

  /// Returns the pause after a failure, in nanoseconds.
  ///
  /// - Parameter random: A random number that determines the pause.
  package mutating func next(_ random: UInt64) -> Int64 {
    let half = limit / 2
    let pause = limit - half + Int64(random % UInt64(half + 1))
    limit = limit > lastLimit / 2 ? lastLimit : limit * 2
    return pause
  }

  /// Starts with the first pause again, after a success.
  package mutating func reset() { limit = firstLimit }
}
