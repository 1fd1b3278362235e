import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

/// A context at a moment shows the store as of that moment, plus its own trial changes.
@Suite struct `A context as of a moment` {
  /// The state of a context as an observer reconstructs it from transactions alone.
  private final class Mirror {
    var records: [RecordIdentifier: DynamicRecord]
    var wrong: [String] = []
    var count = 0
    private var token: ObservationToken?

    init(_ context: EditingContext) throws {
      records = Dictionary(
        uniqueKeysWithValues: try context.objects("Numbered").map { ($0.id, $0) })
      token = context.observe { [unowned self] event in
        guard case .transaction(let transaction) = event else { return }
        count += 1
        if transaction.changes.isEmpty { wrong.append("a boundary without changes") }
        for change in transaction.changes {
          if records[change.id] != change.old { wrong.append("old of \(change.kind) \(change.id)") }
          records[change.id] = change.new
        }
      }
    }
  }

  private struct World {
    var random: SplitMix64
    let store: Store

    init(seed: UInt64) throws {
      random = SplitMix64(seed: seed)
      store = try Store(at: "j", types: [Numbered.self], options: .simulated(SimulatedDisk()))
    }

    mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    /// Changes some records at random.
    mutating func change(_ context: EditingContext) throws {
      for _ in 0...below(3) {
        let id = below(6)
        let name = "n\(below(3))"
        switch (try context.object(Numbered.self, id: id) != nil, below(3)) {
        case (false, _): try context.insert(Numbered(id: id, name: name))
        case (true, 0): try context.delete(Numbered.self, id: id)
        default: try context.update(Numbered.self, id: id) { $0.name = name }
        }
      }
    }
  }

  private func hold(
    _ context: EditingContext, _ mirror: Mirror, at sequence: SequenceNumber, _ what: String
  ) throws {
    let expected = try context.store.snapshot(at: sequence).objects("Numbered")
    // The creation order must match too.
    #expect(try context.objects("Numbered") == expected, "\(what)")
    #expect(context.sequence == sequence && !context.hasChanges, "\(what)")
    #expect(mirror.wrong == [], "\(what)")
    let records = Dictionary(uniqueKeysWithValues: expected.map { ($0.id, $0) })
    #expect(mirror.records == records, "\(what)")
  }

  @Test func `a context travels to any moment, reports differences and rolls back trial changes`()
    throws
  {
    for seed in 0..<UInt64(FaultRow.count(300, full: 5000)) {
      var world = try World(seed: seed)
      let store = world.store
      let writer = store.makeContext()
      for _ in 0..<12 {
        try world.change(writer)
        try writer.saveAndWait()
      }
      let last = Int(store.snapshot.sequence.rawValue)
      let context = try store.makeContext(at: SequenceNumber(UInt64(world.below(last + 1))))
      context.undoLimit = 3
      let mirror = try Mirror(context)
      for step in 0..<12 {
        let what = "seed \(seed), step \(step)"
        let here = context.sequence
        // Observers receive the trial changes and their reversal.
        for _ in 0..<world.below(3) {
          try world.change(context)
          context.processPendingChanges()
          if world.below(4) == 0 { try context.undo() }
          if world.below(4) == 0 { try context.redo() }
        }
        if world.below(3) == 0 { try world.change(context) }
        if context.hasChanges {
          if world.below(4) == 0 {
            try context.reset()
            // A reset does not notify observers of single changes.
            mirror.records = Dictionary(
              uniqueKeysWithValues: try context.objects("Numbered").map { ($0.id, $0) })
          } else {
            try context.rollback()
          }
        }
        try hold(context, mirror, at: here, what)
        // The store continues to change meanwhile.
        if world.below(4) == 0 {
          try world.change(writer)
          try writer.saveAndWait()
          try context.mergeChanges()
          try hold(context, mirror, at: here, what)
        }
        let there = SequenceNumber(UInt64(world.below(last + 1)))
        try context.travel(to: there)
        try hold(context, mirror, at: there, what)
        let (records, count) = (mirror.records, mirror.count)
        try context.travel(to: here)
        try hold(context, mirror, at: here, what)
        try context.travel(to: there)
        #expect(mirror.records == records && (mirror.count - count) % 2 == 0, "\(what)")
        #expect(!context.canUndo && !context.canRedo || here == there, "\(what)")
      }
    }
  }

