#if Postgres
  import DaybookJournal
  import DaybookStore
  import DaybookTesting
  import StoreTestSupport
  import TestSupport

  /// A record of the stores that share a log.
  struct SharedNote: Record {
    var id = 0
    var text = ""
    static let schema = RecordSchema<SharedNote>("Note").attribute("text", at: \.text)
  }

  /// A machine of a test: a simulated disk with the replica of a shared log.
  struct NoteMachine {
    static let path = "notes.daybook"
    let disk: SimulatedDisk

    init(_ seed: Int) { disk = SimulatedDisk(seed: UInt64(seed)) }

    /// Opens the store of the machine, without threads in the background.
    func open(_ log: any SharedLog) async throws -> Store {
      try await Store(
        at: NoteMachine.path, sharing: log, types: [SharedNote.self], options: .simulated(disk))
    }

    /// The header and the frames of the replica, without the zeros after them.
    var frames: [UInt8] {
      let bytes = disk.contents(of: NoteMachine.path) ?? []
      let end = bytes.lastIndex { $0 != 0 } ?? -1
      return Array(bytes.prefix(4096))
        + Array(bytes[min(16384, bytes.count)..<max(16384, end + 1)])
    }
  }

  extension Store {
    /// Inserts a note in one transaction.
    func add(_ id: Int) async throws {
      let metadata = TransactionMetadata(author: "machine", correlation: "note \(id)")
      try await write(metadata, isolation: nil) { try $0.insert(SharedNote(id: id, text: "note")) }
    }

    /// Inserts a note, and waits until it is saved.
    func addUntilSaved(_ id: Int, minimumServers: Int? = nil) async throws {
      let metadata = TransactionMetadata(author: "machine", correlation: "note \(id)")
      _ = try await commit(
        metadata, waitingUpTo: .seconds(120), minimumServers: minimumServers, isolation: nil
      ) { try $0.insert(SharedNote(id: id, text: "note")) }
    }

    /// The identifiers of all notes, in order.
    func ids() throws -> [Int] {
      try snapshot.objects(SharedNote.self).map(\.id).sorted()
    }
  }
#endif
