/// The appends, pulls and failures of a replica after it was opened, and its lag.
///
/// ```swift
/// if let sharing = store.statistics.sharing {
///   print("\(sharing.lag) transactions behind, \(sharing.conflictCount) conflicts")
/// }
/// ```
public struct SharingStatistics: Hashable, Sendable {
  /// The number of groups that this machine has appended to the log.
  public var appendedGroupCount = 0
  /// The number of transactions in these groups. Divided by ``appendedGroupCount``, it is the
  /// average size of a group.
  public var appendedTransactionCount = 0
  /// The number of groups that lost: a different machine had appended first. The store merges the
  /// saves of such a group with the other transactions, and appends them again.
  public var conflictCount = 0
  /// The number of appends that the log did not answer. The store repeats such an append until it
  /// gets an answer, and each repetition without an answer counts too.
  public var unansweredAppendCount = 0
  /// The number of transactions that the replica has read from the log. A transaction that was
  /// removed from the replica counts again when it is read again, for example after a restart.
  public var pulledTransactionCount = 0
  /// The number of times that the log could be reached again after a call had failed.
  public var reconnectionCount = 0
  /// The last transaction of the replica; 0 if it contains none.
  public var lastInReplica = SequenceNumber.zero
  /// The last transaction of the log when this machine last reached it; 0 if it contained none, and
  /// nil if the machine has not reached the log.
  public var lastInLog: SequenceNumber?
  /// The last time at which the replica contained the whole log; nil if there was none.
  ///
  /// While the log can be reached, the store compares the replica with it every half second. So an
  /// older time means that other machines may have saved transactions that the store does not
  /// know.
  public var lastAgreement: JournalTime?

  /// Creates statistics with all counts zero.
  public init() {}

  /// The number of transactions that the log contained when this machine last reached it, and that
  /// the replica does not contain yet.
  public var lag: Int {
    guard let lastInLog, lastInLog > lastInReplica else { return 0 }
    return Int(clamping: lastInLog.rawValue - lastInReplica.rawValue)
  }
}

// MARK: Counting

extension SharingStatistics {
  /// Counts the outcome of a group that a store of this machine has built.
  mutating func count(_ outcome: SharedAppendOutcome, of group: FrameGroup) {
    switch outcome {
    case .appended:
      appendedGroupCount += 1
      appendedTransactionCount += Int(clamping: group.next.rawValue - group.first.rawValue)
    case .conflict: conflictCount += 1
    case .missingPredecessor: break
    }
  }

  /// Records that the log contains a transaction. A server that is late can return an earlier end,
  /// so the end never moves back here.
  mutating func see(_ sequence: SequenceNumber) { lastInLog = max(lastInLog ?? .zero, sequence) }
}
