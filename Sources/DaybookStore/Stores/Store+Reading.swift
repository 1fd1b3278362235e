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
