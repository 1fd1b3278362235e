import Daybook
import DaybookTesting
import StoreTestSupport
import Testing

/// A record that machines change at the same time.
struct SharedTask: Record {
  var id = 0
  var title = ""
  var count = 0
  var parent: Reference<SharedTask>?

  static let schema = RecordSchema<SharedTask>("Task")
    .attribute("title", at: \.title).attribute("count", at: \.count)
    .reference("parent", at: \.parent, checked: true)
}

/// The failures that users of other synchronized stores have reported.
@Suite("Pitfalls of shared logs") struct SharedPitfallTests {
  private static let path = "tasks.daybook"

  private func open(_ log: any SharedLog, on disk: SimulatedDisk) async throws -> Store {
    Audit.start()
    return try await Store(
      at: SharedPitfallTests.path, sharing: log, records: SharedTask.self,
      options: .simulated(on: disk))
  }

  private func save(_ store: Store, _ body: (EditingContext) throws -> Void) async throws {
    let context = store.makeContext(isolation: nil)
    context.mergePolicy = .contextWins
    try body(context)
    try await context.save(isolation: nil)
  }

  private func titles(_ store: Store) throws -> [String] {
    try store.snapshot.fetch(ListRequest<SharedTask>(sortedBy: [.ascending(\SharedTask.id)]))
      .map { "\($0.id) \($0.title)" }
  }

  @Test func `a power loss at each call of a pull leaves a replica that opens`() async throws {
    let log = MemorySharedLog()
    let writer = try await open(log.connect(), on: SimulatedDisk(seed: 1))
    let disk = SimulatedDisk(seed: 2)
    try await open(log.connect(), on: disk).close()
    for id in 1...3 { try await save(writer) { try $0.insert(SharedTask(id: id, title: "a")) } }
    // The first run counts the calls of the disk.
    let counting = disk.copy()
    let opened = try await open(log.connect(), on: counting)
    let first = counting.callCount
    try await opened.close()
    for call in 1...first {
      for seed in 0..<3 as Range<UInt64> {
        let failing = disk.copy()
        failing.plan = .losePower(at: failing.callCount + call, seed: seed)
        _ = try? await open(log.connect(), on: failing)
        var random = SplitMix64(seed: seed)
        let again = try await open(log.connect(), on: failing.powerLoss(using: &random))
        #expect(try titles(again) == ["1 a", "2 a", "3 a"], "call \(call), seed \(seed)")
        try await again.close()
      }
    }
    try await writer.close()
  }

