import DaybookJournal
import DaybookStore
import StoreTestSupport
import Testing

/// An actor that creates contexts in places where the language has no isolation.
private actor Keeper {
  let store: Store
  let initial: EditingContext
  lazy var late = store.makeContext()
  private(set) var boundaryCount = 0
  private var tokens: [ObservationToken] = []

  init(_ store: Store) {
    self.store = store
    initial = store.makeContext()
  }

  func begin(isLate: Bool) {
    let context = isLate ? late : initial
    tokens.append(context.observe { _ in self.boundaryCount += 1 })
  }

  func insert(_ id: Int, isLate: Bool) throws {
    try (isLate ? late : initial).insert(Numbered(id: id, name: "n"))
  }

  func delete(_ id: Int) throws { try initial.delete(Numbered.self, id: id) }

  /// Returns the context although it must not leave the actor.
  func giveAway() -> Unchecked { Unchecked(context: initial) }

  func insert(into context: Unchecked) throws { try context.context.insert(Numbered(id: 1)) }
}

/// A class of the main actor that creates its context in the initial value of a property.
@MainActor private final class Model {
  let store: Store
  private(set) lazy var context = store.makeContext()
  private(set) var boundaryCount = 0
  private var token: ObservationToken?

  init(_ store: Store) {
    self.store = store
    token = context.observe { [unowned self] _ in boundaryCount += 1 }
  }
}

/// A box in which a program that bypasses the compiler's checks sends a context to another actor.
private struct Unchecked: @unchecked Sendable {
  let context: EditingContext
}

@Suite(.timeLimit(.minutes(5))) struct `A context created outside any actor` {
  @Test(arguments: [false, true])
  func `a context belongs to the actor that changes it first and makes boundaries there`(
    isLate: Bool
  ) async throws {
    let keeper = Keeper(try Store.inMemory(records: Numbered.self))
    await keeper.begin(isLate: isLate)
    try await keeper.insert(1, isLate: isLate)
    while await keeper.boundaryCount < 1 { await Task.yield() }
    try await keeper.insert(2, isLate: isLate)
    while await keeper.boundaryCount < 2 { await Task.yield() }
  }

  @Test @MainActor func `a context that a main actor class changes belongs to the main actor`()
    async throws
  {
    let model = Model(try Store.inMemory(records: Numbered.self))
    try model.context.insert(Numbered(id: 1, name: "n"))
    while model.boundaryCount < 1 { await Task.yield() }
  }

  @Test @MainActor
  func `a context changed outside any actor makes its boundary once an actor uses it`()
    async throws
  {
    let store = try Store.inMemory(records: Numbered.self)
    func make() -> EditingContext { store.makeContext(isolation: nil) }
    let context = make()
    var count = 0
    let token = context.observe { _ in count += 1 }
    try context.insert(Numbered(id: 1), isolation: nil)
    for _ in 0..<10 { await Task.yield() }
    #expect(count == 0)
    try context.update(Numbered.self, id: 1) { $0.name = "n" }
    while count == 0 { await Task.yield() }
    #expect(try context.object(Numbered.self, id: 1)?.name == "n")
    withExtendedLifetime(token) {}
  }
}

@Suite struct `A context used outside its actor` {
  /// The lines on standard error that Daybook printed.
  private func lines(_ result: ExitTest.Result?) -> [Substring] {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("Daybook: ") }
  }

  @Test func `using the view context outside the main actor stops the program with a message`()
    async
  {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = try Store.inMemory(records: Numbered.self)
      let context = await MainActor.run { Unchecked(context: store.viewContext) }
      await Task.detached { try? context.context.insert(Numbered(id: 1)) }.value
    }
    #expect(
      lines(result) == [
        """
        Daybook: insert(_:isolation:) was called outside MainActor. The context, the store's \
        viewContext, belongs to that actor. Call it from code of the actor, or create a \
        context with makeContext().
        """
      ])
  }

  @Test func `the message of wrong isolation names the line that created the context`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = try Store.inMemory(records: Numbered.self)
      let context = await MainActor.run {
        Unchecked(context: store.makeContext(file: "App/Model.swift", line: 12))
      }
      await Task.detached { _ = try? context.context.object(Numbered.self, id: 1) }.value
    }
    #expect(
      lines(result) == [
        """
        Daybook: object(_:id:) was called outside MainActor. The context, created at \
        App/Model.swift:12, belongs to that actor. Call it from code of the actor, or create a \
        context with makeContext().
        """
      ])
  }

  @Test func `changing a context that belongs to another actor stops the program`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = try Store.inMemory(records: Numbered.self)
      let keeper = Keeper(store)
      try await keeper.insert(1, isLate: false)
      let context = await keeper.giveAway()
      try await Keeper(store).insert(into: context)
    }
    let lines = lines(result)
    #expect(lines.count == 1)
    let line = lines.first ?? ""
    #expect(
      line.hasPrefix(
        """
        Daybook: insert(_:isolation:) was called outside Keeper. The context, created at \
        DaybookStoreTests/ContextIsolationTests.swift:
        """))
    #expect(
      line.hasSuffix(
        """
        , belongs to that actor. Call it from code of the actor, or create a context with \
        makeContext().
        """))
  }
}
