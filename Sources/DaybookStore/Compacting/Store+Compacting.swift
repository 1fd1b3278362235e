import DaybookJournal

/// The part of a journal's history that ``Store/compact(at:keeping:options:)`` keeps.
public enum HistoryRetention: Hashable, Sendable {
  /// Only the current state.
  case nothing
  /// The transactions of a number of days, counted back from the last transaction's time, not from the clock's.
  case days(Int)
}

/// The result of a compaction or an erasure.
public struct CompactionReport: Hashable, Sendable {
  /// The transaction that history begins with the state after; 0 if history is whole.
  public internal(set) var base: SequenceNumber
  /// The number of transactions that were dropped.
  public internal(set) var droppedTransactionCount: Int
  /// The number of transactions after the base.
  public internal(set) var keptTransactionCount: Int
  /// The number of changes of the record that were left out. The record's state when history begins is not counted,
  /// and is left out as well.
  public internal(set) var erasedChangeCount = 0
  /// The size of the old file in bytes, without the zeros that are written ahead.
  public internal(set) var byteCountBefore: UInt64
  /// The size of the new file in bytes.
  public internal(set) var byteCount: UInt64
}

// The journal is opened for writing, so that no other process writes it. Its new contents are written into a new
// file: the state after the last transaction that is dropped, then the transactions after it, under their numbers
// and times. The file takes the journal's name in one step when it is on the disk: whoever opens the journal
// meanwhile, or after a crash at any moment, finds the old one or the new one.
extension Store {
  /// Drops the history of a journal that is older than what is kept.
  ///
  /// ```swift
  /// let report = try Store.compact(at: "banks.daybook", keeping: .days(30))
  /// print("\(report.droppedTransactionCount) transactions were dropped")
  /// ```
  ///
  /// Records keep their identifiers, values and creation numbers. The metadata of dropped transactions is
  /// forgotten, and so are the idempotency keys of their saves. Readers of the old file continue to read it, and
  /// followers change to the new one. A journal of which nothing is to be dropped is left as it is.
  ///
  /// - Throws: ``StoreError`` with `journal`, if another process writes the journal, it is damaged, or the disk
  ///   refuses; with `payload`. The journal is then as it was, but for its caches, which may be gone.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  @available(*, noasync, message: "compacting takes a thread for as long as it goes on")
  public static func compact(
    at path: String, keeping retention: HistoryRetention = .nothing,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> CompactionReport {
    var rewriting = try Rewriting(at: path, options: options)
    return try rewriting.compact(keeping: retention)
  }

  /// Removes the history of one record from a journal. The record's current values stay, if it exists.
  ///
  /// ```swift
  /// try Store.erase("Bank", id: .int(7), at: "banks.daybook")
  /// ```
  ///
  /// The record's earlier values are in no file beside the journal afterwards: caches and the remains of crashes
  /// are removed too. Other records may still refer to it by its identifier, and backups and files that other
  /// processes have open are not reached. Followers of the journal report that its history has changed.
  ///
  /// - Throws: ``StoreError``: `unknownEntity`; `notThere`, if the journal has never known the record; and as
  ///   ``compact(at:keeping:options:)`` does.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  @available(*, noasync, message: "erasing takes a thread for as long as it goes on")
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
    // Everything is looked at, as everything is written again.
    options.keepsCheckpoints = false
    store = try Store(at: path, types: [], options: options)
    guard case .file(let journal) = store.log else {
      preconditionFailure("\(path) is opened as a file and is none")
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
      // What is younger is kept; so is what is just as old.
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
        preconditionFailure("\(entity), which is no entity, has a history")
      }
      key = EntityKey(index, id: id)
      let isThere = head.reader.location(of: IdentifierBytes(id), in: index) != .none
      guard isThere || !versions.isEmpty else {
        throw StoreError(.notThere(entity: entity, id: id), path: path)
      }
    } catch {
      try close()
      throw error
    }
    var rest = RewrittenJournal.Erasure.Rest.base
    // What the journal begins with is no change: a record that is as it was then has no other.
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

  /// Where the last transaction ends.
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
      guard let base else { throw HistoryMisfit(sequence: last.rawValue, offset: 0) }
      // What was said of the state that history begins with already.
      let metadata = last == store.base ? try store.baseTransaction()?.metadata : nil
      // They can be made again; if they cannot be removed, nothing else is done.
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
      // A follower may have written its cache meanwhile. From now on it finds that the journal was replaced.
      try removeDerivedFiles(isErasure: erasure != nil)
    } catch let error as StoreError {
      throw error
    } catch let error as JournalError {
      throw StoreError(.journal(error), path: path)
    } catch let error as DiskError {
      throw StoreError(.journal(JournalError(error, path: path)), path: path)
    } catch let error as HistoryMisfit {
      throw StoreError(error, path: path)
    } catch {
      preconditionFailure("\(error)")
    }
    return report
  }

  /// Removes caches and checkpoints, which are of the old file, and where a record is to be forgotten what crashes
  /// had left behind the old one's end.
  private func removeDerivedFiles(isErasure: Bool) throws(JournalError) {
    // First those without their own names: one that gets it now is removed by that.
    try journal.derivedFiles.removeUnfinished()
    try journal.derivedFiles.removeCaches()
    try journal.derivedFiles.removeCheckpoints()
    if isErasure { try journal.derivedFiles.removeTorn() }
    try journal.derivedFiles.syncNames()
  }
}

extension Store {
  /// The last transaction before a time, of those that history knows the state after.
  fileprivate func sequenceBefore(_ time: JournalTime) throws(StoreError) -> SequenceNumber {
    let earlier = JournalTime(nanoseconds: time.nanoseconds - 1)
    do throws(StoreError) { return try sequence(at: earlier) } catch {
      guard case .noSuchMoment = error.reason else { throw error }
      return base
    }
  }
}
