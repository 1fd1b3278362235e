/// A log of numbered, timed transactions: the interface through which a store appends and reads
/// them.
///
/// ``FileJournal`` is a log on disk, and ``MemoryJournal`` is a log in memory. A journal does not
/// interpret a transaction. The journal stores the bytes of the transaction with a number and a
/// time.
///
/// A journal has two heads. The *accepted* head, ``acceptedHead``, is the last transaction that has
/// a number. The durable ``head`` is the last transaction that was synced. Readers and followers of
/// the journal return transactions up to the durable head. A new transaction is checked for
/// conflicts against the accepted head. So it need not wait for the sync of the transactions before
/// it.
public protocol Journal: AnyObject, Sendable {
  /// The last durable transaction.
  var head: ChainPoint { get }

  /// The last numbered transaction, which may not be durable yet.
  var acceptedHead: ChainPoint { get }

  /// Appends a transaction, and suspends until it is as durable as the journal guarantees.
  ///
  /// - Parameters:
  ///   - payload: The bytes of the transaction, from 1 byte to 1 GiB.
  ///   - time: The time of the transaction; nil for the clock's time. If this time is before the
  ///     time of the previous transaction, the journal uses the time of the previous transaction
  ///     instead.
  ///   - expected: The number that the accepted head must have; nil to append after any head. If
  ///     the accepted head has a different number, the journal appends nothing and returns a
  ///     conflict.
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

  /// Creates a follower, which returns durable transactions in order, including transactions that
  /// are appended later.
  ///
  /// - Parameter last: The last transaction that the caller has read; nil to start with the first
  ///   transaction.
  func follow(after last: ChainPoint?) throws(JournalError) -> any JournalFollower

  /// Makes all accepted transactions durable, and closes the journal. Closing twice is not an
  /// error.
  func close() async throws(JournalError)

  /// Closes the journal, and blocks the thread until it is closed.
  ///
  /// This is ``close()`` for programs without tasks.
  @available(*, noasync)
  func closeAndWait() throws(JournalError)
}
