import DaybookJournal
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookStore

/// A save suspends, and meanwhile other code of the same actor can use the context.
@MainActor @Suite struct `A context during its save` {
  private let disk = SimulatedDisk()
  private let gate = SyncGate()

  private struct Member: Record, Equatable {
    var id = 0
    var email = ""
    var note = ""
    static let schema = RecordSchema<Member>("Member").attribute("email", at: \.email)
      .attribute("note", at: \.note).unique(\.email)
  }

  private func open() throws -> Store {
    let gate = gate
    var passing = PassingDisk(disk)
    passing.beforeSync = { path in if path.hasSuffix("/j") { gate.pass() } }
    var options = JournalOptions.simulated(disk)
    options.disk = passing
    return try Store(at: "j", types: [Unique.self, Member.self], options: options)
  }

  /// Starts a save and runs the body while the save is suspended.
  ///
  /// The sync of a save on another thread is blocked, so the tested save has to wait. When that
  /// sync has returned, the end of the tested save still needs the actor that runs the body.
  private func duringSave(
    of context: EditingContext, _ body: @MainActor () async throws -> Void
  ) async throws -> Result<Receipt?, any Error> {
    let store = context.store
    gate.shut()
    let other = TestThread {
      let context = store.makeContext(isolation: nil)
      try? context.insert(Unique(name: "other", note: nil))
      _ = try? context.saveAndWait()
    }
    gate.awaitArrival()
    let save = Task { () async -> Result<Receipt?, any Error> in
      do { return .success(try await context.save()) } catch { return .failure(error) }
    }
    while context.hasChanges { await Task.yield() }
    do { try await body() } catch { Issue.record(error) }
    gate.open()
    gate.letOneGo()
    other.value()
    return await save.value
  }

  private func names(_ store: Store) throws -> [String] {
    try store.snapshot.objects(Unique.self).map(\.name).filter { $0 != "other" }.sorted()
  }

  @Test func `a change during a save is saved by the next save without conflict`()
    async throws
  {
    let store = try open()
    let context = store.viewContext
    let record = Unique(name: "one", note: nil)
    try context.insert(record)
    let first = try await duringSave(of: context) {
      try context.update(Unique.self, id: record.id) { $0.name = "two" }
      context.processPendingChanges()
    }
    #expect(try first.get()?.sequence == 2)
    #expect(try names(store) == ["one"])
    #expect(context.hasChanges)
    let second = try await duringSave(of: context) {
      try context.update(Unique.self, id: record.id) { $0.name = "three" }
    }
    #expect(try second.get()?.sequence == 4)
    #expect(try names(store) == ["two"])
    try await context.save()
    #expect(try names(store) == ["three"])
    #expect(!context.hasChanges)
  }

  @Test(arguments: [false, true])
  func `changes pending when a save ends are relative to the saved state`(hasObservers: Bool)
    async throws
  {
    let store = try open()
    // A context that is used outside any actor makes boundaries only on request.
    let context = store.makeContext(isolation: nil)
    var received: [String] = []
    let token =
      hasObservers
      ? context.observe { event in
        guard case .transaction(let transaction) = event else { return }
        received += transaction.changes.map { "\(transaction.origin) \($0.kind)" }
      } : nil
    defer { withExtendedLifetime(token) {} }
    let record = Unique(name: "one", note: nil)
    try context.insert(record, isolation: nil)
    let save = try await duringSave(of: context) {
      try context.update(Unique.self, id: record.id, isolation: nil) { $0.name = "two" }
    }
    #expect(try save.get() != nil)
    #expect(try names(store) == ["one"])
    #expect(try context.object(Unique.self, id: record.id)?.name == "two")
    context.processPendingChanges()
    try await context.save()
    #expect(try names(store) == ["two"])
    let expected = ["changes insert", "merge insert", "changes update"]
    #expect(received == (hasObservers ? expected : []))
  }

  @Test func `a deletion made during a save is saved by the next save`() async throws {
    let store = try open()
    let context = store.viewContext
    let record = Unique(name: "one", note: nil)
    try context.insert(record)
    let save = try await duringSave(of: context) { try context.delete(Unique.self, id: record.id) }
    #expect(try save.get() != nil)
    #expect(try names(store) == ["one"])
    try await context.save()
    #expect(try names(store) == [])
  }

