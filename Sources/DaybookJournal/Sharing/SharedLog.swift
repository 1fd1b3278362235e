/// A log on a server, which several machines append to and read from.
///
/// Each machine has a *replica*: a journal file whose header and frames equal those of the log byte
/// for byte. A store that shares a log appends each group of frames to the log first, and then
/// writes the group to its replica.
///
/// ```
///   number      0        1 … 3      4        5 … 9
///            ┌────────┬──────────┬────────┬──────────┐
///   groups   │ header │  frames  │ frames │  frames  │   head: next = 10, check of frame 9
///            └────────┴──────────┴────────┴──────────┘
/// ```
///
/// A log is a list of *groups* without gaps. The first group contains the header of the journal.
/// Each group follows the group before it. Its ``FrameGroup/first`` number is the
/// ``FrameGroup/next`` number of that group. Its ``FrameGroup/previousChecksum`` is the
/// ``FrameGroup/check`` of that group. A log never interprets the bytes of a group. It changes no
/// group, except if it drops its oldest ones.
///
/// A log can drop its oldest groups. A machine builds a group that contains the header and the
/// state after a transaction, the *base*, and `replaceGroups(with:)` stores it in place of all
/// groups up to that transaction:
///
/// ```
///   number      0                4        5 … 9
///            ┌─────────────────┬────────┬──────────┐
///   groups   │ header and base │ frames │  frames  │   the same head
///            └─────────────────┴────────┴──────────┘
/// ```
///
/// The first group then contains all numbers before the next group, and `read` returns it for each
/// of them.
///
/// The protocol is public so that you can write a log over an engine of your own. A type that
/// conforms must obey these rules:
///
/// - `append` decides by a single atomic operation of the engine. If several machines append a
///   group with the same first number, exactly one of them gets `appended`.
/// - `append` returns `appended` only if the group is as durable as the log promises.
/// - Appending a group again that is in the log already returns `appended` and changes nothing.
///   So a caller resolves an unknown outcome by appending the same group again. A group is the same
///   only if its ``FrameGroup/nonce`` is the same too: two machines can build equal bytes, and then
///   one of them gets `conflict`.
/// - A log that sends a request again by itself throws `unknown` if the repetition returns
///   `missingPredecessor`, because a base can have replaced the group meanwhile.
/// - `read` returns consecutive groups. It never skips a group, also if the engine shows commits in
///   a different order.
/// - `changes` gives hints. A hint may be lost, late or repeated.
public protocol SharedLog: Sendable {
  /// The name of the log in messages. It contains no password.
  var name: String { get }

  /// The text that a replica keeps to find the log again, such as a URL. It contains no password.
  /// The default is ``name``.
  var address: String { get }

  /// The time on the clock of the log's server; nil if the log does not know it.
  ///
  /// A machine whose clock is more than five minutes ahead saves nothing. Otherwise all machines
  /// would give such times to their later transactions. The property makes no call of the server,
  /// and the default is nil.
  var serverTime: JournalTime? { get }

  /// The number of servers that have a group on disk when an append returns, as the log last saw
  /// it; nil if the log does not know it.
  ///
  /// A save that requires more servers is refused before it is sent. The property makes no call of
  /// the server, and the default is nil.
  var serverCount: Int? { get }

  /// Returns the head of the log; nil if the log contains no group.
  ///
  /// The head includes every group that was acknowledged before the call. A store stops writing if
  /// the log is shorter than its replica, so a log must not ask a server that may be late.
  func head() async throws(SharedLogError) -> SharedHead?

  /// Appends a group, if the log ends directly before it.
  ///
  /// - Returns: The outcome. See ``SharedLogError/Reason/unknown(_:)`` for an append without an
  ///   answer.
  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome

  /// Returns consecutive groups, starting with the group that contains a number.
  ///
  /// - Parameters:
  ///   - first: A sequence number; 0 for the group that contains the header.
  ///   - byteCount: The number of bytes after which the log returns no further group. The log
  ///     returns at least one group, if there is one, however large it is.
  /// - Returns: The groups; an empty array if the log ends before the number.
  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup]

  /// Replaces the first groups by one group, which ends where one of them ends. The other groups
  /// stay as they are.
  ///
  /// The call is one atomic operation of the engine: every read returns the old groups or the new
  /// one. Appends of other machines at the same time are not lost.
  ///
  /// The default implementation throws `refused`.
  ///
  /// - Parameter base: A group whose ``FrameGroup/first`` number is 0.
  /// - Returns: True if the first group of the log now ends where the base ends. If it did before
  ///   the call, nothing is changed. False if no group of the log ends there; nothing is changed
  ///   then.
  /// - Throws: ``SharedLogError``. After `unavailable` or `unknown`, the groups may be replaced or
  ///   not, and the call can be repeated.
  func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool

  /// Returns a stream that gets an element when the log may have grown.
  ///
  /// The elements are hints only. A caller that must not miss a group calls `head` or `read` from
  /// time to time.
  func changes() -> AsyncStream<Void>

  /// Closes the connections to the log. Later calls throw `closed`.
  func close() async
}

