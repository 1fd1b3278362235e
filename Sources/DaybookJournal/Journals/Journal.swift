/// What a store asks of the log behind it.
///
/// ``FileJournal`` is the log on disk and ``MemoryJournal`` the one in memory; a replicated log can stand
/// here too, with the same bytes. A journal knows transactions as bytes with a number and a time.
///
/// There are two heads. The *accepted* head is the last transaction that has a number; the next one is
/// validated against it, while the sync of the one before may still be running. The durable ``head`` is
/// the last one that will be there after a power loss, and the last that readers are shown.
public protocol Journal: AnyObject, Sendable {
  /// The last durable transaction.
  var head: JournalHead { get }

  /// The last numbered transaction, durable or not yet.
  var acceptedHead: JournalHead { get }

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
  func appendAndWait(
    _ payload: [UInt8], at time: JournalTime?, expecting expected: SequenceNumber?
  ) throws(JournalError) -> AppendOutcome

  /// Reads durable transactions in order, as many as there are now.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if compaction has dropped the first one asked for.
  func transactions(from first: SequenceNumber) throws(JournalError) -> TransactionReader

  /// Follows the journal: durable transactions in order, those to come included.
  func follow(after last: JournalHead?) throws(JournalError) -> any JournalFollower

  /// Makes what was accepted durable and lets go of the journal. Closing twice is not an error.
  func close() throws(JournalError)
}

/// How far a journal has come.
public struct JournalHead: Hashable, Sendable {
  /// The last transaction, 0 if there is none.
  public var sequence: SequenceNumber
  /// Its time.
  public var time: JournalTime
  /// The check that ends its frame, which covers everything before it: two journals that agree in it
  /// agree in all their history.
  public var check: UInt64

  /// A head, for journals of your own.
  public init(sequence: SequenceNumber, time: JournalTime, check: UInt64) {
    self.sequence = sequence
    self.time = time
    self.check = check
  }

  package init(_ chain: FrameChain) {
    self.init(sequence: chain.sequence, time: chain.time, check: chain.check)
  }
}

/// A transaction as the journal knows it.
public struct JournalTransaction: Sendable {
  /// Its number.
  public let sequence: SequenceNumber
  /// When it was recorded.
  public let time: JournalTime
  /// Its bytes, which stay readable for as long as this value is kept.
  public let payload: ByteView
  /// The check that ends its frame.
  public let check: UInt64

  package init(
    sequence: SequenceNumber, time: JournalTime, payload: ByteView, check: UInt64
  ) {
    self.sequence = sequence
    self.time = time
    self.payload = payload
    self.check = check
  }

  /// How far a reader of this transaction has come.
  public var head: JournalHead { JournalHead(sequence: sequence, time: time, check: check) }
}
