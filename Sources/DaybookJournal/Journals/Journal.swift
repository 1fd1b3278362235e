/// What a store asks of the log behind it.
///
/// ``FileJournal`` is the log on disk and ``MemoryJournal`` the one in memory; a replicated log can
/// stand here too, with the same bytes. A journal knows transactions as bytes with a number and a
/// time.
///
/// There are two heads. The *accepted* head is the last transaction that has a number; the next one
/// is validated against it, while the sync of the one before may still be running. The durable
/// ``head`` is the last one that will be there after a power loss, and the last that readers are
/// shown.
public protocol Journal: AnyObject, Sendable {
  /// The last durable transaction.
  var head: ChainPoint { get }

  /// The last numbered transaction, durable or not yet.
  var acceptedHead: ChainPoint { get }

  /// Appends a transaction and waits until it is as durable as the journal promises.
  ///
  /// - Parameters:
  ///   - payload: From 1 byte to 1 GiB.
  ///   - time: When it happened; nil for now. One before the last transaction's is raised to that.
  ///   - expected: The accepted head that the transaction was made for; nil if any will do.
  /// - Throws: ``JournalError`` if the transaction is known not to have been appended.
  func append(
    _ payload: [UInt8], at time: JournalTime?, expecting expected: SequenceNumber?
  ) async throws(JournalError) -> AppendOutcome

  /// ``append(_:at:expecting:)`` for programs without tasks: the thread waits.
  @available(*, noasync)
  func appendAndWait(
    _ payload: [UInt8], at time: JournalTime?, expecting expected: SequenceNumber?
  ) throws(JournalError) -> AppendOutcome

  /// Reads durable transactions in order, as many as there are now.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if compaction has dropped the first one asked for.
  func transactions(from first: SequenceNumber) throws(JournalError) -> TransactionReader

  /// Follows the journal: durable transactions in order, those to come included.
  func follow(after last: ChainPoint?) throws(JournalError) -> any JournalFollower

  /// Makes what was accepted durable and lets go of the journal. Closing twice is not an error.
  func close() async throws(JournalError)

  /// ``close()`` for programs without tasks: the thread waits.
  @available(*, noasync)
  func closeAndWait() throws(JournalError)
}
