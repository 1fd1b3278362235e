/// The outcome of an append.
public enum AppendOutcome: Hashable, Sendable {
  /// The transaction is in the journal.
  case appended(Receipt)
  /// The transaction is not in the journal: the accepted head was not the expected one. The caller
  /// can rebuild the transaction for the head that this case carries.
  case conflict(ChainPoint)
  /// A write or sync failed. Only recovery finds out whether the transaction is in the journal.
  case unknown(UnknownAppend)
}

/// The confirmation that a transaction has been appended to a journal or saved in a store.
public struct Receipt: Hashable, Sendable {
  /// The failures that a transaction survives when its append returns.
  public enum Safety: Hashable, Sendable {
    /// The transaction is on disk. It survives a power loss.
    case durable
    /// The transaction was handed to the operating system. It survives the end of this process.
    case written
  }

  /// The transaction's number.
  public let sequence: SequenceNumber
  /// The time that the transaction was recorded with.
  public let time: JournalTime
  /// The failures that the transaction survives.
  public let safety: Safety
  /// The time that the caller passed, if the journal raised it because it was before the time of
  /// the previous transaction; nil otherwise.
  public let raisedFrom: JournalTime?
  /// The checksum that ends the transaction's frame; nil if ``isRepeated``, as that frame is not
  /// read again.
  public let check: UInt64?

  /// A Boolean value that indicates whether an earlier save had the same idempotency key.
  ///
  /// The receipt then describes the earlier transaction, and the later save has appended nothing.
  public var isRepeated: Bool { check == nil }

  init(
    sequence: SequenceNumber, time: JournalTime, safety: Safety, raisedFrom: JournalTime?,
    check: UInt64
  ) {
    self.sequence = sequence
    self.time = time
    self.safety = safety
    self.raisedFrom = raisedFrom
    self.check = check
  }

  /// Creates the receipt of a transaction that was appended by an earlier save.
  package init(repeating sequence: SequenceNumber, time: JournalTime, safety: Safety) {
    self.sequence = sequence
    self.time = time
    self.safety = safety
    raisedFrom = nil
    check = nil
  }

  /// A Boolean value that indicates whether the clock was more than a day before the time of the
  /// previous transaction.
  ///
  /// Then one of two clocks is wrong: this one, or the one that timed the previous transaction.
  public var clockIsFarBehind: Bool {
    raisedFrom.map { $0.nanoseconds(until: time) > 86_400_000_000_000 } ?? false
  }
}

/// An append with an unknown outcome: the transaction may or may not be in the journal.
///
/// `FileJournal.recover()` finds out. After that, `FileJournal.isIncluded(_:)` returns the result.
public struct UnknownAppend: Hashable, Sendable {
  /// The number that the transaction received. If the transaction is not in the journal, a later
  /// transaction gets this number.
  public let sequence: SequenceNumber
  /// The call that failed.
  public let cause: DiskError
  // The index of the stop that made the outcome unknown, among the stops of this journal.
  package let stop: Int

  package init(sequence: SequenceNumber, cause: DiskError, stop: Int) {
    self.sequence = sequence
    self.cause = cause
    self.stop = stop
  }
}

/// The counts of what a journal has done since it was opened.
public struct AppendStatistics: Hashable, Sendable {
  /// The number of transactions that were appended.
  public var transactionCount = 0
  /// The number of groups that were written; each is one write.
  public var groupCount = 0
  /// The number of syncs that made groups durable.
  public var syncCount = 0
  /// The number of groups that were refused, for example because the disk was full.
  public var refusedGroupCount = 0
  /// The number of times that a call failed and writing stopped.
  public var stopCount = 0
  /// The number of times that the committed end could not be published.
  ///
  /// Followers then rely on the proof in the journal itself. They see a transaction when the next
  /// one is synced.
  public var unpublishedEndCount = 0

  /// Creates statistics with all counts zero.
  public init() {}
}
