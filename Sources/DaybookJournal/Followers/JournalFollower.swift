/// Reads a journal as it grows: what is durable, in order, each transaction once.
///
/// ```swift
/// let follower = try journal.follow(after: nil)
/// while running {
///   while let event = try follower.next() { handle(event) }
///   follower.wait(milliseconds: 1000)
/// }
/// ```
public protocol JournalFollower: AnyObject, Sendable {
  /// What came next, or nil if nothing has yet.
  func next() throws(JournalError) -> FollowerEvent?

  /// Waits until something may have come, or the time is over, or ``wake()``. It may return early.
  func wait(milliseconds: Int)

  /// Makes the present or next ``wait(milliseconds:)`` return at once, from any thread.
  func wake()
}

/// What a follower hears.
public enum FollowerEvent: Sendable {
  /// The next transaction.
  case transaction(JournalTransaction)
  /// The journal was compacted beyond what this follower had read. Its state is now that of the
  /// base; the payloads that make it up are given, and the transactions after the base come next.
  case reset(JournalHead, base: [ByteView])
}
