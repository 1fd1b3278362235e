/// What became of an append.
public enum AppendOutcome: Hashable, Sendable {
  /// The transaction is in the journal.
  case appended(Receipt)
  /// It is not: the accepted head was another than expected. It can be made anew for this one.
  case conflict(ChainPoint)
  /// A write or sync failed. Whether the transaction is in the journal shows only after recovery.
  case unknown(UnknownAppend)
}

/// The confirmation that a transaction has been appended to a journal or saved in a store.
public struct Receipt: Hashable, Sendable {
  /// How safe a transaction is when its append returns.
  public enum Safety: Hashable, Sendable {
    /// On disk: it survives a power loss.
    case durable
    /// Handed to the operating system: it survives the end of this process.
    case written
  }

  /// The transaction's number.
  public let sequence: SequenceNumber
  /// The time it was recorded with.
  public let time: JournalTime
  /// How safe it is.
  public let safety: Safety
  /// The time it was given, if that was before the last transaction's and has been raised.
  public let raisedFrom: JournalTime?
  /// The check that ends its frame; nil if ``isRepeated``, as the frame is not read again.
  public let check: UInt64?

  /// A Boolean value that indicates whether a transaction with the same idempotency key had been saved
  /// before.
  ///
  /// The receipt is then that transaction's, and the save has appended nothing.
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

  /// Whether the clock stood more than a day before the last transaction's time: it, or the one
  /// that wrote that transaction, is wrong.
  public var clockIsFarBehind: Bool {
    raisedFrom.map { $0.nanoseconds(until: time) > 86_400_000_000_000 } ?? false
  }
}

/// A transaction of which it is not known whether it is in the journal.
///
/// `FileJournal.recover()` finds out; then `FileJournal.isIncluded(_:)` tells.
public struct UnknownAppend: Hashable, Sendable {
  /// The number it was given. If it is not in the journal, another transaction will have this
  /// number.
  public let sequence: SequenceNumber
  /// The call that failed.
  public let cause: DiskError
  // Which of the journal's stops it was.
  package let stop: Int

  package init(sequence: SequenceNumber, cause: DiskError, stop: Int) {
    self.sequence = sequence
    self.cause = cause
    self.stop = stop
  }
}

/// What a journal has done since it was opened.
public struct AppendStatistics: Hashable, Sendable {
  /// Transactions that were appended.
  public var transactionCount = 0
  /// Groups they were written in: one write each.
  public var groupCount = 0
  /// Syncs that made groups durable.
  public var syncCount = 0
  /// Groups that were refused, as on a full disk.
  public var refusedGroupCount = 0
  /// Times that a call failed and writing stopped.
  public var stopCount = 0
  /// Times that the committed end could not be published. Followers then go by what the journal
  /// itself proves, and hear of a transaction when the next one is synced.
  public var unpublishedEndCount = 0

  /// Nothing yet.
  public init() {}
}
