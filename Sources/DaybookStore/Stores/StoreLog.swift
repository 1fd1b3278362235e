import DaybookJournal

/// The journal behind a store.
enum StoreLog: Sendable {
  case file(FileJournal)
  case memory(MemoryJournal)
  /// One that another process writes.
  case following(FollowedJournal)

  /// Whether transactions can be appended.
  var isWritten: Bool { if case .following = self { false } else { true } }

  var path: String {
    switch self {
    case .file(let journal): journal.path
    case .memory: "store in memory"
    case .following(let journal): journal.path
    }
  }

  /// The files that are made of it; nil if it has no file itself.
  var derivedFiles: DerivedFiles? {
    switch self {
    case .file(let journal): journal.derivedFiles
    case .following(let journal): journal.derivedFiles
    case .memory: nil
    }
  }
}
