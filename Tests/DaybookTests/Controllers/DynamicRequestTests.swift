import Daybook
import DaybookTesting
import Testing

/// Requests for records of an entity by its name find and report what requests of the type do.
@Suite struct `Requests by name` {
  /// Saves transactions at random.
  private func history(_ changes: inout GameChanges, _ count: Int) throws -> Store {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for _ in 0..<count {
      for _ in 0...changes.below(3) { try changes.change(context) }
      try context.saveAndWait()
    }
    return store
  }

  private func named(_ request: ListRequest<Game>) -> ListRequest<DynamicRecord> {
    ListRequest(
      entity: "Game", filter: request.filter, sortedBy: request.sortKeys,
      sectionedBy: request.sectioning, limit: request.limit, offset: request.offset,
      batchSize: request.batchSize)
  }

  private func expect(
    _ found: ListDifference<DynamicRecord>, isAs typed: ListDifference<Game>, _ comment: Comment
  ) throws {
    #expect(found.deletedSections.map(\.index) == typed.deletedSections.map(\.index), comment)
    #expect(found.insertedSections.map(\.name) == typed.insertedSections.map(\.name), comment)
    #expect(found.deleted.map(\.indexPath) == typed.deleted.map(\.indexPath), comment)
    #expect(found.deleted.map(\.id) == typed.deleted.map(\.id.recordIdentifier), comment)
    #expect(found.inserted.map(\.indexPath) == typed.inserted.map(\.indexPath), comment)
    #expect(found.inserted.map(\.id) == typed.inserted.map(\.id.recordIdentifier), comment)
    #expect(found.moved.map(\.newIndexPath) == typed.moved.map(\.newIndexPath), comment)
    #expect(found.moved.map(\.indexPath) == typed.moved.map(\.indexPath), comment)
    #expect(found.updated.map(\.newIndexPath) == typed.updated.map(\.newIndexPath), comment)
    for (one, other) in zip(found.updated, typed.updated) {
      #expect(found.changedKeys(of: one) == typed.changedKeys(of: other), comment)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a request by name finds what the request of the type finds`(_ seed: UInt64) throws {
    var changes = GameChanges(seed: seed)
    let store = try history(&changes, 20)
    for number in 0..<10 {
      let request = changes.request()
      let comment: Comment = "seed \(seed), request \(number)"
      for snapshot in [store.snapshot, try store.snapshot(at: 7)] {
        let typed = try snapshot.fetch(request)
        let found = try snapshot.fetch(named(request))
        #expect(found.identifiers == typed.identifiers.map(\.recordIdentifier), comment)
        #expect(try snapshot.count(for: named(request)) == typed.count, comment)
        #expect(
          try found.map { $0 } == typed.map { try snapshot.object("Game", id: .int(Int64($0.id))) },
          comment)
        let values = try snapshot.fetchValues(
          named(request), of: [.attribute(named: "club.name"), .attribute(named: "score")])
        let typedValues = try snapshot.fetchValues(
          request, of: [.attribute(\.club, at: \.name), .attribute(\.score)])
        #expect(values.map(Array.init) == typedValues.map(Array.init), comment)
      }
      try expect(
        store.difference(of: named(request), from: 3, to: 12),
        isAs: store.difference(of: request, from: 3, to: 12), comment)
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a replay by name has the steps of the replay of the type`(_ seed: UInt64) async throws {
    var changes = GameChanges(seed: seed)
    let store = try history(&changes, 20)
    let request = changes.request()
    let typed = try store.replay(request)
    for try await step in try store.replay(named(request)) {
      let other = try #require(try typed.next())
      #expect(step.transaction.sequence == other.transaction.sequence)
      try expect(step.difference, isAs: other.difference, "seed \(seed)")
    }
    #expect(try typed.next() == nil)
  }

  @Test func `a live list by name is updated after each save`() async throws {
    var changes = GameChanges(seed: 5)
    let store = try history(&changes, 3)
    let request = ListRequest(
      entity: "Game", filter: try Filter("score > 0"), sortedBy: [.ascending(named: "name")],
      sectionedBy: .by(named: "level"))
    var updates = try store.results(request).makeAsyncIterator()
    let first = try #require(await updates.next())
    #expect(first.objects.identifiers == (try store.snapshot.fetchIdentifiers(request)))
    let context = store.makeContext()
    try context.insert(Game(id: 100, name: "Mah-jong", level: "hard", score: 3))
    try await context.save()
    let difference = try #require(await updates.next()?.difference)
    #expect(difference.inserted.map(\.id) == [.int(100)])
    #expect(difference.after.identifiers == (try store.snapshot.fetchIdentifiers(request)))
  }

  @Test func `a request by name without a sort key has the order of creation`() throws {
    let store = try Store.inMemory(records: Game.self, Club.self)
    let context = store.makeContext()
    for id in [3, 1, 2] {
      try context.insert(Game(id: id))
      try context.saveAndWait()
    }
    #expect(
      try store.snapshot.fetchIdentifiers(ListRequest(entity: "Game")) == [
        .int(3), .int(1), .int(2),
      ])
  }

  @Test func `a store without types answers a request by name`() throws {
    let disk = SimulatedDisk()
    let store = try Store(at: "j", records: Game.self, Club.self, options: .simulated(on: disk))
    let context = store.makeContext()
    try context.insert(Game(id: 7, name: "Go", score: 2))
    try context.saveAndWait()
    try store.closeAndWait()
    let read = try Store(reading: "j", options: .simulated(on: disk))
    let entity = try #require(read.snapshot.entities.first { $0.name == "Game" })
    #expect(entity.attributes.map(\.name) == ["name", "club", "level", "score"])
    #expect(
      try read.snapshot.fetch(ListRequest(entity: "Game")).map(\.values)
        == [[.string("Go"), .null, .null, .int(2)]])
  }

  @Test func `a request for an entity that does not exist is refused by its name`() throws {
    let store = try Store.inMemory(records: Game.self, Club.self)
    #expect {
      try store.snapshot.fetch(ListRequest(entity: "Gme"))
    } throws: {
      "\($0)" == "no entity 'Gme'; did you mean 'Game'?"
    }
  }
}
