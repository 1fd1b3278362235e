import DaybookJournal
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookStore

/// A task can be cancelled before its transaction has a number, and not after that.
@MainActor @Suite struct `Cancelled saves and writes` {
  private let disk = SimulatedDisk()
  private let gate = SyncGate()

  /// Opens a store with a record. Its syncs pass an initially open gate.
  private func open() throws -> Store {
    let gate = gate
    var passing = PassingDisk(disk)
    passing.beforeSync = { path in if path.hasSuffix("/j") { gate.pass() } }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let store = try Store(at: "j", types: [Numbered.self], options: options)
    let context = store.makeContext(isolation: nil)
    try context.insert(Numbered(id: 0, name: "zero"))
    try context.saveAndWait()
    return store
  }

  /// Starts a save on another thread that changes record 0, and returns while its sync waits at the
  /// gate.
  private func saveInFlight(_ store: Store) -> TestThread<String> {
    gate.shut()
    let thread = TestThread {
      sentence {
        let context = store.makeContext(isolation: nil)
        try context.update(Numbered.self, id: 0) { $0.name = "in flight" }
        try context.saveAndWait()
      }
    }
    gate.awaitArrival()
    return thread
  }

  private func release(_ save: TestThread<String>) {
    gate.open()
    gate.letOneGo()
    #expect(save.value() == "nothing is thrown")
  }

  private func outcome(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async -> String {
    do { try await body() } catch { return "\(error)" }
    return "nothing is thrown"
  }

  private nonisolated func cancelCurrentTask() { withUnsafeCurrentTask { $0?.cancel() } }

  private func names(_ store: Store) throws -> [String] {
    try store.snapshot.objects(Numbered.self).map(\.name)
  }

  private let refusal =
    "j: the task was cancelled before the save. Nothing was saved, and the changes are kept."

  // MARK: Saves

  @Test func `a save of a cancelled task saves nothing and keeps the changes`() async throws {
    let store = try open()
    let context = store.makeContext()
    context.metadata = TransactionMetadata(author: "A")
    try context.insert(Numbered(id: 1, name: "one"))
    let save = Task {
      cancelCurrentTask()
      return await outcome { try await context.save() }
    }
    #expect(await save.value == refusal)
    #expect(try names(store) == ["zero"] && context.hasChanges)
    #expect(context.metadata.author == "A")
    #expect(try await context.save()?.sequence == 2)
    #expect(try names(store) == ["zero", "one"])
  }

  @Test func `a save that is cancelled by an observer of its boundary saves nothing`() async throws
  {
    let store = try open()
    let context = store.makeContext()
    let token = context.observe { _ in cancelCurrentTask() }
    context.metadata = TransactionMetadata(author: "A")
    // The insert and the save are one turn of the actor, so the save makes the boundary.
    let save = Task {
      await outcome {
        try context.insert(Numbered(id: 1, name: "one"))
        try await context.save()
      }
    }
    #expect(await save.value == refusal)
    #expect(try names(store) == ["zero"] && context.hasChanges)
    #expect(context.metadata.author == "A")
    try await context.save()
    #expect(try names(store) == ["zero", "one"])
    withExtendedLifetime(token) {}
  }

  @Test func `a save that waits for a save of its context is cancelled without it`() async throws {
    let store = try open()
    let context = store.makeContext()
    let other = saveInFlight(store)
    try context.insert(Numbered(id: 1, name: "one"))
    let first = Task { await outcome { try await context.save() } }
    while store.statistics.inFlightCount < 2 { await Task.yield() }
    try context.insert(Numbered(id: 2, name: "two"))
    let second = Task { await outcome { try await context.save() } }
    while context.state.saveLock.waiterCount == 0 { await Task.yield() }
    second.cancel()
    #expect(await second.value == refusal)
    release(other)
    #expect(await first.value == "nothing is thrown")
    #expect(try names(store) == ["in flight", "one"] && context.hasChanges)
    try await context.save()
    #expect(try names(store) == ["in flight", "one", "two"])
  }

  @Test func `a save that waits for a transaction in flight is cancelled before that is durable`()
    async throws
  {
    let store = try open()
    let context = store.makeContext()
    try context.update(Numbered.self, id: 0) { $0.name = "mine" }
    let other = saveInFlight(store)
    let save = Task { await outcome { try await context.save() } }
    while store.waitingSaveCount == 0 { await Task.yield() }
    save.cancel()
    #expect(await save.value == refusal)
    #expect(try context.hasChanges && names(store) == ["zero"])
    release(other)
    // The conflict is still found.
    #expect(
      await outcome { try await context.save() }
        == "j: name of Numbered 0 was changed both here and elsewhere. Nothing was saved.")
  }