  @Test func `two machines that were both offline can both save again`() async throws {
    let log = MemorySharedLog(name: "tasks")
    let connections = [FaultySharedLog(over: log.connect()), FaultySharedLog(over: log.connect())]
    var stores: [Store] = []
    for (number, connection) in connections.enumerated() {
      stores.append(try await open(connection, on: SimulatedDisk(seed: UInt64(number))))
    }
    for connection in connections {
      connection.plan = .random(seed: 1, percent: 100, from: [.unavailable])
    }
    for (number, store) in stores.enumerated() {
      await #expect(throws: StoreError.self) {
        try await save(store) { try $0.insert(SharedTask(id: number, title: "offline")) }
      }
      #expect(store.sharingStatus != .connected)
    }
    for connection in connections { connection.plan = .none }
    for (number, store) in stores.enumerated() {
      try await save(store) { try $0.insert(SharedTask(id: number, title: "online")) }
      #expect(store.sharingStatus == .connected)
    }
    for store in stores {
      try await store.pull()
      #expect(try titles(store) == ["0 online", "1 online"])
      try await store.close()
    }
  }

  @Test func `saves that wait after an outpaced one keep their order and happen once`() async throws
  {
    let log = MemorySharedLog()
    let first = try await open(log.connect(), on: SimulatedDisk(seed: 1))
    let second = try await open(log.connect(), on: SimulatedDisk(seed: 2))
    try await save(first) { try $0.insert(SharedTask(id: 0, title: "counter")) }
    try await second.pull()
    for round in 1...5 {
      // The second machine has not seen the save of the first.
      try await save(first) { try $0.insert(SharedTask(id: round * 100, title: "first")) }
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for task in 1...4 {
          tasks.addTask {
            try await second.write(isolation: nil) { context in
              try context.update(SharedTask.self, id: 0) { $0.count += 1 }
              try context.insert(SharedTask(id: round * 100 + task, title: "second"))
            }
          }
        }
        try await tasks.waitForAll()
      }
      try await first.pull()
      #expect(try first.snapshot.object(SharedTask.self, id: 0)?.count == round * 4)
      #expect(try second.snapshot.object(SharedTask.self, id: 0)?.count == round * 4)
    }
    #expect(try titles(first) == titles(second))
    #expect(try first.snapshot.count(of: SharedTask.self) == 26)
    for store in [first, second] { try await store.close() }
  }

  @Test func `a list is notified once of what another machine has saved`() async throws {
    let log = MemorySharedLog()
    let first = try await open(log.connect(), on: SimulatedDisk(seed: 1))
    let second = try await open(log.connect(), on: SimulatedDisk(seed: 2))
    let context = second.makeContext(isolation: nil)
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<SharedTask>(sortedBy: [.ascending(\SharedTask.id)]),
      context: context)
    let transcript = Transcript<SharedTask>()
    controller.delegate = transcript
    try controller.performFetch()
    for id in 1...3 { try await save(first) { try $0.insert(SharedTask(id: id, title: "a")) } }
    try await second.pull()
    try context.mergeChanges()
    #expect(
      transcript.take() == """
        tx 3
        willChange
        insert [0, 0] 1
        insert [0, 1] 2
        insert [0, 2] 3
        didChange

        """)
    try await second.pull()
    try context.mergeChanges()
    #expect(transcript.text == "")
    for store in [first, second] { try await store.close() }
  }

  @Test func `a record that is inserted after the deletion of its namesake is not lost`()
    async throws
  {
    let log = MemorySharedLog()
    let first = try await open(log.connect(), on: SimulatedDisk(seed: 1))
    let second = try await open(log.connect(), on: SimulatedDisk(seed: 2))
    try await save(first) { try $0.insert(SharedTask(id: 7, title: "old")) }
    try await second.pull()
    try await save(first) { try $0.delete(SharedTask.self, id: 7) }
    try await save(first) { try $0.insert(SharedTask(id: 7, title: "new")) }
    // The second machine changes the record that it still sees.
    try await save(second) { context in
      try context.update(SharedTask.self, id: 7) { $0.count = 5 }
    }
    try await first.pull()
    #expect(try titles(first) == ["7 new"])
    #expect(try titles(second) == ["7 new"])
    for store in [first, second] { try await store.close() }
  }

  @Test func `a child arrives with its parent or after it`() async throws {
    let log = MemorySharedLog()
    let first = try await open(log.connect(), on: SimulatedDisk(seed: 1))
    let second = try await open(log.connect(), on: SimulatedDisk(seed: 2))
    try await save(first) { try $0.insert(SharedTask(id: 1, title: "parent")) }
    try await second.pull()
    try await save(second) {
      try $0.insert(SharedTask(id: 2, title: "child", parent: Reference(1)))
    }
    try await save(first) {
      try $0.insert(SharedTask(id: 3, title: "sibling", parent: Reference(1)))
    }
    try await second.pull()
    for store in [first, second] {
      #expect(try titles(store) == ["1 parent", "2 child", "3 sibling"])
      #expect(try store.snapshot.object(SharedTask.self, id: 2)?.parent == Reference(1))
      try await store.close()
    }
  }

  @Test func `a lost answer is not a refusal`() async throws {
    let log = MemorySharedLog()
    let connection = FaultySharedLog(over: log.connect())
    let store = try await open(connection, on: SimulatedDisk(seed: 1))
    try await save(store) { try $0.insert(SharedTask(id: 1, title: "a")) }
    for fault in [LogFault.answerLost, .requestLost] {
      connection.plan = .random(seed: 1, percent: 100, from: [fault], only: [.append])
      let id = try store.snapshot.count(of: SharedTask.self) + 1
      do {
        try await save(store) { try $0.insert(SharedTask(id: id, title: "b")) }
        Issue.record("the save has returned")
      } catch let error as StoreError {
        guard case .unknown(let append) = error.reason else {
          Issue.record("\(error)")
          continue
        }
        connection.plan = .none
        try await store.recover()
        // The recovery has appended the same group again, so that the save is in the log.
        #expect(store.isIncluded(append) == true)
        #expect(try store.snapshot.object(SharedTask.self, id: id)?.title == "b")
      }
    }
    try await store.close()
  }

  @Test func `a refused save does not stop the others`() async throws {
    let log = MemorySharedLog()
    let first = try await open(log.connect(), on: SimulatedDisk(seed: 1))
    let second = try await open(log.connect(), on: SimulatedDisk(seed: 2))
    try await save(first) { try $0.insert(SharedTask(id: 1, title: "a")) }
    try await second.pull()
    let context = second.makeContext(isolation: nil)
    context.mergePolicy = .refuse
    try context.update(SharedTask.self, id: 1) { $0.title = "second" }
    try await save(first) { context in
      try context.update(SharedTask.self, id: 1) { $0.title = "first" }
    }
    await #expect(throws: StoreError.self) { try await context.save(isolation: nil) }
    #expect(second.sharingStatus == .connected)
    try await save(second) { try $0.insert(SharedTask(id: 2, title: "later")) }
    try await first.pull()
    #expect(try titles(first) == ["1 first", "2 later"])
    #expect(try titles(second) == ["1 first", "2 later"])
    for store in [first, second] { try await store.close() }
  }
}
