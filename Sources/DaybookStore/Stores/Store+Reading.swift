import DaybookJournal

extension Store {
  /// Opens a journal for reading, as it is now: it takes no lock, follows nothing, and never changes a byte.
  ///
  /// ```swift
  /// let store = try Store(reading: "banks.daybook", records: Bank.self)
  /// if let report = store.report, !report.isUneventful { print(report) }
  /// ```
  ///
  /// Of a journal that is torn or damaged it shows what is intact, and ``report`` says what is not. Contexts
  /// can be made and changed, to see what would be, and cannot be saved.
  ///
  /// - Throws: ``StoreError``, as for opening for writing.
  /// - Complexity: O(*n*) in the size of the journal
  public convenience init(
    reading path: String, records types: any Record.Type...,
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(reading: path, types: types, options: options)
  }

  /// Opens a journal for reading, as it is now.
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

  /// What opening the journal found and did; nil if it is in memory, or followed.
  public var report: RecoveryReport? {
    switch log {
    case .file(let journal): journal.report
    case .reading(let journal): journal.report
    case .memory, .following: nil
    }
  }
}
