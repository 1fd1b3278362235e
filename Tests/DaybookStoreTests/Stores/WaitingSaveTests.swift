import DaybookJournal
import DaybookStore
import DaybookTesting
import Synchronization
import TestSupport
import Testing

/// What one save comes to may depend on another that is still on its way, and may yet be taken back.
@Suite struct `A save behind one that is on its way` {
  private struct Team: Record, Equatable {
    var id = 0
    var name = ""
    var note = ""
    static let schema = RecordSchema<Team>("Team").attribute("name", at: \.name).attribute(
      "note", at: \.note
    )
    .unique("name")
  }

  private let disk = SimulatedDisk()
  private let gate = SyncGate()

  /// A store of a team called red.
  private func open() throws -> Store {
    let gate = gate
    var passing = PassingDisk(disk)
    passing.beforeWrite = { path, _ in if path.hasSuffix("/j") { gate.pass() } }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let store = try Store(at: "j", types: [Team.self], options: options)
    let context = store.makeContext()
    try context.insert(Team(id: 1, name: "red"))
    try context.saveAndWait()
    return store
  }

  /// A save of a thread of its own.
  private final class Saver: Sendable {
    private let store: Store
    private let hasChanged = Mutex(false)
    private let isAnswered = Mutex(false)
    private let thread = Mutex<TestThread<(String, SequenceNumber)>?>(nil)

    init(_ store: Store, _ body: @escaping @Sendable (EditingContext) throws -> Void) {
      self.store = store
      let thread = TestThread { [self] in
        let answer = sentence {
          let context = store.makeContext(isolation: nil)
          try body(context)
          hasChanged.withLock { $0 = true }
          _ = try context.saveAndWait()
        }
        isAnswered.withLock { $0 = true }
        return (answer, store.snapshot.sequence)
      }
      self.thread.withLock { $0 = thread }
      // From here on it does not matter to what it is saved when it goes on.
      until { hasChanged.withLock { $0 } }
    }

    var isDone: Bool { isAnswered.withLock { $0 } }

    /// Lets it go on until it waits for others. One that does not wait is answered or on its way.
    func goOn(behind count: Int) {
      until { isDone || store.waitingSaveCount > 0 || store.statistics.onTheWayCount > count }
    }

    /// What it came to, and which transaction was shown then.
    func outcome() -> (answer: String, sequence: SequenceNumber) {
      guard let thread = thread.withLock({ $0 }) else {
        preconditionFailure("a saver without a thread")
      }
      return thread.value()
    }
  }

  /// What two saves come to, of which the first is kept from being written until the second has
  /// begun, and which transaction was shown when the second was answered.
  private func outcomes(
    _ store: Store, _ first: @escaping @Sendable (EditingContext) throws -> Void,
    _ second: @escaping @Sendable (EditingContext) throws -> Void
  ) -> (first: String, second: String, sequence: SequenceNumber) {
    gate.shut()
    let firstSaver = Saver(store, first)
    gate.awaitArrival()
    let secondSaver = Saver(store, second)
    secondSaver.goOn(behind: 1)
    gate.open()
    gate.letOneGo()
    let (answer, sequence) = secondSaver.outcome()
    return (firstSaver.outcome().answer, answer, sequence)
  }

