import DaybookCLibrary
import DaybookJournal
import DaybookPostgres
import DaybookStore

/// A process that saves to a replica of a shared log until the test kills it or closes its standard
/// input.
///
/// ```
/// ReplicaChild <path> <url> <first id>
/// ```
///
/// Each save inserts one note, and adds 1 to the note 0. After each acknowledgement, the process
/// prints the identifier of the note.
@main
struct ReplicaChild {
  static func main() async throws {
    #if Postgres
      let arguments = CommandLine.arguments
      guard arguments.count == 4, var id = Int(arguments[3]) else { exit(2) }
      let store = try await open(arguments[1], PostgresLog(arguments[2], name: "notes"))
      while !isCalled {
        try await save(id, to: store)
        put("\(id)\n")
        id += 1
      }
      try await store.close()
    #else
      exit(2)
    #endif
  }

  private static func open(_ path: String, _ log: any SharedLog) async throws -> Store {
    try await Store(at: path, sharing: log, records: SharedNote.self)
  }

  /// Saves a note, and repeats the save until it is acknowledged.
  private static func save(_ id: Int, to store: Store) async throws {
    while true {
      do {
        if try store.snapshot.object(SharedNote.self, id: id) != nil { return }
        try await store.write(isolation: nil) { context in
          if try context.object(SharedNote.self, id: 0) == nil {
            try context.insert(SharedNote())
          }
          try context.update(SharedNote.self, id: 0) { $0.count += 1 }
          try context.insert(SharedNote(id: id))
        }
        return
      } catch let error as StoreError {
        guard error.isOfSharedLog else { throw error }
        // The outcome is known after a recovery. The process has nothing else to do.
        try? await Task.sleep(for: .milliseconds(5))
        _ = try? await store.recover()
      }
    }
  }

  /// Prints text in one call. Without a test that reads it, the process ends.
  private static func put(_ text: String) {
    let bytes = Array(text.utf8)
    let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count != bytes.count { exit(3) }
  }

  /// A Boolean value that indicates whether the test has closed its end of the standard input.
  private static var isCalled: Bool {
    var polled = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) != 0
  }
}

/// A record of the replicas.
struct SharedNote: Record {
  var id = 0
  var count = 0
  static let schema = RecordSchema<SharedNote>("Note").attribute("count", at: \.count)
}
