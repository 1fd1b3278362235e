import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookStore

/// The behavior of one `Store.write` call beside concurrent saves.
@Suite struct `Writing to a store` {
  private let disk = SimulatedDisk()
  private let gate = SyncGate()
  private let syncCount = Guarded(0)

  /// Opens a store with journal writes that pass an initially open gate.
  private func open() throws -> Store {
    let gate = gate
    var passing = PassingDisk(disk)
    passing.beforeWrite = { path, _ in if path.hasSuffix("/j") { gate.pass() } }
    let syncCount = syncCount
    passing.beforeSync = { path in if path.hasSuffix("/j") { syncCount.withLock { $0 += 1 } } }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    let store = try Store(at: "j", types: [Numbered.self], options: options)
    let context = store.makeContext(isolation: nil)
    try context.insert(Numbered(id: 0, name: "zero"))
    try context.saveAndWait()
    return store
  }

  /// Starts a save on a separate thread and returns while it is in flight.
  private func saveInFlight(
    _ store: Store, _ body: @escaping @Sendable (EditingContext) throws -> Void
  ) -> TestThread<String> {
    gate.shut()
    let thread = TestThread {
      sentence {
        let context = store.makeContext(isolation: nil)
        try body(context)
        try context.saveAndWait()
      }
    }
    gate.awaitArrival()
    return thread
  }

  private func outcome(_ body: () async throws -> Void) async -> String {
    do { try await body() } catch { return "\(error)" }
    return "nothing is thrown"
  }

