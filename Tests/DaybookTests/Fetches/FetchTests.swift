import Daybook
import TestSupport
import Testing

/// A fetch returns the rows that a list would show.
@Suite struct `A fetch` {
  @Test func `between two moments says which sections only have another name`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for id in 0..<6 {
      try context.insert(Game(id: id, name: "game", level: id < 4 ? "easy" : "hard"))
    }
    try context.saveAndWait()
    for id in 0..<4 { try context.update(Game.self, id: id) { $0.level = "simple" } }
    try context.saveAndWait()
    let request = ListRequest<Game>(
      sortedBy: [.ascending(\Game.level), .ascending(\Game.id)], sectionedBy: .by(\Game.level))
    let difference = try store.snapshot(at: 1).difference(to: store.snapshot, of: request)
    let renamed = try #require(difference.renamedSections.first)
    #expect(difference.renamedSections.count == 1)
    #expect(renamed.old == difference.deletedSections.first)
    #expect(renamed.new == difference.insertedSections.first)
    #expect((renamed.old.name, renamed.new.name) == ("easy", "simple"))
    #expect((renamed.old.index, renamed.new.index) == (0, 1))
    #expect(difference.moved.count == 4)
  }

  @Test func `a fetch finds the rows of a controller at every moment`() throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 3000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      let request = changes.request()
      var unlimited = request
      (unlimited.limit, unlimited.offset) = (nil, 0)
      var moments: [(snapshot: StoreSnapshot, ids: [Int])] = []
      for step in 0..<6 {
        for _ in 0...changes.below(4) { try changes.change(context) }
        // Pending changes are included.
        let objects = try context.fetch(request)
        let controller = FetchedResultsController(fetchRequest: request, context: context)
        try controller.performFetch()
        let shown = try #require(controller.fetchedObjects)
        #expect(Array(objects) == Array(shown), "seed \(seed), step \(step)")
        #expect(try context.count(for: request) == shown.count, "seed \(seed), step \(step)")
        #expect(try context.count(for: unlimited) >= shown.count)
        try context.saveAndWait()
        moments.append((store.snapshot, shown.identifiers))
      }
      for moment in moments {
        let then = try store.snapshot(at: moment.snapshot.sequence)
        #expect(try then.fetch(request).identifiers == moment.ids, "seed \(seed)")
        #expect(try then.count(for: request) == moment.ids.count, "seed \(seed)")
        for other in [moments[0], moments[5]] {
          let difference = try moment.snapshot.difference(to: other.snapshot, of: request)
          #expect(difference.before.identifiers == moment.ids, "seed \(seed)")
          #expect(difference.after.identifiers == other.ids, "seed \(seed)")
          #expect(
            try difference.inverse.deleted
              == other.snapshot.difference(to: moment.snapshot, of: request).deleted)
        }
      }
    }
  }

  @Test func `a fetch of an unknown type throws an error`() throws {
    let store = try Store.inMemory(types: [Club.self])
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
    let controller = FetchedResultsController(
      fetchRequest: request, context: store.makeContext())
    let attempts: [() throws -> Void] = [
      { _ = try store.makeContext().fetch(request) },
      { _ = try store.makeContext().count(for: request) },
      { _ = try store.snapshot.fetch(request) },
      { _ = try store.snapshot.count(for: request) },
      { _ = try store.snapshot.difference(to: store.snapshot, of: request) },
      { _ = try store.results(request) },
      { _ = try store.results(request, since: 0) },
      { try controller.performFetch() },
      { try controller.refetch(with: request) },
    ]
    for attempt in attempts {
      #expect {
        try attempt()
      } throws: {
        ($0 as? StoreError)?.reason == .unknownType("Game")
      }
    }
  }
}
