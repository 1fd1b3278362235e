import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// Saves that arrive during a write are written together by the next one.
@Suite("Saves that are written together") struct SavesTogetherThreadTests {
  private let disk = SimulatedDisk()
  private let gate = SyncGate()

  /// Opens a store with the records 1 to 4. Its writes pass an initially open gate.
  private func open(_ durability: Durability = .full) throws -> Store {
    let gate = gate
    var passing = PassingDisk(disk)
    passing.beforeWrite = { path, _ in if path.hasSuffix("/j") { gate.pass() } }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    options.durability = durability
    let store = try Store(at: "j", types: [Numbered.self], options: options)
    let context = store.makeContext()
    for id in 1...4 { try context.insert(Numbered(id: id, name: "old")) }
    try context.saveAndWait()
    return store
  }

  private func save(
    to store: Store, _ body: @escaping @Sendable (EditingContext) throws -> Void
  ) -> TestThread<(answer: String, sequence: SequenceNumber)> {
    TestThread {
      let answer = sentence {
        let context = store.makeContext(isolation: nil)
        try body(context)
        _ = try context.saveAndWait()
      }
      return (answer, store.snapshot.sequence)
    }
  }

  /// Starts a save that waits at the gate, and three saves after it, in numbered order.
  private func saves(
    to store: Store
  ) -> [TestThread<(answer: String, sequence: SequenceNumber)>] {
    gate.shut()
    var saves = [save(to: store) { try $0.update(Numbered.self, id: 1) { $0.name = "first" } }]
    gate.awaitArrival()
    let bodies: [@Sendable (EditingContext) throws -> Void] = [
      { try $0.delete(Numbered.self, id: 2) },
      { try $0.update(Numbered.self, id: 3) { $0.name = "third" } },
      { try $0.insert(Numbered(id: 9, name: "new")) },
    ]
    for (index, body) in bodies.enumerated() {
      saves.append(save(to: store, body))
      until { store.statistics.inFlightCount == index + 2 }
    }
    return saves
  }

  private static let before = [1, 2, 3, 4].map { Numbered(id: $0, name: "old") }
  private static let between = [Numbered(id: 1, name: "first")] + before.dropFirst()
  private static let after = [
    Numbered(id: 1, name: "first"), Numbered(id: 3, name: "third"), Numbered(id: 4, name: "old"),
    Numbered(id: 9, name: "new"),
  ]

  @Test(arguments: [Durability.full, .none])
  func `saves that are written together become visible together`(durability: Durability) throws {
    let store = try open(durability)
    let isDone = Mutex(false)
    let seen = Mutex<Set<SequenceNumber>>([])
    let reader = TestThread {
      while !isDone.withLock({ $0 }) {
        _ = seen.withLock { $0.insert(store.snapshot.sequence) }
        sched_yield()
      }
    }
    let saves = saves(to: store)
    let first = store.snapshot
    gate.letOneGo()
    gate.awaitArrival()
    #expect(saves[0].value() == ("nothing is thrown", 2))
    let second = store.snapshot
    gate.letOneGo()
    for save in saves[1...] { #expect(save.value() == ("nothing is thrown", 5)) }
    isDone.withLock { $0 = true }
    reader.value()
    #expect(seen.withLock { $0 }.isSubset(of: [1, 2, 5]))

    // A snapshot keeps its state.
    #expect(try first.objects(Numbered.self) == Self.before)
    #expect(try second.objects(Numbered.self) == Self.between)
    #expect(try store.snapshot.objects(Numbered.self) == Self.after)
    gate.open()
    try store.closeAndWait()
  }

  @Test(arguments: [true, false])
  func `saves that fail together have one outcome after recovery`(
    keeps: Bool
  ) throws {
    let store = try open()
    let saves = saves(to: store)
    gate.letOneGo()
    gate.awaitArrival()
    #expect(saves[0].value() == ("nothing is thrown", 2))
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: keeps ? [.sync] : [.write])
    gate.letOneGo()
    for (number, save) in zip(3..., saves[1...]) {
      let (answer, sequence) = save.value()
      #expect(
        answer == "j: /disk/j: \(keeps ? "sync" : "write"): Input/output error (5). "
          + "Transaction \(number) may or may not be in the journal. Recover the store to find out."
      )
      #expect(sequence == 2)
    }
    #expect(store.statistics.inFlightCount == 0)
    #expect(try store.snapshot.objects(Numbered.self) == Self.between)
    gate.open()
    disk.plan = .none
    try store.recoverAndWait()
    #expect(try store.snapshot.objects(Numbered.self) == (keeps ? Self.after : Self.between))
    let context = store.makeContext()
    try context.insert(Numbered(id: 10, name: "last"))
    #expect(try context.saveAndWait()?.sequence == (keeps ? 6 : 3))
    try store.closeAndWait()
  }
}
