import Daybook
import DaybookStore
import DaybookTesting
import FoundationEssentials
import Observation
import Synchronization
import TestSupport
import Testing

/// An observer of a list is notified when the list changes, and reads the current list.
@MainActor @Suite("An observed list", .timeLimit(.minutes(5))) struct ObservedResultsThreadTests {
  private let request = ListRequest<Game>(
    sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.level))

  private func open() async throws -> Store {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    try await store.write { context in
      try context.insert(Game(id: 1, name: "Go", level: "easy"))
      try context.insert(Game(id: 2, name: "Chess", level: "hard"))
    }
    return store
  }

  /// Records whether an observed value has changed.
  private final class Look: Sendable {
    private let isOver = Atomic(false)

    @MainActor init(_ values: () -> Void) {
      withObservationTracking(values) { [isOver = Weak(self)] in isOver.look?.end() }
    }

    private func end() { isOver.store(true, ordering: .relaxed) }

    /// A Boolean value that indicates whether the value has changed.
    var hasChanged: Bool { isOver.load(ordering: .relaxed) }

    /// Waits until it has: a test would not end if it never did.
    @MainActor func wait() async { while !hasChanged { await Task.yield() } }

    private struct Weak: Sendable {
      weak let look: Look?
      init(_ look: Look) { self.look = look }
    }
  }

  /// Saves without letting go of the main actor.
  private func save(_ context: EditingContext) throws { try context.saveAndWait() }

  private func names(_ results: ObservedList<Game>) -> [String] {
    results.sections.map { "\($0.name) (\($0.indexTitle ?? "-")): \($0.objects.map(\.name))" }
  }

  @Test func `an observed list starts with the current rows`() async throws {
    let results = try ObservedList(request, in: try await open())
    #expect(results.objects.identifiers == [1, 2])
    #expect(names(results) == ["easy (E): [\"Go\"]", "hard (H): [\"Chess\"]"])
    #expect(results.difference == nil && results.isCurrent && results.error == nil)
  }

  @Test func `changes with what is saved, by one difference for all of it`() async throws {
    let store = try await open()
    let results = try ObservedList(request, in: store)
    let look = Look { _ = (results.objects, results.difference) }
    let sections = Look { _ = results.sections }
    let others = Look { _ = (results.isCurrent, results.error) }
    let context = store.makeContext()
    try context.update(Game.self, id: 1) { $0.level = "hard" }
    try save(context)
    try context.insert(Game(id: 3, name: "Ludo", level: "hard"))
    try save(context)
    // The list does not change while code runs on the main actor.
    #expect(results.objects.identifiers == [1, 2] && !look.hasChanged)
    await look.wait()
    await sections.wait()
    // The whole of it is there when the main actor is free again.
    #expect(names(results) == ["hard (H): [\"Chess\", \"Go\", \"Ludo\"]"])
    let difference = try #require(results.difference)
    #expect(difference.before.identifiers == [1, 2])
    #expect(difference.after.identifiers == results.objects.identifiers)
    #expect(difference.moved.map(\.id) == [1] && difference.inserted.map(\.id) == [3])
    #expect(difference.causes.map(\.sequence) == [2, 3])
    #expect(!others.hasChanged)
  }

  @Test func `stops when it is let go`() async throws {
    let store = try await open()
    var results: ObservedList<Game>? = try ObservedList(request, in: store)
    weak let known = results
    while store.publications.waiterCount == 0 { await Task.yield() }
    results = nil
    #expect(known == nil && results == nil)
    while store.publications.waiterCount > 0 { await Task.yield() }
  }

  @Test func `an observed list keeps the last rows of a closed store`() async throws {
    let store = try await open()
    let results = try ObservedList(request, in: store)
    let look = Look { _ = results.isCurrent }
    let context = store.makeContext()
    try context.delete(Game.self, id: 1)
    try save(context)
    try await store.close()
    await look.wait()
    #expect(!results.isCurrent && results.error == nil)
    #expect(results.objects.identifiers == [2] && results.difference?.deleted.map(\.id) == [1])
  }

  private func options(_ disk: SimulatedDisk) -> JournalOptions {
    var options = JournalOptions()
    (options.disk, options.worksInBackground) = (disk, false)
    return options
  }

  @Test func `an observed list reports why it stopped following`() async throws {
    let disk = SimulatedDisk()
    let writer = try Store(at: "j", records: Game.self, Club.self, options: options(disk))
    try await writer.write { try $0.insert(Game(id: 1, name: "Go")) }
    let reader = try Store(following: "j", records: Game.self, Club.self, options: options(disk))
    let results = try ObservedList(request, in: reader)
    let look = Look { _ = results.error }
    try await writer.close()
    try disk.remove("j")
    let other = try Store(at: "j", records: Game.self, Club.self, options: options(disk))
    try await other.write { try $0.insert(Game(id: 2, name: "Chess")) }
    let error = #expect(throws: StoreError.self) { try reader.catchUp() }
    await look.wait()
    while results.isCurrent { await Task.yield() }
    #expect(error != nil && results.error == error)
    #expect(results.objects.identifiers == [1])
    try await other.close()
    try await reader.close()
  }

  @Test func `an observed list has no difference after a replaced journal`() async throws {
    let disk = SimulatedDisk()
    let writer = try Store(at: "j", records: Game.self, Club.self, options: options(disk))
    for id in 1...2 { try await writer.write { try $0.insert(Game(id: id, name: "\(id)")) } }
    let reader = try Store(following: "j", records: Game.self, Club.self, options: options(disk))
    let results = try ObservedList(request, in: reader)
    try await writer.write { try $0.delete(Game.self, id: 2) }
    let first = Look { _ = results.objects }
    try reader.catchUp()
    await first.wait()
    while results.difference == nil { await Task.yield() }
    try await writer.close()
    // What the first transaction says is the state after it.
    let journal = try FileJournal(at: "j", options: options(disk))
    var transactions = try journal.transactions(from: 1)
    let payload = try #require(try transactions.next()).payload.copy()
    try journal.compact(through: 1, state: [payload])
    let other = try Store(at: "j", records: Game.self, Club.self, options: options(disk))
    try await other.write { try $0.insert(Game(id: 3, name: "3")) }
    let second = Look { _ = results.objects }
    try reader.catchUp()
    await second.wait()
    while results.difference != nil { await Task.yield() }
    #expect(results.objects.identifiers == [1, 3] && results.isCurrent)
    try await other.close()
    try await reader.close()
  }

  @Test func `an observed list throws the error of its request`() async throws {
    let store = try await open()
    #expect(
      sentence { _ = try ObservedList(ListRequest<Game>(sortedBy: []), in: store) } == """
        the request for Game has no sort key; add one to sortedBy.
        """)
    let other = try Store.inMemory(types: [Club.self])
    #expect(
      sentence { _ = try ObservedList(request, in: other) } == """
        store in memory: the store was not opened with the type Game. Add it to the types.
        """)
  }
}
