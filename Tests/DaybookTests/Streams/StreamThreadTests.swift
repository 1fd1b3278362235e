import Daybook
import DaybookResults
import DaybookStore
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

/// A loop over updates shows the same list as a fresh fetch, at any pace.
@Suite("Streams of a list", .timeLimit(.minutes(5))) struct StreamThreadTests {
  /// The rows that a loop shows, from its updates alone.
  private struct Screen {
    var ids: [Int] = []
    var kinds: [String] = []
    var last: FetchedObjects<Game>?

    mutating func take(_ update: LiveResults<Game>.Update) {
      switch update {
      case .initial(let objects):
        kinds.append("initial")
        show(objects)
      case .reset(let objects):
        kinds.append("reset")
        show(objects)
      case .difference(let difference):
        kinds.append("difference")
        #expect(difference.before.identifiers == ids)
        #expect(!difference.isEmpty)
        show(difference.after)
      }
    }

    private mutating func show(_ objects: FetchedObjects<Game>) {
      ids = objects.identifiers
      last = objects
    }
  }

  private func fresh(_ request: ListRequest<Game>, _ store: Store) throws -> [Game] {
    let controller = FetchedResultsController(fetchRequest: request, context: store.makeContext())
    try controller.performFetch()
    return Array(try #require(controller.fetchedObjects))
  }

  @Test func `an update leads each loop from its last moment to the present`() async throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 3000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      for _ in 0..<6 { try changes.change(context) }
      try await context.save()
      let request = changes.request()
      let results = try store.results(request)
      var iterators = (0..<3).map { _ in results.makeAsyncIterator() }
      var screens = [Screen](repeating: Screen(), count: 3)
      for index in 0..<3 { screens[index].take(try #require(await iterators[index].next())) }
      for step in 0..<8 {
        for _ in 0...changes.below(3) { try changes.change(context) }
        try await context.save()
        let objects = try fresh(request, store)
        // The first is quick, the others now and then.
        for index in 0..<3 where index == 0 || changes.below(3) == 0 || step == 7 {
          let shown = try #require(screens[index].last)
          guard Array(shown) != objects else { continue }
          screens[index].take(try #require(await iterators[index].next()))
          #expect(screens[index].last.map { Array($0) } == objects, "seed \(seed), step \(step)")
        }
      }
      let objects = try fresh(request, store)
      try await store.close()
      for index in 0..<3 {
        // The last update contains changes that affect only a club. Then the loop ends.
        if let update = await iterators[index].next() { screens[index].take(update) }
        #expect(await iterators[index].next() == nil)
        #expect(screens[index].last.map { Array($0) } == objects, "seed \(seed), at the end")
      }
      #expect(screens.allSatisfy { $0.kinds.first == "initial" && $0.kinds.count <= 10 })
    }
  }

  private func made(_ count: Int) async throws -> Store {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    for id in 0..<count { try await store.write { try $0.insert(Game(id: id, name: "\(id)")) } }
    return store
  }

  private let byName = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])

  @Test func `a stream reports changes since an earlier transaction`() async throws {
    let store = try await made(5)
    try await store.write { try $0.delete(Game.self, id: 0) }
    var iterator = try store.results(byName, since: 3).makeAsyncIterator()
    guard case .difference(let difference)? = await iterator.next() else {
      Issue.record("no difference")
      return
    }
    #expect(difference.before.identifiers == [0, 1, 2])
    #expect(difference.deleted.map(\.id) == [0])
    #expect(difference.inserted.map(\.id) == [3, 4])
    #expect(
      difference.inserted.map(\.indexPath) == [
        IndexPath(row: 2, section: 0), IndexPath(row: 3, section: 0),
      ])
    #expect {
      try store.results(byName, since: 7)
    } throws: {
      ($0 as? StoreError)?.reason == .noSuchMoment(7, first: 0, last: 6)
    }
  }

  @Test func `name every transaction that an update comes of`() async throws {
    let store = try await made(1)
    var iterator = try store.results(byName).makeAsyncIterator()
    _ = await iterator.next()
    for (id, author) in [(1, "Ada"), (2, "Ben")] {
      try await store.write(TransactionMetadata(author: author)) {
        try $0.insert(Game(id: id, name: "\(id)"))
      }
    }
    guard case .difference(let difference)? = await iterator.next() else {
      Issue.record("no difference")
      return
    }
    #expect(difference.inserted.map(\.id) == [1, 2])
    #expect(difference.causes.map(\.metadata.author) == ["Ada", "Ben"])
    #expect(difference.causes.map(\.sequence) == [2, 3])
    #expect(difference.causes.allSatisfy { $0.origin == .journal })
    #expect(difference.causes.last?.time == store.snapshot.time)
    #expect(difference.batchSafe.causes.count == 2 && difference.inverse.causes.isEmpty)
    // The law holds for any two moments, forward.
    let request = byName
    let forward = try store.difference(of: request, from: 1, to: 3)
    #expect(forward.causes.map(\.metadata.author) == ["Ada", "Ben"])
    #expect(try store.difference(of: request, from: 3, to: 1).causes.isEmpty)
  }

  @Test(arguments: [false, true])
  func `wait until something happens to the list, and then tell it`(isOnDisk: Bool) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store =
      isOnDisk
      ? try Store(at: folder.appending(path: "games").path, records: Game.self, Club.self)
      : try Store.inMemory(types: [Game.self, Club.self])
    for id in 0..<2 { try await store.write { try $0.insert(Game(id: id, name: "\(id)")) } }
    let results = try store.results(byName)
    let waiting = Task {
      var names: [[String]] = []
      for await update in results {
        switch update {
        case .initial(let objects), .reset(let objects): names.append(objects.map(\.name))
        case .difference(let difference): names.append(difference.after.map(\.name))
        }
        if names.count == 2 { break }
      }
      return names
    }
    // A change that the list does not show wakes the loop, and is no update.
    while store.publications.waiterCount == 0 { await Task.yield() }
    try await store.write { try $0.insert(Club(id: 1, name: "Ajax")) }
    while store.publications.waiterCount == 0 { await Task.yield() }
    try await store.write { try $0.update(Game.self, id: 0) { $0.name = "9" } }
    #expect(await waiting.value == [["0", "1"], ["1", "9"]])
    try await store.close()
  }

  @Test func `can be used at once, by loops that keep up and loops that do not`() async throws {
    let store = try await made(3)
    let results = try store.results(byName)
    let expected = try await withThrowingTaskGroup(of: [Int].self) { group in
      for loop in 0..<6 {
        group.addTask {
          var screen = Screen()
          for await update in results {
            screen.take(update)
            for _ in 0..<loop * 20 { await Task.yield() }
          }
          return screen.ids
        }
      }
      for id in 10..<60 {
        try await store.write { context in
          try context.insert(Game(id: id, name: "\(id * 7 % 50)"))
          if id % 3 == 0 { try context.delete(Game.self, id: id - 3 < 10 ? 0 : id - 3) }
        }
      }
      let expected = try fresh(byName, store).map(\.id)
      try await store.close()
      for try await ids in group { #expect(ids == expected) }
      return expected
    }
    #expect(expected.count == 37)
  }

  @Test func `a stream ends when the followed journal is deleted`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "games").path
    let writer = try Store(at: path, records: Game.self, Club.self)
    try await writer.write { try $0.insert(Game(id: 1, name: "Go")) }
    let reader = try Store(following: path, records: Game.self, Club.self)
    let results = try reader.results(byName)
    let waiting = Task {
      var count = 0
      for await _ in results { count += 1 }
      return count
    }
    while reader.publications.waiterCount == 0 { await Task.yield() }
    try await writer.close()
    try FileManager.default.removeItem(atPath: path)
    let other = try Store(at: path, records: Game.self, Club.self)
    try await other.write { try $0.insert(Game(id: 2, name: "Chess")) }
    #expect(await waiting.value == 1)
    let error = #expect(throws: StoreError.self) { try reader.catchUp() }
    #expect(results.error == error)
    try await other.close()
    try await reader.close()
  }

  @Test func `a stream is reset if the followed journal lacks history`() async throws {
    let disk = SimulatedDisk()
    var options = JournalOptions()
    (options.disk, options.worksInBackground) = (disk, false)
    let first = try Store(at: "j", records: Game.self, Club.self, options: options)
    for id in 1...2 { try await first.write { try $0.insert(Game(id: id, name: "\(id)")) } }
    try await first.close()
    let journal = try FileJournal(at: "j", options: options)
    var transactions = try journal.transactions(from: 1)
    var payloads: [[UInt8]] = []
    while let transaction = try transactions.next() { payloads.append(transaction.payload.copy()) }
    try journal.compact(through: 2, state: payloads)
    let reader = try Store(following: "j", records: Game.self, Club.self, options: options)
    var iterator = try reader.results(byName, since: 1).makeAsyncIterator()
    let update = await iterator.next()
    guard case .reset(let objects)? = update else {
      Issue.record("no reset")
      return
    }
    #expect(update?.difference == nil)
    #expect(objects.identifiers == [1, 2])
    try await reader.close()
  }

  @Test func `a stream ends when its task is cancelled`() async throws {
    let store = try await made(1)
    let results = try store.results(byName)
    let waiting = Task {
      var count = 0
      for await _ in results { count += 1 }
      return count
    }
    while store.publications.waiterCount == 0 { await Task.yield() }
    waiting.cancel()
    #expect(await waiting.value == 1)
    #expect(results.error == nil)
    #expect(store.publications.waiterCount == 0)
  }

  @Test func `a stream throws the error of its request`() async throws {
    let store = try await made(1)
    #expect {
      try store.results(ListRequest<Game>(sortedBy: []))
    } throws: {
      "\($0)" == "the request for Game has no sort key; add one to sortedBy."
    }
  }
}

