import Daybook
import DaybookTesting
import Synchronization
import TestSupport
import Testing

/// Streams and lists can change their request, and report exact differences to the new list.
@Suite("Streams that change their request", .timeLimit(.minutes(5)))
struct RefetchingThreadTests {
  private let byName = ListRequest<Game>(sortedBy: [.ascending(\.name)])

  private func open() async throws -> Store {
    let store = try Store.inMemory(records: Game.self, Club.self)
    try await store.write { context in
      try context.insert(Game(id: 1, name: "Go", level: "easy"))
      try context.insert(Game(id: 2, name: "Chess", level: "hard"))
      try context.insert(Game(id: 3, name: "Ludo", level: "easy"))
    }
    return store
  }

  /// Waits for the next update, and applies it to a list as a view does.
  private func expectUpdate(
    _ updates: inout LiveResults<Game>.Iterator, from old: FetchedObjects<Game>,
    to new: FetchedObjects<Game>, _ comment: Comment
  ) async throws {
    let update = try #require(await updates.next(), comment)
    let difference = try #require(update.difference, comment)
    #expect(difference.before.text(\.text) == old.text(\.text), comment)
    #expect(difference.after.text(\.text) == new.text(\.text), comment)
    for (difference, from, to) in [(difference, old, new), (difference.inverse, new, old)] {
      try ListLaw.check(
        difference, from: from.tableSections { $0.map(\.text) },
        to: to.tableSections { $0.map(\.text) }, law: .difference, after: 0)
    }
  }

  @Test func `one exact difference contains the transactions and the new request`() async throws {
    for seed in 0..<UInt64(FaultRow.count(60, full: 2000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(records: Game.self, Club.self)
      let context = store.makeContext()
      for _ in 0..<6 { try changes.change(context) }
      try await context.save()
      var request = changes.request()
      let results = try store.results(request)
      var updates = results.makeAsyncIterator()
      var shown = try #require(await updates.next()).objects
      for step in 0..<8 {
        let comment = Comment("seed \(seed), step \(step)")
        if changes.below(3) > 0 {
          request = changes.request()
          try results.refetch(with: request)
        }
        for _ in 0..<changes.below(3) { try changes.change(context) }
        try await context.save()
        let new = try store.snapshot.fetch(request)
        // An update follows only if the list changes.
        if new.text(\.text) == shown.text(\.text) { continue }
        try await expectUpdate(&updates, from: shown, to: new, comment)
        shown = new
      }
    }
  }

  @Test func `a waiting loop receives the list of a new request`() async throws {
    let store = try await open()
    let results = try store.results(byName)
    let loop = Task {
      var texts: [String] = []
      for await update in results {
        texts.append(update.objects.text(\.name))
        if texts.count == 2 { break }
      }
      return texts
    }
    while store.publications.waiterCount == 0 { await Task.yield() }
    try results.refetch(
      with: ListRequest<Game>(filter: \Game.level == "easy", sortedBy: [.descending(\.name)]))
    #expect(await loop.value == ["  Chess\n  Go\n  Ludo", "  Ludo\n  Go"])
  }

  @Test func `overlapping changes of a request leave one of the requests`() async throws {
    let store = try await open()
    let requests = ["easy", "hard"].map { level in
      ListRequest<Game>(filter: \Game.level == level, sortedBy: [.ascending(\.name)])
    }
    let results = try store.results(byName)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<40 {
        group.addTask { try results.refetch(with: requests[index % 2]) }
      }
      try await group.waitForAll()
    }
    var updates = results.makeAsyncIterator()
    let text = try #require(await updates.next()).objects.text(\.name)
    #expect(["  Go\n  Ludo", "  Chess"].contains(text))
    try results.refetch(with: byName)
    #expect(await updates.next()?.objects.count == 3)
  }

