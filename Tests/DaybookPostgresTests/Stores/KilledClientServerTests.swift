#if Postgres
  import DaybookJournal
  import DaybookPlatform
  import DaybookStore
  import DaybookTesting
  import Testing
  import TestSupport

  @testable import DaybookPostgres

  @Suite(
    "Processes that are killed while they save", .serialized,
    .enabled(if: PostgresServer.isInstalled, "\(PostgresServer.absence)"))
  struct KilledClientServerTests {
    /// A process with a replica, which a test kills and starts again.
    private struct Client {
      let path: String
      let url: String
      var random: SplitMix64
      private(set) var acknowledged: [Int] = []
      private var startCount = 0

      init(number: Int, server: PostgresServer) {
        path = server.path("replica\(number).daybook")
        url = server.url()
        random = SplitMix64(seed: UInt64(number))
        firstID = 1 + number * 1_000_000_000
      }

      private let firstID: Int

      /// Starts the process, and reads some acknowledgements.
      mutating func start() throws -> TestProcess {
        let first = firstID + startCount * 1_000_000
        startCount += 1
        let process = try TestProcess(path, url, "\(first)", program: "ReplicaChild")
        for _ in 0...Int(random.next() % 8) { try readLine(of: process) }
        return process
      }

      private mutating func readLine(of process: TestProcess) throws {
        guard let line = process.line(), let id = Int(line) else {
          throw Surprise("the process of \(path) ended with status \(process.wait())")
        }
        acknowledged.append(id)
      }

      /// Kills the process at a moment that no statement determines, and reads the rest of its
      /// acknowledgements.
      mutating func kill(_ process: TestProcess) {
        process.end()
        while let line = process.line() { if let id = Int(line) { acknowledged.append(id) } }
      }

      /// Lets the process end, and reads the rest of its acknowledgements.
      mutating func finish(_ process: TestProcess) throws {
        process.closeInput()
        while let line = process.line() { if let id = Int(line) { acknowledged.append(id) } }
        guard process.wait() == 0 else {
          throw Surprise("the process of \(path) ended with status \(process.wait())")
        }
      }
    }

    @Test func `processes that are killed lose no acknowledged save, and come back`() async throws {
      let server = try PostgresServer()
      var clients = (0..<3).map { Client(number: $0, server: server) }
      var processes = try clients.indices.map { try clients[$0].start() }
      var random = SplitMix64(seed: 7)
      for _ in 0..<FaultRow.count(12, full: 300, least: 6) {
        let index = Int(random.next() % UInt64(clients.count))
        clients[index].kill(processes[index])
        processes[index] = try clients[index].start()
      }
      for index in clients.indices { try clients[index].finish(processes[index]) }

      let acknowledged = clients.flatMap(\.acknowledged)
      #expect(Set(acknowledged).count == acknowledged.count)
      var replicas: [[Int: Int]] = []
      for client in clients {
        let store = try await Store(
          at: client.path, sharing: server.log("notes"), records: CountedNote.self)
        try await store.pull()
        let notes = try store.snapshot.objects(CountedNote.self)
        replicas.append(Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.count) }))
        try await store.close()
      }
      let ids = Set(replicas[0].keys)
      #expect(ids.isSuperset(of: acknowledged))
      // Each save has inserted one note, and has added 1 to the note 0.
      #expect(replicas[0][0] == ids.count - 1)
      #expect(replicas[1] == replicas[0] && replicas[2] == replicas[0])
      // A save whose process was killed before the acknowledgement can be in the log.
      let unacknowledgedCount = ids.count - 1 - acknowledged.count
      #expect(0...FaultRow.count(12, full: 300, least: 6) ~= unacknowledgedCount)

      let bytes = try await server.log("notes").readAll().flatMap(\.bytes)
      for client in clients {
        let file = try TemporaryDirectory(path: "").bytes(of: client.path)
        let replica = Array(file.prefix(4096)) + Array(file.dropFirst(16384))
        let isEqual = replica.starts(with: bytes) && replica[bytes.count...].allSatisfy { $0 == 0 }
        #expect(isEqual, "\(client.path)")
      }
    }
  }

  /// A record of the processes.
  private struct CountedNote: Record {
    var id = 0
    var count = 0
    static let schema = RecordSchema<CountedNote>("Note").attribute("count", at: \.count)
  }
#endif
