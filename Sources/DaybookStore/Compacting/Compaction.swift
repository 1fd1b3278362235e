import DaybookJournal

/// Giving up history: of a whole journal up to some transaction, or of one record.
///
/// ```swift
/// try Compaction.compact("banks.daybook", keeping: .days(30))
/// ```
///
/// The story of one. The journal is opened for writing, so that nobody else writes it, and what it knows is
/// written into a new file: the state after the last transaction that is dropped, then the transactions
/// behind it, under their numbers and times. Only when that file is on the disk it takes the journal's name,
/// in one step: whoever opens the journal meanwhile, or after a crash at any moment, finds the old one or the
/// new one. Readers of the old file go on reading it, and followers go over to the new one.
///
/// Records keep their identifiers, values and creation numbers. What is forgotten with dropped transactions:
/// who made them, and the idempotency keys of their saves.
public enum Compaction {
  /// How much history is kept.
  public enum Retention: Hashable, Sendable {
    /// None but the state.
    case nothing
    /// That of so many days, counted back from the last transaction's time, not from the clock's.
    case days(Int)
  }

  /// What was done.
  public struct Report: Hashable, Sendable {
    /// The transaction that history begins with the state after; 0 if it is whole.
    public internal(set) var base: SequenceNumber
    /// How many transactions were dropped.
    public internal(set) var droppedTransactionCount: Int
    /// How many stand behind the base.
    public internal(set) var keptTransactionCount: Int
    /// How many changes of the record were left out: of those that history told of. What it was when history begins is
    /// none of them, and is left out as well.
    public internal(set) var erasedChangeCount = 0
    /// How many bytes the file had, without what was filled ahead.
    public internal(set) var byteCountBefore: UInt64
    /// How many it has.
    public internal(set) var byteCount: UInt64
  }

  /// Drops history.
  ///
  /// A journal of which nothing is to be dropped is left as it is.
  ///
  /// - Throws: ``StoreError`` with `journal`, if somebody writes the journal, it is damaged, or the disk
  ///   refuses; with `payload`. The journal is then as it was, but for its caches, which may be gone.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  @available(*, noasync, message: "compacting takes a thread for as long as it goes on")
  public static func compact(
    _ path: String, keeping retention: Retention = .nothing,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> Report {
    var rewriting = try Rewriting(path, options)
    return try rewriting.compact(keeping: retention)
  }

  /// Makes the journal forget what a record was: what it is now stays, and nothing if it is no more.
  ///
  /// Its earlier values are in no file beside the journal afterwards: caches and what crashes had left behind
  /// are removed too. Other records may still refer to it by its identifier, and backups and files that
  /// others have open are not reached. Who follows the journal is told that its history is another.
  ///
  /// - Throws: ``StoreError``: `unknownEntity`; `notThere`, if the journal has never known the record; and as
  ///   ``compact(_:keeping:options:)`` does.
  /// - Complexity: O(*n*) in the size of the journal
  @discardableResult
  @available(*, noasync, message: "erasing takes a thread for as long as it goes on")
  public static func erase(
    _ entity: String, _ id: RecordIdentifier, in path: String,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) -> Report {
    var rewriting = try Rewriting(path, options)
    return try rewriting.erase(entity, id)
  }
}

/// One compaction or erasure.
private struct Rewriting {
  private let path: String
  private let store: Store
  private let journal: FileJournal
  private let head: FrozenState
  private let options: JournalOptions

  init(_ path: String, _ options: JournalOptions) throws(StoreError) {
    self.path = path
    self.options = options
    var options = options
    options.createsIfMissing = false
    // Everything is looked at, as everything is written again.
    options.keepsCheckpoints = false
    store = try Store(at: path, [], options)
    guard case .file(let journal) = store.log else {
      preconditionFailure("\(path) is opened as a file and is none")
    }
    self.journal = journal
    head = store.snapshot.frozen
  }

  mutating func compact(
    keeping retention: Compaction.Retention
  ) throws(StoreError) -> Compaction.Report {
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
    _ entity: String, _ id: RecordIdentifier
  ) throws(StoreError) -> Compaction.Report {
    let versions: [RecordVersion]
    let key: EntityKey
    do throws(StoreError) {
      versions = try store.history(of: entity, id)
      guard let index = head.catalog.index(of: entity) else {
        preconditionFailure("\(entity), which is no entity, has a history")
      }
      key = EntityKey(index, id)
      let isThere = head.location(index, IdentifierBytes(id)) != .none
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

  private func report(base: SequenceNumber, byteCount: UInt64) -> Compaction.Report {
    Compaction.Report(
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
  ) throws(StoreError) -> Compaction.Report {
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
          try rewritten.writeBase(base, metadata ?? TransactionMetadata(), &steps)
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
    try journal.derivedFiles.removeCaches()
    try journal.derivedFiles.removeCheckpoints()
    try journal.derivedFiles.removeUnfinished()
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
