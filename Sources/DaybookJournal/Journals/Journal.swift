/// A log of numbered, timed transactions, as a store needs it.
///
/// ``FileJournal`` is the log on disk, and ``MemoryJournal`` the log in memory. A replicated log
/// with the same bytes can conform too. A journal treats a transaction as bytes with a number and a
/// time.
///
/// A journal has two heads. The *accepted* head is the last transaction that has a number. The next
/// transaction is validated against it, while an earlier one may still be syncing. The durable
/// ``head`` is the last transaction that survives a power loss, and the last one that readers see.
public protocol Journal: AnyObject, Sendable {
  /// The last durable transaction.
  var head: ChainPoint { get }

  /// The last numbered transaction, which may not be durable yet.
  var acceptedHead: ChainPoint { get }

  /// Appends a transaction, and suspends until it is as durable as the journal guarantees.
  ///
  /// - Parameters:
  ///   - payload: The bytes of the transaction, from 1 byte to 1 GiB.
  ///   - time: The time of the transaction; nil for the clock's time. A time before the previous
  ///     transaction's is raised to that.
  ///   - expected: The accepted head that the transaction was built for; nil to append after any
  ///     head.
  /// - Throws: ``JournalError`` if the transaction was certainly not appended.
  func append(
    _ payload: [UInt8], at time: JournalTime?, expecting expected: SequenceNumber?
  ) async throws(JournalError) -> AppendOutcome

  /// Appends a transaction, and blocks the thread until it is as durable as the journal guarantees.
  ///
  /// This is ``append(_:at:expecting:)`` for programs without tasks.
  @available(*, noasync)
  func appendAndWait(
    _ payload: [UInt8], at time: JournalTime?, expecting expected: SequenceNumber?
  ) throws(JournalError) -> AppendOutcome

  /// Returns a reader of the durable transactions, in order, up to the head at the time of the
  /// call.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if compaction has dropped the first requested
  ///   transaction.
  func transactions(from first: SequenceNumber) throws(JournalError) -> TransactionReader

  /// Creates a follower of the journal. It returns durable transactions in order, including future
  /// ones.
  func follow(after last: ChainPoint?) throws(JournalError) -> any JournalFollower

  /// Closes the journal after it has made all accepted transactions durable. Closing twice is not
  /// an error.
  func close() async throws(JournalError)

  /// Closes the journal, and blocks the thread until it is closed.
  ///
  /// This is ``close()`` for programs without tasks.
  @available(*, noasync)
  func closeAndWait() throws(JournalError)
}
