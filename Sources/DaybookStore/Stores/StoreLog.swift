import DaybookJournal

/// The journal behind a store.
enum StoreLog: Sendable {
  case file(FileJournal)
  case memory(MemoryJournal)
  /// One that is only read.
  case reading(JournalReader)

  var path: String {
    switch self {
    case .file(let journal): journal.path
    case .memory: "store in memory"
    case .reading(let reader): reader.path
    }
  }

  /// What the journal does about syncs.
  enum Begun: Sendable {
    case file(FileJournal, BegunAppend)
    case memory(AppendOutcome)
  }
}
