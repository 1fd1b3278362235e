import DaybookJournal

/// The journal behind a store.
package enum StoreLog: Sendable {
  case file(FileJournal)
  case memory(MemoryJournal)
  /// One that another process writes.
  case following(FollowedJournal)
  /// One as it was when it was opened.
  case reading(JournalReader)

  /// Whether transactions can be appended.
  var isWritten: Bool {
    switch self {
    case .file, .memory: true
    case .following, .reading: false
    }
  }

  /// Whether threads perform what is due in the background.
  var tendsItself: Bool {
    switch self {
    case .file(let journal): journal.tendsItself
    case .following(let journal): journal.tendsItself
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

  /// The files that are made of it; nil if it has no file itself.
  var derivedFiles: DerivedFiles? {
    switch self {
    case .file(let journal): journal.derivedFiles
    case .following(let journal): journal.derivedFiles
    // It is read as it is, and nothing is left beside it.
    case .memory, .reading: nil
    }
  }

  /// The files that others have made of it, for whoever looks at them.
  var filesBeside: DerivedFiles? {
    guard case .reading(let journal) = self else { return derivedFiles }
    var options = JournalOptions()
    options.disk = journal.disk
    return DerivedFiles(beside: journal.place, options)
  }
}
