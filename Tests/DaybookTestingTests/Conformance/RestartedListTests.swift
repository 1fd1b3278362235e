import Daybook
import DaybookTesting
import StoreTestSupport
import Testing

/// The lists of a store whose replica restarts.
@Suite("Lists of a restarted replica") struct RestartedListTests {
  private func open(_ log: MemorySharedLog, seed: UInt64) async throws -> Store {
    Audit.start()
    return try await Store(
      at: "tasks.daybook", sharing: log.connect(), records: SharedTask.self,
      options: .simulated(on: SimulatedDisk(seed: seed)))
  }

  private func save(_ id: Int, in store: Store) async throws {
    try await store.write(isolation: nil) { try $0.insert(SharedTask(id: id, title: "t\(id)")) }
  }

  @Test func `a restart gives each list one reset, and exact differences after it`() async throws {
    let log = MemorySharedLog(name: "tasks")
    let store = try await open(log, seed: 1)
    let other = try await open(log, seed: 2)
    for id in 1...3 { try await save(id, in: store) }
    log.replaceGroups(Array(log.groups.dropLast()))
    for id in 7...9 { try await save(id, in: other) }

    let request = ListRequest<SharedTask>(sortedBy: [.ascending(\SharedTask.id)])
    var updates = try store.results(request).makeAsyncIterator()
    guard case .initial(let objects)? = await updates.next() else {
      Issue.record("the first update is not the list")
      return
    }
    #expect(objects.map(\.id) == [1, 2, 3])
    let plan = try #require(try await store.repairPlan())
    try await store.repair(plan)
    guard case .reset(let restarted)? = await updates.next() else {
      Issue.record("the update after the restart is no reset")
      return
    }
    #expect(restarted.map(\.id) == [1, 2, 7, 8, 9])
    try await save(10, in: other)
    try await store.pull()
    guard case .difference(let difference)? = await updates.next() else {
      Issue.record("the update after a pull is no difference")
      return
    }
    #expect(difference.inserted.count == 1 && difference.deleted.isEmpty)
    let context = store.makeContext(isolation: nil)
    #expect(try context.fetch(request).map(\.id) == [1, 2, 7, 8, 9, 10])
    try await store.close()
    try await other.close()
  }
}