/// The position of a subscriber determines its next update, in every case.
@Suite struct `The position of a subscriber` {
  @Test func `a position leads to each step of its table`() async throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
    let frozen = store.snapshot.frozen
    let projection = Projection(try request.plan(frozen.catalog), of: frozen)
    func moment(
      _ generation: Int, _ sequence: SequenceNumber, request: Int = 0
    ) -> ListMoment {
      ListMoment(
        snapshot: projection.snapshot, generation: generation, sequence: sequence,
        requestNumber: request)
    }
    func step(_ position: SubscriberPosition, to head: ListMoment) -> String {
      var position = position
      let step = position.step(to: head)
      guard case .at(let known) = position, known.isSame(as: head) else { return "lost" }
      return switch step {
      case .initial: "initial"
      case .reset: "begin anew"
      case .compare: "compare"
      case .wait: "wait"
      }
    }
    #expect(step(.nothing, to: moment(0, 5)) == "initial")
    #expect(step(.tooOld, to: moment(0, 5)) == "begin anew")
    #expect(step(.at(moment(0, 5)), to: moment(0, 5)) == "wait")
    #expect(step(.at(moment(0, 4)), to: moment(0, 5)) == "compare")
    #expect(step(.at(moment(0, 5)), to: moment(0, 5, request: 1)) == "compare")
    #expect(step(.at(moment(0, 5)), to: moment(1, 5)) == "begin anew")
    #expect(step(.at(moment(0, 9)), to: moment(1, 5)) == "begin anew")
  }
}
