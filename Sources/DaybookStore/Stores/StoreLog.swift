import DaybookJournal

/// The journal of a store, which is one of four kinds. The kind decides whether the store can save.
package enum StoreLog: Sendable {
  case file(FileJournal)
  case memory(MemoryJournal)
  /// A journal that a different process writes and that the store follows.
  case following(FollowedJournal)
  /// The content of a journal file at the time of opening, which the store does not follow.
  case reading(JournalReader)

  /// A Boolean value that indicates whether transactions can be appended.
  var isWritten: Bool {
    switch self {
    case .file, .memory: true
    case .following, .reading: false
    }
  }

  /// A Boolean value that indicates whether background threads perform work that is due.
  var worksInBackground: Bool {
    switch self {
    case .file(let journal): journal.worksInBackground
    case .following(let journal): journal.worksInBackground
    case .memory, .reading: true
    }
  }

  var path: String {
    switch self {
    case .file(let journal): journal.path
    case .memory: "store in memory"
    case .following(let journal): journal.path
    case .reading(let journal): journal.path
    }
  }

  /// The derived files that the store writes; nil if the journal is in memory, or was opened for
  /// reading.
  var derivedFiles: DerivedFiles? {
    switch self {
    case .file(let journal): journal.derivedFiles
    case .following(let journal): journal.derivedFiles
    // A store that only reads leaves nothing beside the journal.
    case .memory, .reading: nil
    }
  }

  /// The derived files beside the journal, for inspection. A store that only reads has them too,
  /// although it does not write them.
  var filesBeside: DerivedFiles? {
    guard case .reading(let journal) = self else { return derivedFiles }
    var options = JournalOptions()
    options.disk = journal.disk
    return DerivedFiles(beside: journal.location, options)
  }
}
