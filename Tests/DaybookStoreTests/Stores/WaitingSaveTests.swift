import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// The outcome of a save can depend on a save in flight, which may still be rolled back.
@Suite("Saves that depend on a pending save") struct WaitingSaveTests {
  private struct Team: Record, Equatable {
    var id = 0
    var name = ""
    var note = ""
    static let schema = RecordSchema<Team>("Team").attribute("name", at: \.name).attribute(
      "note", at: \.note
    )
    .unique(\.name)
  }

  private let disk = SimulatedDisk()
  private let gate = SyncGate()

  /// Opens a store with a team called red.
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

  /// A save on a separate thread.
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
      // From here on, the save has read its base state.
      until { hasChanged.withLock { $0 } }
    }

    var isDone: Bool { isAnswered.withLock { $0 } }

    /// Waits until the save waits for others, is in flight or has returned.
    func advance(behind count: Int) {
      until { isDone || store.waitingSaveCount > 0 || store.statistics.inFlightCount > count }
    }

    /// Waits for the outcome and the sequence number that was visible then.
    func outcome() -> (answer: String, sequence: SequenceNumber) {
      guard let thread = thread.withLock({ $0 }) else {
        preconditionFailure("a saver without a thread")
      }
      return thread.value()
    }
  }

  /// Returns the outcomes of two saves and the sequence number visible after the second. The first
  /// save is not written before the second has started.
  private func outcomes(
    _ store: Store, _ first: @escaping @Sendable (EditingContext) throws -> Void,
    _ second: @escaping @Sendable (EditingContext) throws -> Void
  ) -> (first: String, second: String, sequence: SequenceNumber) {
    gate.shut()
    let firstSaver = Saver(store, first)
    gate.awaitArrival()
    let secondSaver = Saver(store, second)
    secondSaver.advance(behind: 1)
    gate.open()
    gate.letOneGo()
    let (answer, sequence) = secondSaver.outcome()
    return (firstSaver.outcome().answer, answer, sequence)
  }

  @Test func `a save conflicts with a pending save only once that is visible`() throws {
    let found = outcomes(try open()) { context in
      try context.update(Team.self, id: 1) { $0.note = "first" }
    } _: { context in
      try context.update(Team.self, id: 1) { $0.note = "second" }
    }
    #expect(found.first == "nothing is thrown" && found.sequence == 2)
    #expect(
      found.second == "j: note of Team 1 was changed both here and elsewhere. Nothing was saved.")
  }

  @Test func `a save is rolled back together with the pending save before it`() throws {
    let store = try open()
    let disk = disk
    gate.shut()
    // A large name, so that the disk has to allocate space.
    let first = Saver(store) { context in
      try context.insert(Team(id: 2, name: String(repeating: "first", count: 40_000)))
    }
    gate.awaitArrival()
    let second = Saver(store) { try $0.insert(Team(id: 3, name: "second")) }
    until { store.statistics.inFlightCount == 2 }
    disk.capacity = 0
    gate.open()
    gate.letOneGo()
    for saver in [first, second] { #expect(saver.outcome().answer != "nothing is thrown") }
    disk.capacity = nil
    #expect(store.statistics.inFlightCount == 0 && store.statistics.recordCount == 1)
    let context = store.makeContext()
    try context.insert(Team(id: 4, name: "third"))
    #expect(try context.saveAndWait()?.sequence == 2)
    #expect(try store.snapshot.objects(Team.self).map(\.id) == [1, 4])
    // Its number refers to its own frame, not to that of the rolled back transaction.
    var transactions = try store.transactions(from: 2)
    #expect(try transactions.next()?.changes.map(\.id) == [.int(4)])
  }

  @Test func `a save does not conflict with a pending save that is rolled back`() throws {
    let store = try open()
    let disk = disk
    let found = outcomes(store) { context in
      // A large note, so that the disk has to allocate space.
      try context.update(Team.self, id: 1) { $0.note = String(repeating: "first", count: 40_000) }
      disk.capacity = 0
    } _: { context in
      try context.update(Team.self, id: 1) { $0.note = "second" }
    }
    #expect(found.first.hasPrefix("j: the disk is full."))
    #expect(found.second == "nothing is thrown" && found.sequence == 2)
    #expect(try store.snapshot.object(Team.self, id: 1)?.note == "second")
  }

  /// Returns the outcome of a save that waits for a first one, while a third save makes the second
  /// unnecessary and is then rolled back. Until then the second save may not return.
  private func outcome(
    _ store: Store, behind first: @escaping @Sendable (EditingContext) throws -> Void,
    _ second: @escaping @Sendable (EditingContext) throws -> Void,
    _ third: @escaping @Sendable (EditingContext) throws -> Void
  ) -> String {
    gate.shut()
    let firstSaver = Saver(store, first)
    gate.awaitArrival()
    let secondSaver = Saver(store, second)
    secondSaver.advance(behind: 1)
    let thirdSaver = Saver(store, third)
    until { store.statistics.inFlightCount == 2 }
    gate.letOneGo()
    #expect(firstSaver.outcome().answer == "nothing is thrown")
    gate.awaitArrival()
    secondSaver.advance(behind: 1)
    #expect(!secondSaver.isDone)
    disk.capacity = 0
    gate.open()
    gate.letOneGo()
    #expect(thirdSaver.outcome().answer.hasPrefix("j: the disk is full."))
    disk.capacity = nil
    return secondSaver.outcome().answer
  }

  @Test func `a save does not trust the idempotency key of a pending save`() throws {
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
    #expect(answer == "j: note of Team 1 was changed both here and elsewhere. Nothing was saved.")
    #expect(try store.snapshot.objects(Team.self) == [Team(id: 1, name: "red", note: "first")])
  }

  @Test func `a save does not trust an equal pending save that may be rolled back`() throws {
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
        j: Team 1 was changed in one place and deleted in the other. Nothing was saved.
        """)
    #expect(try store.snapshot.objects(Team.self) == [Team(id: 1, name: "red", note: "first")])
  }

  @Test func `a save cannot use the unique values of a pending save`() throws {
    let found = outcomes(try open()) { context in
      try context.insert(Team(id: 2, name: "blue"))
    } _: { context in
      try context.insert(Team(id: 3, name: "blue"))
    }
    #expect(found.first == "nothing is thrown" && found.sequence == 2)
    #expect(found.second == "j: Team 3 has the same name as Team 2. Nothing was saved.")
  }

  @Test func `a record is merged into one of a pending save once that is visible`() throws {
    let expected: [(UniqueConflictPolicy, [Team])] = [
      (.skip, [Team(id: 2, name: "blue", note: "first")]),
      (.update, [Team(id: 2, name: "blue", note: "second")]),
      (.replace, [Team(id: 3, name: "blue", note: "second")]),
    ]
    for (policy, teams) in expected {
      let saves = WaitingSaveTests()
      let store = try saves.open()
      let found = saves.outcomes(store) { context in
        try context.insert(Team(id: 2, name: "blue", note: "first"))
      } _: { context in
        context.uniqueConflictPolicy = policy
        try context.insert(Team(id: 3, name: "blue", note: "second"))
      }
      #expect(found.first == "nothing is thrown" && found.second == "nothing is thrown")
      #expect(found.sequence == (policy == .skip ? 2 : 3))
      #expect(try store.snapshot.objects(Team.self).dropFirst() == teams[...], "\(policy)")
    }
  }

  @Test func `a record is not dropped for one of a pending save that is rolled back`() throws {
    let store = try open()
    let disk = disk
    let found = outcomes(store) { context in
      // A large note, so that the disk has to allocate space.
      try context.insert(
        Team(id: 2, name: "blue", note: String(repeating: "first", count: 40_000)))
      disk.capacity = 0
    } _: { context in
      context.uniqueConflictPolicy = .skip
      try context.insert(Team(id: 3, name: "blue"))
    }
    #expect(found.first.hasPrefix("j: the disk is full."))
    #expect(found.second == "nothing is thrown" && found.sequence == 2)
    #expect(try store.snapshot.objects(Team.self).map(\.id) == [1, 3])
  }
}
