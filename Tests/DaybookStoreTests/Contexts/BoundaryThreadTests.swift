import DaybookJournal
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@Suite("Boundaries of a context") struct BoundaryThreadTests {
  private func count(_ context: EditingContext) -> (token: ListenerToken, count: () -> Int) {
    final class Count { var value = 0 }
    let count = Count()
    return (context.listen { _ in count.value += 1 }, { count.value })
  }

  @Test func `the end of a closure that is performed is one`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    let heard = count(context)
    try context.perform {
      try context.insert(Numbered(id: 1))
      try context.insert(Numbered(id: 2))
    }
    #expect(heard.count() == 1)
    withExtendedLifetime(heard.token) {}
  }

  @Test @MainActor func `the actor makes one when it comes to it`() async throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    let heard = count(context)
    try context.insert(Numbered(id: 1))
    try context.insert(Numbered(id: 2))
    #expect(heard.count() == 0)
    // Other jobs of the actor go before; the boundary is among those that are asked for.
    for _ in 0..<1000 where heard.count() == 0 { await Task.yield() }
    #expect(heard.count() == 1)
    withExtendedLifetime(heard.token) {}
  }

  @Test func `what a listener changes comes in a boundary that follows, never in between`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    var heard: [String] = []
    var depth = 0
    let token = context.listen { event in
      depth += 1
      defer { depth -= 1 }
      guard case .transaction(let transaction) = event, depth == 1 else {
        return heard.append("nested")
      }
      heard.append(transaction.changes.map { "\($0.kind) \($0.id)" }.joined(separator: ", "))
      guard heard.count == 1 else { return }
      try? context.insert(Numbered(id: 2))
      context.processPendingChanges()
      for refused in [
        { _ = try context.saveAndWait() }, { try context.rollback() }, { try context.reset() },
        { _ = try context.undo() }, { _ = try context.redo() }, { try context.mergeChanges() },
      ] as [() throws -> Void] {
        let error = #expect(throws: StoreError.self) { try refused() }
        heard.append(error?.description ?? "")
      }
    }
    try context.insert(Numbered(id: 1))
    context.processPendingChanges()
    let refusal = """
      store in memory: a subscriber that is being told of a boundary cannot do this; do it afterwards.
      """
    #expect(heard == ["insert 1"] + Array(repeating: refusal, count: 6) + ["insert 2"])
    withExtendedLifetime(token) {}
  }

  @Test func `a listener that has given up its token hears no more`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    var heard: (token: ListenerToken, count: () -> Int)? = count(context)
    let number = heard?.count
    try context.perform { try context.insert(Numbered(id: 1)) }
    heard = nil
    try context.perform { try context.insert(Numbered(id: 2)) }
    #expect(number?() == 1)
  }

  @Test @MainActor func `the context of the main actor merges by itself`() async throws {
    let store = try Store.inMemory(records: Numbered.self)
    let context = store.viewContext
    #expect(context === store.viewContext)
    // On the main actor, it has merged when the write returns.
    try await store.write { try $0.insert(Numbered(id: 1)) }
    #expect(try context.object(Numbered.self, id: 1) != nil)
    // Elsewhere, soon after.
    await Task.detached {
      try? await store.write(isolation: nil) { try $0.insert(Numbered(id: 2)) }
    }.value
    for _ in 0..<1000 where try context.object(Numbered.self, id: 2) == nil { await Task.yield() }
    #expect(try context.object(Numbered.self, id: 2) != nil)
  }

  @Test func `what is changed while a save is under way is saved by the next`() async throws {
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
      // On a thread that is not the main one.
      await Task.detached { box.context.processPendingChanges() }.value
    }
  }

  /// Carries a context where it does not belong, as only a mistake would.
  private final class Box: @unchecked Sendable {
    let context: EditingContext
    init(_ context: EditingContext) { self.context = context }
  }
}