  @Test func `a failed save loses no changes, and other contexts' saves are merged`()
    async throws
  {
    let store = try open()
    let context = store.viewContext
    let record = Unique(name: "mine", note: nil)
    try context.insert(record)
    // The first sync is that of the other thread, after its write.
    disk.clearLog()
    disk.plan = .fail(call: 1, with: 28, only: [.sync])
    let save = try await duringSave(of: context) {
      try context.mergeChanges()
      try context.update(Unique.self, id: record.id) { $0.note = "mine" }
    }
    #expect(throws: StoreError.self) { try save.get() }
    #expect(
      try context.object(Unique.self, id: record.id)
        == Unique(id: record.id, name: "mine", note: "mine"))
    disk.plan = .none
    try await store.recover()
    try await context.save()
    #expect(try store.snapshot.object(Unique.self, id: record.id)?.note == "mine")
  }

  @Test func `changes made during a failed save are saved together with its own`()
    async throws
  {
    let store = try open()
    let context = store.viewContext
    let record = Unique(name: "one", note: nil)
    try context.insert(record)
    try await context.save()
    try context.update(Unique.self, id: record.id) { $0.name = "two" }
    disk.clearLog()
    disk.plan = .fail(call: 1, with: 28, only: [.sync])
    let save = try await duringSave(of: context) {
      try context.update(Unique.self, id: record.id) { $0.note = "meanwhile" }
      context.processPendingChanges()
    }
    #expect(throws: StoreError.self) { try save.get() }
    disk.plan = .none
    try await store.recover()
    // A merge preserves both changes.
    try await store.write { try $0.insert(Unique(name: "other", note: nil)) }
    try await context.save()
    #expect(
      try store.snapshot.object(Unique.self, id: record.id)
        == Unique(id: record.id, name: "two", note: "meanwhile"))
  }

  @Test func `the changes of a save stay visible during a merge`() async throws {
    let store = try open()
    let context = store.makeContext()
    let record = Unique(name: "mine", note: nil)
    try await store.write(isolation: nil) { try $0.insert(Unique(name: "other", note: nil)) }
    try context.insert(record)
    let save = try await duringSave(of: context) {
      try context.mergeChanges()
      #expect(try context.object(Unique.self, id: record.id) == record)
    }
    #expect(try save.get()?.sequence == 3)
    #expect(try context.object(Unique.self, id: record.id) == record)
  }

  @Test func `rollback, reset and a blocking save are refused during a save`()
    async throws
  {
    let store = try open()
    let context = store.viewContext
    try context.insert(Unique(name: "one", note: nil))
    var refused: [String] = []
    let save = try await duringSave(of: context) {
      try context.insert(Unique(name: "two", note: nil))
      refused.append(sentence { try context.rollback() })
      refused.append(sentence { try context.reset() })
      refused.append(sentence { try context.saveAndWait() })
    }
    #expect(
      refused
        == Array(
          repeating: "j: a save of this context is in progress. Try again after it has returned.",
          count: 3))
    #expect(try save.get()?.sequence == 2)
    #expect(try names(store) == ["one"])
    try await context.save()
    #expect(try names(store) == ["one", "two"])
  }

  @Test(arguments: [false, true])
  func `a second save waits for the first and saves the remaining changes`(
    fails: Bool
  ) async throws {
    let store = try open()
    let context = store.viewContext
    try context.insert(Unique(name: "one", note: nil))
    disk.clearLog()
    if fails { disk.plan = .fail(call: 1, with: 28, only: [.sync]) }
    var later: [Task<String, Never>] = []
    let first = try await duringSave(of: context) {
      try context.insert(Unique(name: "two", note: nil))
      later = (0..<3).map { _ in
        Task {
          do { return "\(try await context.save()?.sequence.rawValue ?? 0)" } catch {
            return "\(error)"
          }
        }
      }
      while context.state.saveLock.waiterCount < 3 { await Task.yield() }
    }
    var answers: [String] = []
    for save in later { answers.append(await save.value) }
    guard fails else {
      #expect(try first.get()?.sequence == 2)
      #expect(answers == ["3", "0", "0"])
      #expect(try names(store) == ["one", "two"])
      return
    }
    #expect(throws: StoreError.self) { try first.get() }
    #expect(
      answers.allSatisfy {
        $0.hasPrefix("j: writing stopped when a call failed (sync: No space left on device (28)).")
      })
    disk.plan = .none
    try await store.recover()
    try await context.save()
    #expect(try names(store) == ["one", "two"])
  }

  @Test func `a record that a save merges and the program changes meanwhile is merged again`()
    async throws
  {
    let store = try open()
    let context = store.viewContext
    try context.insert(Member(id: 1, email: "ada", note: "old"))
    try await context.save()
    context.uniqueConflictPolicy = .update
    try context.insert(Member(id: 2, email: "ada", note: "new"))
    let save = try await duringSave(of: context) {
      try context.update(Member.self, id: 2) { $0.note = "later" }
    }
    #expect(try save.get() != nil)
    #expect(try store.snapshot.objects(Member.self) == [Member(id: 1, email: "ada", note: "new")])
    try await context.save()
    let last = [Member(id: 1, email: "ada", note: "later")]
    #expect(try store.snapshot.objects(Member.self) == last)
    #expect(try context.objects(Member.self) == last)
    #expect(!context.hasChanges)
  }
}
