import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `The statistics of a store` {
  @Test func `the statistics count records, layouts, keys, transactions and syncs`() throws {
    let disk = SimulatedDisk()
    let store = try Store(at: "j", types: [Numbered.self, Unique.self], options: .simulated(disk))
    #expect(store.statistics.recordCount == 0 && store.statistics.sequence == 0)
    let context = store.makeContext()
    for id in 1...3 { try context.insert(Numbered(id: id, name: "n")) }
    try context.insert(Unique(name: "u", note: nil))
    context.metadata.idempotencyKey = "once"
    try context.saveAndWait()
    try context.delete(Numbered.self, id: 2)
    try context.saveAndWait()
    let statistics = store.statistics
    #expect(statistics.sequence == 2 && statistics.base == 0)
    #expect(statistics.entities.map(\.name) == ["Numbered", "Unique"])
    #expect(statistics.entities.map(\.recordCount) == [2, 1])
    #expect(statistics.entities.map(\.layoutCount) == [1, 1])
    #expect(statistics.recordCount == 3)
    #expect(statistics.idempotencyKeyCount == 1 && statistics.inFlightCount == 0)
    #expect(statistics.appends.transactionCount == 2 && statistics.appends.syncCount == 2)
    #expect(statistics.tableByteCount > 0)
  }

  @Test func `the statistics count transactions that are not visible yet`() throws {
    let disk = SimulatedDisk()
    let gate = SyncGate()
    var passing = PassingDisk(disk)
    passing.beforeSync = { path in if path.hasSuffix("/j") { gate.pass() } }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let store = try Store(at: "j", types: [Numbered.self], options: options)
    gate.shut()
    let saver = TestThread {
      let context = store.makeContext(isolation: nil)
      try? context.insert(Numbered(id: 1, name: "n"))
      _ = try? context.saveAndWait()
    }
    gate.awaitArrival()
    #expect(store.statistics.inFlightCount == 1 && store.statistics.recordCount == 0)
    gate.open()
    gate.letOneGo()
    saver.value()
    #expect(store.statistics.inFlightCount == 0 && store.statistics.recordCount == 1)
  }

  @Test func `the statistics distinguish synced transactions from later ones`() throws {
    let disk = SimulatedDisk()
    let gate = SyncGate()
    var passing = PassingDisk(disk)
    passing.beforeSync = { path in if path.hasSuffix("/j") { gate.pass() } }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let store = try Store(at: "j", types: [Numbered.self], options: options)
    let save: @Sendable (Int) -> Void = { id in
      let context = store.makeContext(isolation: nil)
      try? context.insert(Numbered(id: id, name: "n"))
      _ = try? context.saveAndWait()
    }
    gate.shut()
    let first = TestThread { save(1) }
    gate.awaitArrival()
    let second = TestThread { save(2) }
    until { store.statistics.inFlightCount == 2 }
    gate.letOneGo()
    first.value()
    #expect(store.snapshot.sequence == 1)
    #expect(store.statistics.inFlightCount == 1 && store.statistics.recordCount == 1)
    gate.awaitArrival()
    gate.open()
    gate.letOneGo()
    second.value()
    #expect(store.snapshot.sequence == 2 && store.statistics.inFlightCount == 0)
  }
}