  @Test func `hears of a conflict with it when it can be seen`() throws {
    let found = outcomes(try open()) { context in
      try context.update(Team.self, id: 1) { $0.note = "first" }
    } _: { context in
      try context.update(Team.self, id: 1) { $0.note = "second" }
    }
    #expect(found.first == "nothing is thrown" && found.sequence == 2)
    #expect(
      found.second == "j: note of Team 1 was changed here and elsewhere. Nothing was saved.")
  }

  @Test func `is taken back with it`() throws {
    let store = try open()
    let disk = disk
    gate.shut()
    // So large that the disk has to find space for it.
    let first = Saver(store) { context in
      try context.insert(Team(id: 2, name: String(repeating: "first", count: 40_000)))
    }
    gate.awaitArrival()
    let second = Saver(store) { try $0.insert(Team(id: 3, name: "second")) }
    until { store.statistics.onTheWayCount == 2 }
    disk.capacity = 0
    gate.open()
    gate.letOneGo()
    for saver in [first, second] { #expect(saver.outcome().answer != "nothing is thrown") }
    disk.capacity = nil
    #expect(store.statistics.onTheWayCount == 0 && store.statistics.recordCount == 1)
    let context = store.makeContext()
    try context.insert(Team(id: 4, name: "third"))
    #expect(try context.saveAndWait()?.sequence == 2)
    #expect(try store.snapshot.objects(Team.self).map(\.id) == [1, 4])
    // Its number leads to it, and not to where one stood that had it before.
    var transactions = try store.transactions(from: 2)
    #expect(try transactions.next()?.changes.map(\.id) == [.int(4)])
  }

  @Test func `is not in conflict with it if it is taken back`() throws {
    let store = try open()
    let disk = disk
    let found = outcomes(store) { context in
      // So large that the disk has to find space for it.
      try context.update(Team.self, id: 1) { $0.note = String(repeating: "first", count: 40_000) }
      disk.capacity = 0
    } _: { context in
      try context.update(Team.self, id: 1) { $0.note = "second" }
    }
    #expect(found.first.hasPrefix("j: there is no space on the disk for it."))
    #expect(found.second == "nothing is thrown" && found.sequence == 2)
    #expect(try store.snapshot.object(Team.self, id: 1)?.note == "second")
  }

  /// What a save comes to that waits for one, when another behind that one does what it was to do,
  /// and is taken back. Until then it may not be answered.
  private func outcome(
    _ store: Store, behind first: @escaping @Sendable (EditingContext) throws -> Void,
    _ second: @escaping @Sendable (EditingContext) throws -> Void,
    _ third: @escaping @Sendable (EditingContext) throws -> Void
  ) -> String {
    gate.shut()
    let firstSaver = Saver(store, first)
    gate.awaitArrival()
    let secondSaver = Saver(store, second)
    secondSaver.goOn(behind: 1)
    let thirdSaver = Saver(store, third)
    until { store.statistics.onTheWayCount == 2 }
    gate.letOneGo()
    #expect(firstSaver.outcome().answer == "nothing is thrown")
    gate.awaitArrival()
    secondSaver.goOn(behind: 1)
    #expect(!secondSaver.isDone)
    disk.capacity = 0
    gate.open()
    gate.letOneGo()
    #expect(thirdSaver.outcome().answer.hasPrefix("j: there is no space on the disk for it."))
    disk.capacity = nil
    return secondSaver.outcome().answer
  }

  @Test func `is not answered by the key of another that may be taken back`() throws {
    let store = try open()
    let answer = outcome(store) { context in
      try context.update(Team.self, id: 1) { $0.note = "first" }
    } _: { context in
      context.metadata.idempotencyKey = "k"
      try context.update(Team.self, id: 1) { $0.note = "second" }
    } _: { context in
      context.metadata.idempotencyKey = "k"
      try context.insert(Team(id: 2, name: String(repeating: "third", count: 40_000)))
    }
    #expect(answer == "j: note of Team 1 was changed here and elsewhere. Nothing was saved.")
    #expect(try store.snapshot.objects(Team.self) == [Team(id: 1, name: "red", note: "first")])
  }

  @Test func `is not answered by another that has saved the same and may be taken back`() throws {
    let store = try open()
    let answer = outcome(store) { context in
      try context.update(Team.self, id: 1) { $0.note = "first" }
    } _: { context in
      try context.delete(Team.self, id: 1)
    } _: { context in
      context.mergePolicy = .contextWins
      try context.delete(Team.self, id: 1)
      try context.insert(Team(id: 2, name: String(repeating: "third", count: 40_000)))
    }
    #expect(
      answer == """
        j: Team 1 was changed here and deleted elsewhere, or the other way round. Nothing was saved.
        """)
    #expect(try store.snapshot.objects(Team.self) == [Team(id: 1, name: "red", note: "first")])
  }

  @Test func `may not have the unique values that it takes`() throws {
    let found = outcomes(try open()) { context in
      try context.insert(Team(id: 2, name: "blue"))
    } _: { context in
      try context.insert(Team(id: 3, name: "blue"))
    }
    #expect(found.first == "nothing is thrown" && found.sequence == 2)
    #expect(found.second == "j: Team 3 has the same name as 2. Nothing was saved.")
  }
}