  private func open() throws -> Store {
    let store = try Store.inMemory(types: [Numbered.self])
    let context = store.makeContext()
    for (id, name) in [(1, "one"), (2, "two"), (3, "three")] {
      try context.insert(Numbered(id: id, name: name))
      try context.saveAndWait()
    }
    return store
  }

  @Test func `a context can be created at a time and travel to one`() throws {
    let store = try open()
    let times = try (0...3).map { try store.snapshot(at: SequenceNumber($0)).time }
    let context = try store.makeContext(at: times[3])
    #expect(context.sequence == 3)
    try context.travel(to: .distantPast)
    #expect(context.sequence == 0)
    #expect(try context.objects(Numbered.self).isEmpty)
    try context.travel(to: times[1])
    // Only their numbers distinguish transactions with equal times.
    #expect(try store.snapshot(at: context.sequence).time == times[1])
  }

  @Test func `an update reads the record again if its closure rolls back`() throws {
    let context = try open().makeContext(at: 2)
    for isPending in [true, false] {
      try context.insert(Numbered(id: 9, name: "nine"))
      if !isPending { context.processPendingChanges() }
      let error = #expect(throws: StoreError.self) {
        try context.update(Numbered.self, id: 9) {
          $0.name = "new"
          try? context.rollback()
        }
      }
      #expect(error?.reason == .notFound(entity: "Numbered", id: .int(9)), "\(isPending)")
      #expect(try context.objects(Numbered.self).map(\.id) == [1, 2])
    }
  }

  @Test func `a context at a moment lists its unsaved changes in creation order`() throws {
    let context = try open().makeContext(at: 2)
    context.undoLimit = 5
    try context.insert(Numbered(id: 9, name: "nine"))
    try context.insert(Numbered(id: 3, name: "drei"))
    try context.update(Numbered.self, id: 2) { $0.name = "zwei" }
    try context.delete(Numbered.self, id: 1)
    #expect(try context.insertedObjects(Numbered.self).map(\.id) == [9, 3])
    #expect(try context.updatedObjects(Numbered.self).map(\.name) == ["zwei"])
    #expect(try context.deletedObjects(Numbered.self).map(\.name) == ["one"])
    #expect(try context.objects(Numbered.self).map(\.id) == [2, 9, 3])
    #expect(context.hasChanges && context.canUndo)
    #expect(try context.undo() == [])
    #expect(!context.hasChanges && context.canRedo)
    #expect(try context.objects(Numbered.self).map(\.id) == [1, 2])
    #expect(try context.redo() == [])
    try context.rollback()
    #expect(!context.hasChanges && !context.canUndo)
    // Records inserted after the rollback get new creation numbers.
    try context.insert(Numbered(id: 3, name: "drei"))
    try context.insert(Numbered(id: 9, name: "nine"))
    #expect(try context.objects(Numbered.self).map(\.id) == [1, 2, 3, 9])
    try context.delete(Numbered.self, id: 3)
    try context.delete(Numbered.self, id: 9)
    // Without unsaved changes the context may travel.
    try context.travel(to: 3)
    #expect(try context.objects(Numbered.self).map(\.name) == ["one", "two", "three"])
  }

  @Test func `the errors of a context at a moment say what to do instead`() throws {
    let store = try open()
    let context = try store.makeContext(at: 2)
    #expect(
      sentence { _ = try context.saveAndWait() } == """
        store in memory: a context as of transaction 2 cannot be saved, because later transactions \
        cannot be replaced. Make the changes in a context from makeContext(), and save that one.
        """)
    try context.update(Numbered.self, id: 1) { $0.name = "uno" }
    for travel in [
      { try context.travel(to: 3) }, { try context.travel(to: .distantPast) },
    ] as [() throws -> Void] {
      #expect(
        sentence(of: travel) == """
          store in memory: the context has unsaved changes to the state after transaction 2 and was \
          not moved. Roll the changes back before it travels.
          """)
    }
    #expect(try context.object(Numbered.self, id: 1)?.name == "uno")
    try context.rollback()
    #expect(
      sentence { try context.travel(to: 4) } == """
        store in memory: no state after transaction 4: the journal contains the states after \
        transactions 0 to 3.
        """)
    #expect(
      sentence { _ = try store.makeContext(at: 4) } == """
        store in memory: no state after transaction 4: the journal contains the states after \
        transactions 0 to 3.
        """)
    #expect(context.sequence == 2)
    #expect(
      sentence { try store.makeContext().travel(to: 2) } == """
        store in memory: this context follows the store. To travel, use a context from \
        makeContext(at:).
        """)
    var received = ""
    let token = context.observe { [unowned context] _ in
      received = sentence { try context.travel(to: 1) }
    }
    try context.travel(to: 3)
    #expect(
      received == """
        store in memory: a delegate cannot save, fetch or roll back while it is being notified. Do \
        it after the callback returns.
        """)
    withExtendedLifetime(token) {}
  }

  @Test func `an asynchronous save of a context at a moment fails`() async throws {
    let context = try open().makeContext(at: 3)
    try context.insert(Numbered(id: 4, name: "four"))
    let error = await #expect(throws: StoreError.self) { try await context.save() }
    #expect(error?.reason == .atMoment(3))
    #expect(try context.insertedObjects(Numbered.self).map(\.id) == [4])
  }

  @Test func `changes that an observer makes during travel form a boundary`() throws {
    let context = try open().makeContext(at: 3)
    var received: [String] = []
    let token = context.observe { [unowned context] event in
      guard case .transaction(let transaction) = event else { return received.append("reset") }
      received += transaction.changes.map { "\(transaction.origin) \($0.kind) \($0.id)" }
      if transaction.origin == .travel { try? context.insert(Numbered(id: 7, name: "seven")) }
    }
    try context.travel(to: 1)
    #expect(received == ["travel delete 2", "travel delete 3", "changes insert 7"])
    #expect(context.hasChanges)
    try context.reset()
    #expect(received.last == "reset" && !context.hasChanges && context.sequence == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `a context at a moment is reset when another file replaces the journal`() throws {
    let disk = SimulatedDisk()
    var store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
    let writer = store.makeContext()
    for id in 1...2 {
      try writer.insert(Numbered(id: id, name: "\(id)"))
      try writer.saveAndWait()
    }
    let followed = try Store(following: "j", types: [Numbered.self], options: .simulated(disk))
    let context = try followed.makeContext(at: 1)
    var received: [String] = []
    let token = context.observe { event in
      guard case .reset = event else { return received.append("transaction") }
      received.append("reset")
    }
    try store.closeAndWait()
    // The payload of the first transaction also describes the state after it.
    let journal = try FileJournal(at: "j", options: .simulated(disk))
    var transactions = try journal.transactions(from: 1)
    let first = try #require(try transactions.next())
    try journal.compact(through: 1, state: [first.payload.copy()])
    store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
    let later = store.makeContext()
    try later.insert(Numbered(id: 3, name: "3"))
    try later.saveAndWait()
    #expect(try followed.catchUp())
    // The context still has all its records.
    #expect(try context.objects(Numbered.self).map(\.id) == [1])
    try context.reset()
    #expect(try context.objects(Numbered.self).map(\.id) == [1] && received == ["reset"])
    try context.travel(to: 1)
    #expect(received == ["reset", "reset"])
    try context.travel(to: 2)
    #expect(received == ["reset", "reset", "transaction"])
    #expect(try context.objects(Numbered.self).map(\.id) == [1, 2])
    withExtendedLifetime(token) {}
    try store.closeAndWait()
  }

  @Test func `a context at a moment belongs to the actor that created it`() async {
    await #expect(processExitsWith: .failure) {
      let store = try Store.inMemory(records: Numbered.self)
      let box = try await MainActor.run { Box(try store.makeContext(at: 0)) }
      // A thread other than the main thread.
      await Task.detached { try? box.context.travel(to: 0) }.value
    }
  }

  /// Carries a context to a thread where its use is a mistake.
  private final class Box: @unchecked Sendable {
    let context: EditingContext
    init(_ context: EditingContext) { self.context = context }
  }
}
