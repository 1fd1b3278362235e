import DaybookJournal

/// The part of a journal's history that ``Store/compact(at:keeping:options:)`` keeps.
public enum HistoryRetention: Hashable, Sendable {
  /// Only the current state is kept.
  case nothing
  /// The transactions of a number of days are kept, counted back from the time of the last
  /// transaction.
  case days(Int)
}

/// The result of a compaction or an erasure.
public struct CompactionReport: Hashable, Sendable {
  /// The transaction that the new base is the state of; 0 if the journal contains the complete
  /// history.
  public internal(set) var base: SequenceNumber
  /// The number of transactions that were dropped.
  public internal(set) var droppedTransactionCount: Int
  /// The number of transactions after the base.
  public internal(set) var keptTransactionCount: Int
  /// The number of changes of the erased record that were omitted.
  ///
  /// The state of the record in an existing base is omitted too, but not counted.
  public internal(set) var erasedChangeCount = 0
  /// The size of the old file in bytes, without preallocated zeros.
  public internal(set) var byteCountBefore: UInt64
  /// The size of the new file in bytes.
  public internal(set) var byteCount: UInt64
}

// The journal is opened for writing, which prevents other processes from writing to it. The new
// contents are written to a new file: the state after the last dropped transaction, followed by the
// later transactions with their numbers and times. After a sync, the file atomically replaces the
// journal. An opening at any time, also after a crash, therefore finds either the old journal or
// the new one.
extension Store {
  /// Drops the older part of a journal's history.
  ///
  /// ```swift
  /// let report = try Store.compact(at: "banks.daybook", keeping: .days(30))
  /// print("\(report.droppedTransactionCount) transactions were dropped")
  /// ```
  ///
  /// Records keep their identifiers, values and creation numbers. The metadata and the idempotency
  /// keys of dropped transactions are lost. Readers of the old file can continue to read it.
  /// Followers switch to the new file. If no transaction would be dropped, the journal is not
  /// changed.
  ///
  /// - Throws: ``StoreError`` with `journal` if another process writes to the journal, the journal
  ///   is damaged, or a call of the disk fails. ``StoreError`` with `payload` if a transaction
  ///   cannot be read. The journal is then unchanged, but its caches may have been removed.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  @available(*, noasync, message: "compacting blocks a thread until it ends")
  public static func compact(
    at path: String, keeping retention: HistoryRetention = .nothing,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> CompactionReport {
    var rewriting = try Rewriting(at: path, options: options)
    return try rewriting.compact(keeping: retention)
  }

  /// Removes the history of one record from a journal. If the record exists, its current values
  /// stay.
  ///
  /// ```swift
  /// try Store.erase("Bank", id: .int(7), at: "banks.daybook")
  /// ```
  ///
  /// After the call, no file beside the journal contains earlier values of the record. Caches, and
  /// the damaged ends that recoveries have kept in files, are removed too. Other records may still
  /// refer to the record by its identifier. Backups, and files that other processes have open, are
  /// not changed. Followers of the journal report that its history has changed.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`; with `notThere` if the history of the journal
  ///   does not contain the record; or with the reasons of ``compact(at:keeping:options:)``.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  @available(*, noasync, message: "erasing blocks a thread until it ends")
  public static func erase(
    _ entity: String, id: RecordIdentifier, at path: String,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> CompactionReport {
    var rewriting = try Rewriting(at: path, options: options)
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

  init(at path: String, options: JournalOptions) throws(StoreError) {
    self.path = path
    self.options = options
    var options = options
    options.createsIfMissing = false
    // The whole journal is read without a checkpoint, because all of it is written again.
    options.keepsCheckpoints = false
    store = try Store(at: path, types: [], options: options)
    guard case .file(let journal) = store.log else {
      preconditionFailure("\(path) is not a file")
    }
    self.journal = journal
    head = store.snapshot.frozen
  }

  mutating func compact(
    keeping retention: HistoryRetention
  ) throws(StoreError) -> CompactionReport {
    var last = head.sequence
    if case .days(let count) = retention {
      let day: Int64 = 86_400_000_000_000
      let (span, isTooLong) = Int64(max(0, count)).multipliedReportingOverflow(by: day)
      let (limit, isTooEarly) = head.state.time.nanoseconds.subtractingReportingOverflow(span)
      // Transactions at the limit are kept.
      last =
        isTooLong || isTooEarly || limit == .min
        ? store.base : try store.sequenceBefore(JournalTime(nanoseconds: limit))
    }
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
        throw StoreError(.notThere(entity: entity, id: id), path: path)
      }
    } catch {
      try close()
      throw error
    }
    var rest = RewrittenJournal.Erasure.Rest.base
    // The state in the base is not a change. A record without changes is written with the base.
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
      // A new base at the same transaction keeps the metadata of the existing base.
      let metadata = last == store.base ? try store.baseTransaction()?.metadata : nil
      // Derived files can be rebuilt. They are removed first: if that fails, the journal is not
      // changed.
      try removeDerivedFiles(isErasure: erasure != nil)
      try journal.replace(beginningAfter: last) { output in
        var rewritten = RewrittenJournal(
          head, to: output, without: erasure, path: path)
        var steps = options.progress?.steps(.reading, of: report.byteCountBefore)
        if last > .zero {
          try rewritten.writeBase(base, metadata: metadata ?? TransactionMetadata(), steps: &steps)
        }
        var number = last
        while number < head.sequence {
          number = number.next
          try rewritten.write(number)
          steps?.pass(output.byteCount)
        }
        report.byteCount = output.byteCount
      }
      // A follower may have written a cache in the meantime. After the replacement, it detects the
      // new journal.
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

  /// Removes caches and checkpoints, because they belong to the old file. An erasure also removes
  /// the files with damaged ends that recoveries have kept.
  private func removeDerivedFiles(isErasure: Bool) throws(JournalError) {
    // Unfinished files are removed first. If one gets its final name in the meantime, a later call
    // removes it.
    try journal.derivedFiles.removeUnfinished()
    try journal.derivedFiles.removeCaches()
    try journal.derivedFiles.removeCheckpoints()
    if isErasure { try journal.derivedFiles.removeTorn() }
    try journal.derivedFiles.syncNames()
  }
}

extension Store {
  /// Returns the last transaction before a time, or the base if the history does not reach that far
  /// back.
  fileprivate func sequenceBefore(_ time: JournalTime) throws(StoreError) -> SequenceNumber {
    let earlier = JournalTime(nanoseconds: time.nanoseconds - 1)
    do throws(StoreError) { return try sequence(at: earlier) } catch {
      guard case .noSuchMoment = error.reason else { throw error }
      return base
    }
  }
}
