import DaybookJournal
import DaybookPlatform

/// The result of a compaction of a shared log.
public struct SharedCompactionReport: Hashable, Sendable {
  /// The last transaction before the history that the log keeps; 0 if the log contains its complete
  /// history.
  public let base: SequenceNumber
  /// The number of transactions that this call has dropped.
  public let droppedTransactionCount: Int
  /// The size of the base in bytes; 0 if this call has dropped nothing.
  public let byteCount: Int
}

extension Store {
  /// Drops the older part of the history of the shared log.
  ///
  /// ```swift
  /// let report = try await store.compactSharedLog(keeping: .days(30))
  /// print("\(report.droppedTransactionCount) transactions were dropped")
  /// ```
  ///
  /// The log then starts with a *base*: the state after a transaction. The call chooses the last
  /// transaction of a group, so it can keep some transactions more than requested. Other machines
  /// continue to save meanwhile, and notice nothing: the later groups keep their bytes.
  ///
  /// A new replica starts from the base, and so does a replica that ends before it; see
  /// ``replicaRestart``. Other replicas, like that of this store, keep their complete history. The
  /// metadata of dropped transactions is lost, but not the version of the data, and not the newest
  /// 100,000 idempotency keys. The base keeps each row at its offset in the payload that wrote it,
  /// and zeros instead of what is no longer needed. So it can be larger than the records.
  ///
  /// A number of days counts from the time on the clock of the log's server. If the log does not
  /// know that time, the number counts from the last transaction, as in other journals.
  ///
  /// - Parameter retention: The history that the log keeps at least.
  /// - Returns: A report. If the log has no earlier transactions, nothing is changed.
  /// - Throws: ``StoreError``: `readOnly`, if the store shares no log; `journal` with `sharedLog`,
  ///   if the log cannot be reached, cannot drop groups, or refuses it to the user. The call can be
  ///   repeated.
  /// - Complexity: O(*n*) in the size of the replica
  @discardableResult
  public func compactSharedLog(
    keeping retention: HistoryRetention
  ) async throws(StoreError) -> SharedCompactionReport {
    guard case .file(let journal) = log, journal.link != nil else {
      throw StoreError(.readOnly, path: path)
    }
    let compaction = await journal.workers.value {
      Result { () throws(StoreError) in
        try self.compactAndWait(journal, keeping: retention)
      }
    }
    return try compaction.get()
  }

  private func compactAndWait(
    _ journal: FileJournal, keeping retention: HistoryRetention
  ) throws(StoreError) -> SharedCompactionReport {
    try pullAndWait()
    let target = try lastDropped(keeping: retention)
    let (base, last) = try journal.groupEnd(atOrBefore: target, for: self)
    guard last > base else {
      return SharedCompactionReport(base: base, droppedTransactionCount: 0, byteCount: 0)
    }
    let needed = try SharedBase(journal, through: last)
    var frames: SharedBaseFrames
    do throws(JournalError) { frames = try journal.sharedBase(after: last) } catch {
      throw StoreError(.journal(error), path: path)
    }
    try needed.write(to: &frames)
    let group = frames.finish(nonce: journal.randomNumber())
    let isReplaced: Bool
    do throws(JournalError) { isReplaced = try journal.replaceGroups(with: group) } catch {
      throw StoreError(.journal(error), path: path)
    }
    if isReplaced {
      return SharedCompactionReport(
        base: last, droppedTransactionCount: Int(last.rawValue - base.rawValue),
        byteCount: group.bytes.count)
    }
    // A different machine has dropped more, or the log has lost transactions.
    let (newBase, _) = try journal.groupEnd(atOrBefore: last, for: self)
    guard newBase >= last else {
      let error = SharedLogError(
        .refused("it does not contain transaction \(last) of this replica"),
        log: journal.link?.name ?? "")
      throw StoreError(.journal(JournalError(.sharedLog(error), path: path)), path: path)
    }
    return SharedCompactionReport(base: newBase, droppedTransactionCount: 0, byteCount: 0)
  }
}

extension FileJournal {
  fileprivate func groupEnd(
    atOrBefore last: SequenceNumber, for store: Store
  ) throws(StoreError) -> (base: SequenceNumber, end: SequenceNumber) {
    do throws(JournalError) { return try groupEnd(atOrBefore: last) } catch {
      throw StoreError(.journal(error), path: store.path)
    }
  }
}