  @Test func `write bodies run in the order of the calls`() async throws {
    let store = try open()
    let order = Guarded<[Int]>([])
    await store.writeLock.lock()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try? await store.write(isolation: nil) { _ in order.withLock { $0.append(number) } }
        }
        while store.writeLock.waiterCount <= number { await Task.yield() }
      }
      store.writeLock.unlock()
    }
    #expect(order.withLock { $0 } == Array(0..<20))
  }

  @Test func `a write that is cancelled while it waits does not run its body`() async throws {
    let store = try open()
    let ran = Guarded<[Int]>([])
    await store.writeLock.lock()
    var tasks: [Task<String, Never>] = []
    for number in 0..<3 {
      tasks.append(
        Task {
          await outcome {
            try await store.write(isolation: nil) { _ in ran.withLock { $0.append(number) } }
          }
        })
      while store.writeLock.waiterCount <= number { await Task.yield() }
    }
    tasks[1].cancel()
    #expect(await tasks[1].value == "CancellationError()")
    store.writeLock.unlock()
    #expect(await tasks[0].value == "nothing is thrown")
    #expect(await tasks[2].value == "nothing is thrown")
    #expect(ran.withLock { $0 } == [0, 2])
    // A task that was cancelled before the call does not run its body either, whether it waits or
    // not.
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await outcome { try await store.write(isolation: nil) { _ in } }
    }
    #expect(await cancelled.value == "CancellationError()")
  }

  @Test func `a write reads the changes of the preceding write before they are durable`()
    async throws
  {
    let store = try open()
    let save = saveInFlight(store) { try $0.insert(Numbered(id: 1, name: "1")) }
    let tasks = (2...10).map { id in
      Task {
        try await store.write(isolation: nil) { context in
          try context.insert(Numbered(id: id, name: "\(try context.count(of: Numbered.self))"))
        }
      }
    }
    while store.statistics.inFlightCount < 10 { await Task.yield() }
    #expect(store.snapshot.sequence == 1)
    gate.open()
    gate.letOneGo()
    for task in tasks { try await task.value }
    #expect(save.value() == "nothing is thrown")
    let names = try store.snapshot.objects(Numbered.self).map(\.name)
    #expect(names == ["zero"] + (1...10).map { "\($0)" })
  }

  @Test func `writes that arrive during a sync become durable by the next sync`() async throws {
    let store = try open()
    let before = syncCount.withLock { $0 }
    let save = saveInFlight(store) { try $0.insert(Numbered(id: 1)) }
    let tasks = (2...20).map { id in
      Task { try await store.write(isolation: nil) { try $0.insert(Numbered(id: id)) } }
    }
    while store.statistics.inFlightCount < 20 { await Task.yield() }
    gate.open()
    gate.letOneGo()
    for task in tasks { try await task.value }
    #expect(save.value() == "nothing is thrown")
    #expect(syncCount.withLock { $0 } - before == 2)
  }

  @Test func `a write body runs again, alone, if a context saved meanwhile`() async throws {
    let store = try open()
    let runCount = Guarded(0)
    let second = Guarded<TestThread<Void>?>(nil)
    let save: @Sendable (Int) -> Void = { id in
      let context = store.makeContext(isolation: nil)
      do {
        try context.insert(Numbered(id: id))
        try context.saveAndWait()
      } catch { Issue.record(error) }
    }
    try await store.write(isolation: nil) { context in
      let run = runCount.withLock { count in
        count += 1
        return count
      }
      if run == 1 {
        TestThread { save(1) }.value()
      } else {
        second.withLock { $0 = TestThread { save(2) } }
        until { store.waitingSaveCount == 1 }
      }
      try context.insert(Numbered(id: 9, name: "\(try context.count(of: Numbered.self))"))
    }
    second.withLock { $0 }?.value()
    #expect(runCount.withLock { $0 } == 2)
    let records = try store.snapshot.objects(Numbered.self)
    #expect(records.map(\.id) == [0, 1, 9, 2])
    #expect(records[2].name == "2")
  }

  @Test func `a blocking save inside a write body is refused`() async throws {
    let store = try open()
    let other = try Store.inMemory(records: Numbered.self)
    let refusal = """
      the body of a write cannot save and wait, because other saves may be waiting for the body to \
      return. Nothing was saved. Change records in the context of the body, which is saved when the \
      body returns, or save after write has returned.
      """
    let answers = try await store.write(isolation: nil) { context in
      try context.insert(Numbered(id: 1))
      let another = store.makeContext(isolation: nil)
      try another.insert(Numbered(id: 2))
      return [
        sentence { try context.saveAndWait() },
        sentence { try another.saveAndWait() },
        sentence { try store.insertAndWait(contentsOf: [Numbered(id: 3)]) },
        sentence { try other.insertAndWait(contentsOf: [Numbered(id: 4)]) },
      ]
    }
    #expect(answers == ["j: ", "j: ", "j: ", "store in memory: "].map { $0 + refusal })
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1])
    // The thread may save again after the body has ended.
    let context = store.makeContext(isolation: nil)
    try context.insert(Numbered(id: 5))
    #expect(try await context.save()?.sequence == 3)
  }

  /// Returns the outcome of a write after its body read a transaction that cannot be written.
  private func answerAfterTakeBack(
    _ body: @escaping @Sendable (EditingContext) throws -> Void
  ) async throws -> (answer: String, store: Store) {
    let store = try open()
    let disk = disk
    // A large name, so that the disk has to allocate space.
    let save = saveInFlight(store) { context in
      try context.insert(Numbered(id: 1, name: String(repeating: "large", count: 40_000)))
      disk.capacity = 0
    }
    let hasRead = Guarded(false)
    let write = Task {
      await outcome {
        try await store.write(isolation: nil) { context in
          defer { hasRead.withLock { $0 = true } }
          #expect(try context.object(Numbered.self, id: 1) != nil)
          try body(context)
        }
      }
    }
    while !hasRead.withLock({ $0 }) { await Task.yield() }
    // Its body has run, and it has released the write lock.
    await store.writeLock.lock()
    store.writeLock.unlock()
    gate.open()
    gate.letOneGo()
    let answer = await write.value
    #expect(save.value().hasPrefix("j: the disk is full."))
    disk.capacity = nil
    return (answer, store)
  }

  private let precedingRefused = """
    j: the transaction before this one was refused. Nothing of it was written, and the journal \
    remains usable. Save again.
    """

  @Test func `a write fails if a transaction that it read cannot be written`() async throws {
    let (answer, store) = try await answerAfterTakeBack { context in
      try context.insert(Numbered(id: 2))
    }
    #expect(answer == precedingRefused)
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0])
    try await store.write(isolation: nil) { context in
      #expect(try context.object(Numbered.self, id: 1) == nil)
      try context.insert(Numbered(id: 3))
    }
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 3])
  }

  @Test func `a write without changes fails if a transaction that it read cannot be written`()
    async throws
  {
    #expect(try await answerAfterTakeBack { _ in }.answer == precedingRefused)
  }

  @Test func `a body's error is not returned if a transaction that it read cannot be written`()
    async throws
  {
    // The record exists at first, but its insertion is rolled back.
    let (answer, _) = try await answerAfterTakeBack { try $0.insert(Numbered(id: 1)) }
    #expect(answer == precedingRefused)
  }

  @Test func `a body's error is returned once the transactions that it read are durable`()
    async throws
  {
    let store = try open()
    let save = saveInFlight(store) { try $0.insert(Numbered(id: 1)) }
    let write = Task {
      await outcome {
        try await store.write(isolation: nil) { context in
          try context.insert(Numbered(id: 2))
          try context.insert(Numbered(id: 1))
        }
      }
    }
    while store.waitingSaveCount < 1 { await Task.yield() }
    #expect(store.snapshot.sequence == 1)
    gate.open()
    gate.letOneGo()
    #expect(await write.value == "j: Numbered 1 already exists.")
    #expect(save.value() == "nothing is thrown")
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1])
  }

  // MARK: Repetitions

  /// The body of a repeated call, which must not run.
  @Sendable private func fail(_ context: EditingContext) throws -> Int {
    Issue.record("the body runs again")
    return 0
  }

  @Test func `a repeated commit does not run its body, and returns the first receipt`() async throws
  {
    let store = try open()
    let metadata = TransactionMetadata(author: "ann", idempotencyKey: "k")
    #expect(try store.receipt(forIdempotencyKey: "k") == nil)
    let first = try await store.commit(metadata, isolation: nil) { context in
      try context.insert(Numbered(id: 1))
      return 7
    }
    guard case .saved(7, let receipt?) = first else {
      Issue.record("the outcome is \(first)")
      return
    }
    #expect(receipt.sequence == 2 && !receipt.isRepeated && first.receipt == receipt)
    let second = try await store.commit(metadata, isolation: nil, body: fail)
    guard case .repeated(let repeated) = second else {
      Issue.record("the outcome is \(second)")
      return
    }
    #expect(repeated.sequence == 2 && repeated.isRepeated && repeated.time == receipt.time)
    #expect(second.receipt == repeated)
    #expect(try store.receipt(forIdempotencyKey: "k") == repeated)
    #expect(
      await outcome { _ = try await store.write(metadata, isolation: nil, body: fail) }
        == """
        j: transaction 2 has the same idempotency key. Nothing was saved again. Read the answer from \
        that transaction, or call commit, which returns its receipt.
        """)
    let transaction = try #require(try store.transaction(2))
    #expect(transaction.metadata.author == "ann" && transaction.changes.map(\.id) == [.int(1)])
    #expect(try store.transaction(3) == nil && store.transaction(0) == nil)
  }

  @Test func `a commit that changes nothing has no receipt and keeps no key`() async throws {
    let store = try open()
    let metadata = TransactionMetadata(idempotencyKey: "k")
    for number in 1...2 {
      let outcome = try await store.commit(metadata, isolation: nil) { _ in number }
      guard case .saved(number, nil) = outcome else {
        Issue.record("the outcome is \(outcome)")
        return
      }
    }
    #expect(try store.receipt(forIdempotencyKey: "k") == nil)
  }

  @Test(arguments: [false, true])
  func `a commit waits for a pending save with its key, and runs if that save fails`(
    fails: Bool
  ) async throws {
    let store = try open()
    let disk = disk
    let metadata = TransactionMetadata(idempotencyKey: "k")
    let save = saveInFlight(store) { context in
      context.metadata = metadata
      // For a large name, the disk has to allocate space.
      let name = fails ? String(repeating: "large", count: 40_000) : ""
      try context.insert(Numbered(id: 1, name: name))
      if fails { disk.capacity = 0 }
    }
    let commit = Task {
      try await store.commit(metadata, isolation: nil) { try $0.insert(Numbered(id: 2)) }
    }
    while store.waitingSaveCount < 1 { await Task.yield() }
    #expect(try store.receipt(forIdempotencyKey: "k") == nil)
    gate.open()
    gate.letOneGo()
    switch try await commit.value {
    case .saved: #expect(fails)
    case .repeated(let receipt): #expect(!fails && receipt.sequence == 2)
    }
    #expect((save.value() == "nothing is thrown") == !fails)
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == (fails ? [0, 2] : [0, 1]))
  }

  /// An actor that saves with a separate context while its write is in flight.
  private actor Desk {
    func write(to store: Store) async throws {
      try await store.write { try $0.update(Numbered.self, id: 0) { $0.name = "written" } }
    }

    /// Saves; the thread and with it the actor sleep until the write is visible.
    func save(to store: Store, begun: Promise<Void>) throws {
      let context = store.makeContext(isolation: nil)
      try context.update(Numbered.self, id: 0) { $0.name = "saved" }
      begun.fulfill(())
      try context.saveAndWait()
    }
  }

  @Test func `a save that blocks the actor of a write does not deadlock`() async throws {
    let store = try open()
    let (desk, arrived, begun) = (Desk(), Promise<Void>(), Promise<Void>())
    gate.shut()
    let gate = gate
    let opener = TestThread {
      gate.awaitArrival()
      arrived.fulfill(())
      begun.wait()
      gate.open()
      gate.letOneGo()
    }
    async let write: Void = desk.write(to: store)
    await arrived.value()
    let message = await outcome { try await desk.save(to: store, begun: begun) }
    #expect(
      message == "j: name of Numbered 0 was changed both here and elsewhere. Nothing was saved.")
    try await write
    opener.value()
    #expect(try store.snapshot.objects(Numbered.self).map(\.name) == ["written"])
  }
}