extension SharedLog {
  /// The name of the log.
  public var address: String { name }

  /// No time.
  public var serverTime: JournalTime? { nil }

  /// No number.
  public var serverCount: Int? { nil }

  /// Throws an error, because the log keeps all groups.
  public func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool {
    throw SharedLogError(.refused(SharedLogError.keepsAllGroups), log: name)
  }
}

extension SharedLogError {
  /// The reason of a log that cannot drop groups.
  package static let keepsAllGroups = "it keeps its whole history"
}

/// The end of a shared log.
public struct SharedHead: Hashable, Sendable {
  /// The number that the next transaction gets.
  public var next: SequenceNumber
  /// The checksum that ends the last frame; the checksum of the header page if there is no frame.
  public var checksum: UInt64

  /// Creates the end of a log, for your own log types.
  public init(next: SequenceNumber, checksum: UInt64) {
    self.next = next
    self.checksum = checksum
  }

  /// The last transaction in the log; 0 if the log contains none.
  var last: SequenceNumber { SequenceNumber(max(next.rawValue, 1) - 1) }
}

/// The frames that one append adds to a shared log.
public struct FrameGroup: Hashable, Sendable {
  /// The number of the first transaction; 0 for the group that contains the journal's header. That
  /// group can contain a base, and then also replaces all transactions before ``next``.
  public var first: SequenceNumber
  /// The number after that of the last transaction.
  public var next: SequenceNumber
  /// The checksum that ends the frame before the group; 0 for the group that contains the header.
  public var previousChecksum: UInt64
  /// The checksum that ends the last frame of the group.
  public var checksum: UInt64
  /// The frames as they are in a journal file. For the first group, the header page, and then the
  /// frames of the base if the journal has one.
  public var bytes: [UInt8]
  /// A random number that the appending machine has chosen for this group. The log stores it with
  /// the group. It identifies the append, because two machines can build the same bytes, for
  /// example if both add 1 to a counter at the same time.
  public var nonce: UInt64

  /// Creates a group, for your own log types.
  public init(
    first: SequenceNumber, next: SequenceNumber, previousChecksum: UInt64, checksum: UInt64,
    bytes: [UInt8], nonce: UInt64
  ) {
    self.nonce = nonce
    self.first = first
    self.next = next
    self.previousChecksum = previousChecksum
    self.checksum = checksum
    self.bytes = bytes
  }

  /// The end of a log whose last group is this group.
  public var end: SharedHead { SharedHead(next: next, checksum: checksum) }
}

/// The outcome of an append to a shared log.
public enum SharedAppendOutcome: Hashable, Sendable {
  /// The group is in the log. The associated value is the number of servers that have it on disk.
  case appended(serverCount: Int)
  /// A different group with the same first number is in the log, so the group was not appended.
  case conflict
  /// The log does not contain the frame before the group. The log is shorter than the caller knew,
  /// or it contains other frames.
  case missingPredecessor
}

/// An error of a shared log.
public struct SharedLogError: Error, Hashable, Sendable {
  /// The reasons for which a call of a shared log fails.
  public enum Reason: Hashable, Sendable {
    /// The log could not be reached, and nothing was sent. The text says why.
    case unavailable(String)
    /// The connection ended, or the time ran out, after an append was sent. The group may be in the
    /// log or not. Only a second append of the same group resolves this. The text says why.
    case unknown(String)
    /// The server is reachable and refuses its use as a log. The text says why, and what to change.
    case refused(String)
    /// The log was closed.
    case closed
  }

  /// The reason of the failure.
  public let reason: Reason
  /// The name of the log.
  public let log: String

  /// Creates an error, for your own log types.
  public init(_ reason: Reason, log: String) {
    self.reason = reason
    self.log = log
  }
}

extension SharedLogError: CustomStringConvertible {
  /// A sentence that names the log and the reason.
  public var description: String {
    switch reason {
    case .unavailable(let why): "The log \(log) cannot be reached: \(why)."
    case .unknown(let why):
      "The log \(log) did not answer an append, which may be in the log or not: \(why)."
    case .refused(let why): "The log \(log) cannot be used: \(why)."
    case .closed: "The log \(log) is closed."
    }
  }
}