  @Test func `a save whose transaction has a number is not cancelled`() async throws {
    let store = try open()
    let context = store.makeContext()
    try context.insert(Numbered(id: 1, name: "one"))
    let other = saveInFlight(store)
    let save = Task { try await context.save()?.sequence }
    while store.statistics.inFlightCount < 2 { await Task.yield() }
    save.cancel()
    release(other)
    #expect(try await save.value == 3)
    #expect(try names(store) == ["in flight", "one"] && !context.hasChanges)
  }

  // MARK: Writes

  @Test func `a write that is cancelled in its body saves nothing`() async throws {
    let store = try open()
    let write = Task {
      await outcome {
        try await store.write { context in
          try context.insert(Numbered(id: 1, name: "one"))
          cancelCurrentTask()
        }
      }
    }
    #expect(await write.value == "CancellationError()")
    #expect(try store.snapshot.sequence == 1 && names(store) == ["zero"])
    // A body without changes has nothing to save.
    let reading = Task {
      try await store.write { context in
        cancelCurrentTask()
        return try context.count(of: Numbered.self)
      }
    }
    #expect(try await reading.value == 1)
    try await store.write { try $0.insert(Numbered(id: 1, name: "one")) }
    #expect(try names(store) == ["zero", "one"])
  }

  @Test func `a write whose body must run again is cancelled before that`() async throws {
    let store = try open()
    let runCount = Guarded(0)
    let write = Task {
      await outcome {
        try await store.write(isolation: nil) { context in
          runCount.withLock { $0 += 1 }
          try context.insert(Numbered(id: 1, name: "one"))
          let other = TestThread {
            sentence {
              let context = store.makeContext(isolation: nil)
              try context.insert(Numbered(id: 2, name: "two"))
              try context.saveAndWait()
            }
          }
          #expect(other.value() == "nothing is thrown")
          cancelCurrentTask()
        }
      }
    }
    #expect(await write.value == "CancellationError()")
    #expect(runCount.withLock { $0 } == 1)
    #expect(try names(store) == ["zero", "two"])
    // The right to number transactions was released.
    try await store.write { try $0.insert(Numbered(id: 1, name: "one")) }
    #expect(try names(store) == ["zero", "two", "one"])
  }

  @Test func `a write whose transaction has a number is not cancelled`() async throws {
    let store = try open()
    let other = saveInFlight(store)
    let write = Task {
      await outcome {
        try await store.write(isolation: nil) { try $0.insert(Numbered(id: 1, name: "one")) }
      }
    }
    while store.statistics.inFlightCount < 2 { await Task.yield() }
    write.cancel()
    release(other)
    #expect(await write.value == "nothing is thrown")
    #expect(try names(store) == ["in flight", "one"])
  }

  // MARK: Insertions

  @Test func `an insertion that waits for a transaction in flight is cancelled`() async throws {
    let store = try open()
    let other = saveInFlight(store)
    // Whether record 0 exists depends on the transaction in flight.
    let insertion = Task {
      await outcome { try await store.insert(contentsOf: [Numbered(id: 0, name: "again")]) }
    }
    while store.waitingSaveCount == 0 { await Task.yield() }
    insertion.cancel()
    #expect(await insertion.value == "CancellationError()")
    release(other)
    #expect(try names(store) == ["in flight"])
  }
}
