import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import Testing

@Suite struct `The audit of stores against their journals` {
  @Test func `an audit finds the differences of two snapshots`() throws {
    func store(_ names: [String]) throws -> Store {
      let store = try Store.inMemory(types: [Numbered.self])
      let context = store.makeContext()
      for (id, name) in names.enumerated() { try context.insert(Numbered(id: id, name: name)) }
      try context.saveAndWait()
      return store
    }
    let one = try store(["a", "b"]).snapshot
    #expect(Audit.differences(one, one) == [])
    let found = Audit.differences(one, try store(["a", "c"]).snapshot)
    #expect(found.count { $0.hasPrefix("Numbered 1: ") } == 1)
    #expect(
      Audit.differences(one, try store(["a"]).snapshot).contains("Numbered: [0, 1] against [0]"))
  }

  @Test func `closing a store audits it`() throws {
    let before = Audit.count.load(ordering: .relaxed)
    let store = try Store(at: "j", types: [Numbered.self], options: .simulated(SimulatedDisk()))
    let context = store.makeContext()
    try context.insert(Numbered(id: 1, name: "one"))
    try context.saveAndWait()
    try store.closeAndWait()
    #expect(Audit.count.load(ordering: .relaxed) > before)
  }
}
