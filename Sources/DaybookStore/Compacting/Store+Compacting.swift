import DaybookJournal

/// The part of a journal's history that ``Store/compact(at:keeping:options:)`` keeps.
public enum HistoryRetention: Hashable, Sendable {
  /// No transaction is kept, only the current state.
  case nothing
  /// The transactions of the last days are kept. The days are counted back from the time of the
  /// last transaction.
  case days(Int)
}

/// The result of a compaction or an erasure.
public struct CompactionReport: Hashable, Sendable {
  /// The last transaction before the kept history: the new file starts with the state after it. 0
  /// if the journal contains the complete history.
  public internal(set) var base: SequenceNumber
  /// The number of transactions that this call has dropped.
  public internal(set) var droppedTransactionCount: Int
  /// The number of transactions after the base.
  public internal(set) var keptTransactionCount: Int
  /// The number of changes of the erased record that were omitted.
  ///
  /// The row of the record in an existing base is omitted too, but it is not counted.
  public internal(set) var erasedChangeCount = 0
  /// The size of the old file in bytes, without preallocated zeros.
  public internal(set) var byteCountBefore: UInt64
  /// The size of the new file in bytes.
  public internal(set) var byteCount: UInt64
}

// A compaction opens the journal for writing, so that no other process can write to it. A new file
// gets the state after the last dropped transaction, and then the later transactions with their
// numbers and times. After a sync, the new file atomically replaces the journal. So an opening at
// any time, also after a crash, finds either the old journal or the new one.
extension Store {
  /// Drops the older part of a journal's history.
  ///
  /// ```swift
  /// let report = try Store.compact(at: "banks.daybook", keeping: .days(30))
  /// print("\(report.droppedTransactionCount) transactions were dropped")
  /// ```
  ///
  /// Records keep their identifiers, values and creation numbers. The metadata of dropped
  /// transactions is lost, but not the version of the data, and not the newest 100,000 idempotency
  /// keys. A process that has the old file open for reading can continue to read it. Followers
  /// switch to the new file. If there is no transaction to drop, the journal is not changed.
  ///
  /// - Throws: ``StoreError`` with `journal` if the journal is open for writing, is damaged, or if
  ///   a call of the disk fails; with `payload` if a transaction cannot be read. The journal is
  ///   then either unchanged or completely replaced. Its caches and checkpoints may have been
  ///   removed.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  @available(*, noasync, message: "compacting blocks a thread until it ends")
  public static func compact(
    at path: String, keeping retention: HistoryRetention = .nothing,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> CompactionReport {
    var rewriting = try Rewriting(at: path, options: options) { .compactsReplica(of: $0) }
    return try rewriting.compact(keeping: retention)
  }

  /// Removes the earlier values of one record from a journal. If the record exists, its current
  /// values stay.
  ///
  /// ```swift
  /// try Store.erase("Bank", id: .int(7), at: "banks.daybook")
  /// ```
  ///
  /// After the call, neither the journal nor a file of Daybook beside it contains earlier values of
  /// the record. The call also removes caches, checkpoints, and the files with damaged ends that
  /// recoveries have kept. Other records may still refer to the record by its identifier. Backups,
  /// and files that other processes have open, are not changed. Followers of the journal report
  /// that its history has changed.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`; with `notFound` if the history of the journal
  ///   does not contain the record; or with the reasons of ``compact(at:keeping:options:)``.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  @available(*, noasync, message: "erasing blocks a thread until it ends")
  public static func erase(
    _ entity: String, id: RecordIdentifier, at path: String,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> CompactionReport {
    var rewriting = try Rewriting(at: path, options: options) { .erasesInReplica(of: $0) }
    return try rewriting.erase(entity, id: id)
  }
}

/// One compaction or erasure.
private struct Rewriting {
  private let path: String
  private let store: Store
  private let journal: FileJournal
  private let head: FrozenState
  private let options: JournalOptions

  /// - Parameter refusal: The reason for refusing a replica of the log with a name.
  init(
    at path: String, options: JournalOptions, refusal: (String) -> StoreError.Reason
  ) throws(StoreError) {
    self.path = path
    self.options = options
    var options = options
    options.createsIfMissing = false
    // The store is opened without a checkpoint, because the whole journal is read and written
    // again.
    options.keepsCheckpoints = false
    do throws(StoreError) {
      store = try Store(at: path, types: [], options: options)
    } catch {
      guard case .journal(let cause) = error.reason, case .replica(let log) = cause.reason else {
        throw error
      }
      throw StoreError(refusal(log), path: path)
    }
    guard case .file(let journal) = store.log else {
      preconditionFailure("\(path) is not a file")
    }
    self.journal = journal
    head = store.snapshot.frozen
  }

  mutating func compact(
    keeping retention: HistoryRetention
  ) throws(StoreError) -> CompactionReport {
    let last = try store.lastDropped(keeping: retention)
    guard last > store.base else {
      let report = report(base: store.base, byteCount: endOffset)
      try close()
      return report
    }
    return try rewrite(beginningAfter: last, without: nil)
  }

  mutating func erase(
    _ entity: String, id: RecordIdentifier
  ) throws(StoreError) -> CompactionReport {
    let versions: [RecordVersion]
    let key: EntityKey
    do throws(StoreError) {
      versions = try store.history(of: entity, id: id)
      guard let index = head.catalog.index(of: entity) else {
        preconditionFailure("the unknown entity \(entity) has a history")
      }
      key = EntityKey(index, id: id)
      let exists = head.reader.location(of: IdentifierBytes(id), in: index) != .none
      guard exists || !versions.isEmpty else {
        throw StoreError(.notFound(entity: entity, id: id), path: path)
      }
    } catch {
      try close()
      throw error
    }
    var rest = RewrittenJournal.Erasure.Rest.base
    // `versions` contains the changes of transactions, not the row in the base. A record without
    // such changes keeps its row in the base.
    if let last = versions.last {
      rest = last.change.kind == .delete ? .nowhere : .transaction(last.sequence)
    }
    var report = try rewrite(
      beginningAfter: store.base, without: RewrittenJournal.Erasure(key: key, rest: rest))
    if case .transaction = rest {
      report.erasedChangeCount = versions.count - 1
    } else {
      report.erasedChangeCount = versions.count
    }
    return report
  }

  /// The offset of the end of the last transaction.
  private var endOffset: UInt64 {
    (try? journal.position(after: head.sequence))?.endOffset ?? 0
  }

  private func report(base: SequenceNumber, byteCount: UInt64) -> CompactionReport {
    CompactionReport(
      base: base, droppedTransactionCount: Int(base.rawValue - store.base.rawValue),
      keptTransactionCount: Int(head.sequence.rawValue - base.rawValue),
      byteCountBefore: endOffset, byteCount: byteCount)
  }

  private func close() throws(StoreError) {
    do throws(JournalError) { try journal.closeAndWait() } catch {
      throw StoreError(.journal(error), path: path)
    }
  }

  private func rewrite(
    beginningAfter last: SequenceNumber, without erasure: RewrittenJournal.Erasure?
  ) throws(StoreError) -> CompactionReport {
    var report = report(base: last, byteCount: 0)
    do {
      let base = try head.state(after: last.rawValue)
      guard let base else { throw HistoryDefect(sequence: last.rawValue, offset: 0) }
      // An erasure writes a base after the same transaction as before, so it keeps the metadata of
      // the existing base.
      var metadata =
        (last == store.base ? try store.baseTransaction()?.metadata : nil) ?? TransactionMetadata()
      let (version, keys) = store.core.withLock { core in
        (core.versions.through(last).newest, core.retainedKeys(through: last))
      }
      if version.number > 0, metadata.dataVersion == nil { metadata.record(version) }
      metadata.retainedKeys = keys
      // The derived files are removed first, because they can be rebuilt. If the removal fails, the
      // journal is not changed.
      try removeDerivedFiles(isErasure: erasure != nil)
      try journal.replace(beginningAfter: last) { output in
        var rewritten = RewrittenJournal(
          head, to: output, without: erasure, path: path)
        var steps = options.progress?.steps(.reading, of: report.byteCountBefore)
        if last > .zero {
          try rewritten.writeBase(base, metadata: metadata, steps: &steps)
        }
        var number = last
        while number < head.sequence {
          number = number.next
          try rewritten.write(number)
          steps?.pass(output.byteCount)
        }
        report.byteCount = output.byteCount
      }
      // A follower may have written a cache during the rewriting, so the files are removed again.
      // After the replacement, the follower detects the new journal and writes no cache of the old
      // one.
      try removeDerivedFiles(isErasure: erasure != nil)
    } catch let error as StoreError {
      throw error
    } catch let error as JournalError {
      throw StoreError(.journal(error), path: path)
    } catch let error as DiskError {
      throw StoreError(.journal(JournalError(error, path: path)), path: path)
    } catch let error as HistoryDefect {
      throw StoreError(error, path: path)
    } catch {
      preconditionFailure("\(error)")
    }
    return report
  }

  /// Removes the caches and the checkpoints, because they belong to the old file. For an erasure,
  /// also removes the files with damaged ends that recoveries have kept.
  private func removeDerivedFiles(isErasure: Bool) throws(JournalError) {
    // Unfinished files are removed first. If one of them gets its final name during this call, the
    // calls below remove it.
    try journal.derivedFiles.removeUnfinished()
    try journal.derivedFiles.removeCaches()
    try journal.derivedFiles.removeCheckpoints()
    if isErasure { try journal.derivedFiles.removeTorn() }
    try journal.derivedFiles.syncNames()
  }
}

extension Store {
  /// Returns the last transaction that a compaction would drop now. If it would drop none, the
  /// result is the base of the journal.
  @_spi(Tools) public func lastDropped(
    keeping retention: HistoryRetention
  ) throws(StoreError) -> SequenceNumber {
    let snapshot = snapshot
    guard case .days(let count) = retention else { return snapshot.sequence }
    // The clock of a machine that shared the log can have been wrong, and all later transactions
    // then have the wrong time.
    let newest = serverTime ?? snapshot.time
    let day: Int64 = 86_400_000_000_000
    let (span, isTooLong) = Int64(max(0, count)).multipliedReportingOverflow(by: day)
    let (limit, isTooEarly) = newest.nanoseconds.subtractingReportingOverflow(span)
    if isTooLong || isTooEarly || limit == .min { return base }
    // A transaction with exactly this time is kept.
    return try sequenceBefore(JournalTime(nanoseconds: limit))
  }

  /// Returns the last transaction before a time. If the history starts after that time, returns the
  /// base sequence.
  fileprivate func sequenceBefore(_ time: JournalTime) throws(StoreError) -> SequenceNumber {
    let earlier = JournalTime(nanoseconds: time.nanoseconds - 1)
    do throws(StoreError) { return try sequence(at: earlier) } catch {
      guard case .noSuchMoment = error.reason else { throw error }
      return base
    }
  }
}