  @Test func `a stream keeps its request after an invalid one`() async throws {
    let store = try await open()
    let results = try store.results(byName)
    #expect {
      try results.refetch(with: ListRequest<Game>(sortedBy: []))
    } throws: {
      "\($0)" == "the request for Game has no sort key; add one to sortedBy."
    }
    var updates = results.makeAsyncIterator()
    #expect(await updates.next()?.objects.count == 3)
  }

  @Test func `a change of only the batch size is no update`() async throws {
    let store = try await open()
    let results = try store.results(byName)
    var updates = results.makeAsyncIterator()
    _ = await updates.next()
    var request = byName
    request.batchSize = 2
    try results.refetch(with: request)
    try await store.write { context in try context.delete(Game.self, id: 2) }
    #expect(await updates.next()?.difference?.deleted.map(\.id) == [2])
  }

  @MainActor @Test func `an observed list shows the list of a new request`() async throws {
    let store = try await open()
    let games = try ObservedList(byName, in: store)
    try games.refetch(
      with: ListRequest<Game>(filter: \Game.level == "easy", sortedBy: [.ascending(\.name)]))
    // The list changes with its next update, not during the call.
    #expect(games.objects.text(\.name) == "  Chess\n  Go\n  Ludo")
    while games.difference == nil { await Task.yield() }
    #expect(games.objects.text(\.name) == "  Go\n  Ludo")
    #expect(games.difference?.deleted.map(\.id) == [2])
    #expect {
      try games.refetch(with: ListRequest<Game>(sortedBy: []))
    } throws: {
      "\($0)" == "the request for Game has no sort key; add one to sortedBy."
    }
    #expect(games.isCurrent)
  }

  @Test func `a list that moves between snapshots changes its request`() async throws {
    let store = try await open()
    let list = try FollowingList(byName, at: store.snapshot)
    try await store.write { context in try context.delete(Game.self, id: 1) }
    let difference = try #require(
      try list.refetch(
        with: ListRequest<Game>(filter: \Game.level == "easy", sortedBy: [.ascending(\.name)])))
    // The list stays at its snapshot.
    #expect(difference.deleted.map(\.id) == [2] && list.objects.identifiers == [1, 3])
    #expect(try list.refetch(with: list.request) == nil)
    #expect(try list.move(to: store.snapshot)?.objects.identifiers == [3])
    #expect {
      try list.refetch(with: ListRequest<Game>(sortedBy: []))
    } throws: {
      "\($0)" == "the request for Game has no sort key; add one to sortedBy."
    }
    #expect(list.request.sortKeys.count == 1)
  }

  // MARK: Actors

  /// An actor that follows a list.
  private actor Names {
    var texts: [String] = []
    var task: Task<Void, Never>?

    func follow(_ results: LiveResults<Game>) {
      task = results.forEach(on: self) { names, update in
        names.texts.append(update.objects.text(\.name))
      }
    }

    func waitForCount(_ count: Int) async -> [String] {
      while texts.count < count { await Task.yield() }
      return texts
    }
  }

  @Test func `an actor receives each update until the store closes`() async throws {
    let store = try await open()
    let names = Names()
    await names.follow(try store.results(byName))
    _ = await names.waitForCount(1)
    try await store.write { context in try context.delete(Game.self, id: 2) }
    #expect(await names.waitForCount(2) == ["  Chess\n  Go\n  Ludo", "  Go\n  Ludo"])
    try await store.close()
    await names.task?.value
    #expect(await names.texts.count == 2)
  }

  @Test func `updates do not keep an actor alive`() async throws {
    let store = try await open()
    var names: Names? = Names()
    weak let known = names
    await names?.follow(try store.results(byName))
    _ = await names?.waitForCount(1)
    let task = await names?.task
    names = nil
    while known != nil { await Task.yield() }
    // The calls end at the next update.
    try await store.write { context in try context.delete(Game.self, id: 2) }
    await task?.value
    #expect(store.publications.waiterCount == 0)
  }

  @Test func `a cancelled task ends the calls to an actor`() async throws {
    let store = try await open()
    let names = Names()
    await names.follow(try store.results(byName))
    _ = await names.waitForCount(1)
    await names.task?.cancel()
    await names.task?.value
    #expect(store.publications.waiterCount == 0)
  }
}
