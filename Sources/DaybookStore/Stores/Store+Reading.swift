import DaybookJournal

extension Store {
  /// Opens the current content of a journal for reading. The store takes no lock, does not follow
  /// the journal, and never changes a byte.
  ///
  /// ```swift
  /// let store = try Store(reading: "banks.daybook", records: Bank.self)
  /// if let report = store.report, !report.isUneventful { print(report) }
  /// ```
  ///
  /// If the journal is torn or damaged, the store shows the intact part, and ``report`` describes
  /// the damage. A program can create and change contexts, for example to preview changes, but it
  /// cannot save them.
  ///
  /// - Throws: ``StoreError``, as for opening for writing, except that a lock, damaged transactions
  ///   or an invalid payload is not an error.
  /// - Complexity: O(*n*) in the size of the journal
  public convenience init(
    reading path: String, records types: any Record.Type...,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(reading: path, types: types, options: options)
  }

  /// Opens the current content of a journal for reading.
  package convenience init(
    reading path: String, types: [any Record.Type], options: JournalOptions
  ) throws(StoreError) {
    try RecordTypes.check(types, path: path)
    let journal: JournalReader
    do throws(JournalError) {
      journal = try JournalReader(at: path, options: options)
    } catch { throw StoreError(.journal(error), path: path) }
    try self.init(.reading(journal), types: types)
  }

  /// Opens the current content of a journal for reading, from its newest checkpoint.
  ///
  /// The store verifies a part of the journal before the checkpoint when it first reads that part.
  /// If the part is damaged, reads throw an error, and ``checkpointDamage`` is the damage. A store
  /// that was opened by `Store(reading:)` shows the records before the damage instead. Without a
  /// valid checkpoint, or if the options disable checkpoints, both are the same.
  ///
  /// - Throws: ``StoreError``, also if the journal is damaged shortly before the checkpoint
  /// - Complexity: O(*n*), where *n* is the size of the checkpoint plus the number of bytes in the
  ///   journal after it
  @_spi(Tools) public convenience init(
    readingFromCheckpoint path: String, options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(readingFromCheckpoint: path, types: [], options: options)
  }

  /// Opens the current content of a journal for reading, from its newest checkpoint.
  package convenience init(
    readingFromCheckpoint path: String, types: [any Record.Type], options: JournalOptions
  ) throws(StoreError) {
    try RecordTypes.check(types, path: path)
    var checkpoint: CheckpointFile.Opened?
    var journal: JournalReader
    do throws(JournalError) {
      journal = try JournalReader(at: path, options: options) { files, header, fits in
        guard options.keepsCheckpoints, options.reading == .mapped else { return nil }
        checkpoint = CheckpointFile.newest(beside: files, of: header, fits: fits)
        return checkpoint?.checkpoint.start
      }
      if let end = checkpoint?.checkpoint.start.end.endOffset,
        journal.lateChecks == nil || journal.file.mapped(through: end) == nil
      {
        // The checkpoint contains the locations of rows in a file that cannot be mapped.
        checkpoint = nil
        journal = try JournalReader(at: path, options: options)
      }
    } catch { throw StoreError(.journal(error), path: path) }
    try self.init(.reading(journal), types: types, from: checkpoint)
  }

  /// The damage that reads have found before the checkpoint of the opening; nil if they have found
  /// none.
  @_spi(Tools) public var checkpointDamage: JournalError? { core.withLock { $0.damage } }

  /// Returns the totals of the history up to the last transaction.
  ///
  /// - Throws: ``StoreError`` with `journal` if the journal is damaged; with `payload` if a
  ///   transaction is invalid
  /// - Complexity: O(*n*) in the number of changes after the checkpoint that the store was opened
  ///   from. Without a checkpoint, or if it was written by an earlier build, *n* is the number of
  ///   all changes.
  @_spi(Tools) public func historyTotals() throws(StoreError) -> HistoryTotals {
    let frozen = snapshot.frozen
    var totals = checkpointTotals ?? HistoryTotals()
    do throws(HistoryDefect) { try totals.advance(to: frozen, base: base) } catch {
      try frozen.checkWhole(path)
      throw StoreError(error, path: path)
    }
    try frozen.checkWhole(path)
    return totals
  }

  /// The report of the opening: the damage that was found, and the actions that repaired it. Nil if
  /// the journal is in memory or followed.
  public var report: RecoveryReport? {
    switch log {
    case .file(let journal): journal.report
    case .reading(let journal): journal.report
    case .memory, .following: nil
    }
  }
}

extension HistoryTotals {
  /// Returns the numbers of transactions and changes in adjacent spans of time. The first span also
  /// counts earlier transactions, and the last one later ones.
  ///
  /// - Parameters:
  ///   - starts: The start times of the spans, in ascending order.
  ///   - snapshot: The snapshot that the totals were counted for.
  /// - Throws: ``StoreError``, as ``Store/historyTotals()`` does
  /// - Complexity: For each span, O(log *n*), and a walk over about 64 KiB of payloads. If times
  ///   are out of order, O(*n*) in the number of changes.
  public func spans(
    startingAt starts: [JournalTime], in snapshot: StoreSnapshot
  ) throws(StoreError) -> [SpanTotals] {
    let found: [SpanTotals]
    do throws(HistoryDefect) {
      found = try spans(startingAt: starts, in: snapshot.frozen)
    } catch {
      try snapshot.frozen.checkWhole(snapshot.path)
      throw StoreError(error, path: snapshot.path)
    }
    try snapshot.frozen.checkWhole(snapshot.path)
    return found
  }
}
