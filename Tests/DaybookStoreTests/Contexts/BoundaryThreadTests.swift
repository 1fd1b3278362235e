import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Testing

@Suite("Boundaries of a context") struct BoundaryThreadTests {
  private func count(_ context: EditingContext) -> (token: ObservationToken, count: () -> Int) {
    final class Count { var value = 0 }
    let count = Count()
    return (context.observe { _ in count.value += 1 }, { count.value })
  }

  @Test func `the end of a performed closure is a boundary`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    let received = count(context)
    try context.perform {
      try context.insert(Numbered(id: 1))
      try context.insert(Numbered(id: 2))
    }
    #expect(received.count() == 1)
    withExtendedLifetime(received.token) {}
  }

  @Test @MainActor func `a context's actor makes a boundary in a later job`() async throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    let received = count(context)
    try context.insert(Numbered(id: 1))
    try context.insert(Numbered(id: 2))
    #expect(received.count() == 0)
    // The boundary is one of the jobs queued on the actor. Other jobs run before it.
    for _ in 0..<1000 where received.count() == 0 { await Task.yield() }
    #expect(received.count() == 1)
    withExtendedLifetime(received.token) {}
  }

  @Test func `changes that an observer makes form the next boundary and are never nested`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    var received: [String] = []
    var depth = 0
    let token = context.observe { event in
      depth += 1
      defer { depth -= 1 }
      guard case .transaction(let transaction) = event, depth == 1 else {
        return received.append("nested")
      }
      received.append(transaction.changes.map { "\($0.kind) \($0.id)" }.joined(separator: ", "))
      guard received.count == 1 else { return }
      try? context.insert(Numbered(id: 2))
      context.processPendingChanges()
      for refused in [
        { _ = try context.saveAndWait() }, { try context.rollback() }, { try context.reset() },
        { _ = try context.undo() }, { _ = try context.redo() }, { try context.mergeChanges() },
      ] as [() throws -> Void] {
        let error = #expect(throws: StoreError.self) { try refused() }
        received.append(error?.description ?? "")
      }
    }
    try context.insert(Numbered(id: 1))
    context.processPendingChanges()
    let refusal = """
      store in memory: a delegate cannot save, fetch or roll back while it is being notified. Do it \
      after the callback returns.
      """
    #expect(received == ["insert 1"] + Array(repeating: refusal, count: 6) + ["insert 2"])
    withExtendedLifetime(token) {}
  }

  @Test func `an observer that has released its token receives no more events`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    var received: (token: ObservationToken, count: () -> Int)? = count(context)
    let number = received?.count
    try context.perform { try context.insert(Numbered(id: 1)) }
    received = nil
    try context.perform { try context.insert(Numbered(id: 2)) }
    #expect(number?() == 1)
  }

  @Test @MainActor func `the main actor's context merges saved changes automatically`() async throws
  {
    let store = try Store.inMemory(records: Numbered.self)
    let context = store.viewContext
    #expect(context === store.viewContext)
    // A write on the main actor returns after the context has merged.
    try await store.write { try $0.insert(Numbered(id: 1)) }
    #expect(try context.object(Numbered.self, id: 1) != nil)
    // A write elsewhere is merged soon after.
    await Task.detached {
      try? await store.write(isolation: nil) { try $0.insert(Numbered(id: 2)) }
    }.value
    for _ in 0..<1000 where try context.object(Numbered.self, id: 2) == nil { await Task.yield() }
    #expect(try context.object(Numbered.self, id: 2) != nil)
  }

  @Test func `a change made after a save is saved by the next save`() async throws {
    let disk = SimulatedDisk()
    let store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
    let context = store.makeContext()
    try context.insert(Numbered(id: 1, name: "one"))
    try await context.save()
    try context.insert(Numbered(id: 2, name: "two"))
    try await context.save()
    #expect(store.snapshot.sequence == 2)
    try context.update(Numbered.self, id: 2) { $0.name = "zwei" }
    #expect(context.hasChanges)
    try await context.save()
    #expect(try store.snapshot.objects(Numbered.self).map(\.name) == ["one", "zwei"])
  }

  @Test func `a context used outside its actor stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let store = try Store.inMemory(records: Numbered.self)
      let box = await MainActor.run { Box(store.makeContext()) }
      // A thread other than the main thread.
      await Task.detached { box.context.processPendingChanges() }.value
    }
  }

  /// Carries a context to a thread where its use is a mistake.
  private final class Box: @unchecked Sendable {
    let context: EditingContext
    init(_ context: EditingContext) { self.context = context }
  }
}
