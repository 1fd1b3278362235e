/// The outcome of an append.
public enum AppendOutcome: Hashable, Sendable {
  /// The transaction is in the journal.
  case appended(Receipt)
  /// The transaction is not in the journal, because the accepted head was not the head that the
  /// caller expected. The associated value is the accepted head. The caller can build the
  /// transaction again for this head.
  case conflict(ChainPoint)
  /// A write or a sync failed, or a shared log did not answer. Only a recovery determines whether
  /// the transaction is in the journal.
  case unknown(UnknownAppend)
}

/// The confirmation that a transaction has been appended to a journal or saved in a store.
public struct Receipt: Hashable, Sendable {
  /// The failures that a transaction survives when its append returns.
  public enum Safety: Hashable, Sendable {
    /// The transaction is on disk, so that it survives a power loss.
    case durable
    /// The transaction was passed to the operating system. The transaction survives a crash of this
    /// process, but perhaps not a power loss.
    case written
    /// The transaction is in the shared log. The associated value is the number of the log's
    /// servers that have it on disk. The replica on this machine is synced within a second.
    case shared(serverCount: Int)
  }

  /// The transaction's number.
  public let sequence: SequenceNumber
  /// The time of the transaction in the journal.
  public let time: JournalTime
  /// The failures that the transaction survives.
  public fileprivate(set) var safety: Safety
  /// The time that the caller passed or the clock returned, if that time was before the time of the
  /// previous transaction; nil otherwise. In this case, ``time`` is the time of the previous
  /// transaction.
  public let clockTime: JournalTime?
  /// The checksum that ends the transaction's frame; nil if ``isRepeated``, because a repeated save
  /// does not read the frame of the earlier transaction.
  public let checksum: UInt64?

  /// A Boolean value that indicates whether an earlier save had the same idempotency key.
  ///
  /// The receipt then describes the earlier transaction, and the later save has appended nothing.
  public var isRepeated: Bool { checksum == nil }

  init(
    sequence: SequenceNumber, time: JournalTime, safety: Safety, clockTime: JournalTime?,
    checksum: UInt64
  ) {
    self.sequence = sequence
    self.time = time
    self.safety = safety
    self.clockTime = clockTime
    self.checksum = checksum
  }

  /// Creates the receipt of a transaction that was appended by an earlier save.
  package init(repeating sequence: SequenceNumber, time: JournalTime, safety: Safety) {
    self.sequence = sequence
    self.time = time
    self.safety = safety
    clockTime = nil
    checksum = nil
  }

  /// A Boolean value that indicates whether the transaction's own time was more than a day before
  /// the time of the previous transaction.
  ///
  /// If so, one of two clocks is wrong: the clock of this transaction, or the clock of the previous
  /// transaction.
  public var clockIsBehind: Bool {
    clockTime.map { $0.nanoseconds(until: time) > 86_400_000_000_000 } ?? false
  }
}

/// An append with an unknown outcome: the transaction may or may not be in the journal.
///
/// `FileJournal.recover()` examines the file. After that call, `FileJournal.isIncluded(_:)` returns
/// whether the transaction is in the journal.
public struct UnknownAppend: Hashable, Sendable {
  /// The number that the transaction received. If the transaction is not in the journal, a later
  /// transaction gets this number.
  public let sequence: SequenceNumber
  /// The reason why the outcome is unknown.
  public let cause: Cause
  // The index in `CommitQueue.includedThrough` of the result that the next recovery stores.
  package let stop: Int
  /// The receipt that the append returns if the transaction is in the journal. Its safety is not
  /// known yet.
  private let receipt: Receipt

  init(_ receipt: Receipt, cause: Cause, stop: Int) {
    sequence = receipt.sequence
    self.receipt = receipt
    self.cause = cause
    self.stop = stop
  }

  /// The checksum that ends the frame of the transaction.
  package var checksum: UInt64? { receipt.checksum }

  /// Returns the receipt of the transaction, which is in the journal.
  package func receipt(_ safety: Receipt.Safety) -> Receipt {
    var receipt = receipt
    receipt.safety = safety
    return receipt
  }
}

extension UnknownAppend {
  /// The reasons why the outcome of an append is unknown.
  public enum Cause: Hashable, Sendable {
    /// A write or a sync of the file failed.
    case disk(DiskError)
    /// The shared log did not answer.
    case sharedLog(SharedLogError)

    /// The reason for refusing later appends until a recovery. They are certainly not saved.
    var refusal: JournalError.Reason {
      switch self {
      case .disk(let error): .stopped(error)
      case .sharedLog(let error): UnknownAppend.Cause.refusal(whileUnanswered: error.log)
      }
    }

    /// The reason for refusing an append to a log that has not answered an earlier one.
    static func refusal(whileUnanswered log: String) -> JournalError.Reason {
      .sharedLog(SharedLogError(.unavailable("an earlier append has no answer yet"), log: log))
    }
  }
}

extension UnknownAppend.Cause: CustomStringConvertible {
  /// A sentence with the call that failed, or with the log and the reason.
  public var description: String {
    switch self {
    case .disk(let error): "\(error)"
    case .sharedLog(let error): "\(error)"
    }
  }
}

/// The numbers of transactions, groups, syncs and failures of a journal after it was opened.
public struct AppendStatistics: Hashable, Sendable {
  /// The number of transactions that were appended.
  public var transactionCount = 0
  /// The number of groups of transactions that were written, each with one call.
  public var groupCount = 0
  /// The number of syncs that made groups durable.
  public var syncCount = 0
  /// The number of groups that were refused, for example because the disk was full.
  public var refusedGroupCount = 0
  /// The number of times that a call failed and writing stopped.
  public var stopCount = 0
  /// The number of times that the writer could not publish the durable position in the file beside
  /// the journal, `NAME-end`.
  ///
  /// Without this file, a follower returns a transaction later. The follower waits for a later
  /// frame that records the transaction as synced.
  public var unpublishedEndCount = 0

  /// Creates statistics with all counts zero.
  public init() {}
}

extension AppendStatistics {
  /// Counts a group that the leader has written, or could not write.
  mutating func count(
    _ group: CommitGroup, effect: CommitQueue.Effect, status: CommitQueue.WriterStatus
  ) {
    unpublishedEndCount = status.unpublishedEndCount
    switch effect {
    case .synced, .written:
      if case .synced = effect { syncCount += 1 }
      guard group.end.sequence > group.start.sequence else { return }
      groupCount += 1
      transactionCount += Int(group.end.sequence.rawValue - group.start.sequence.rawValue)
    case .refused, .outpaced: refusedGroupCount += 1
    case .failed, .unanswered: stopCount += 1
    }
  }
}
