import Daybook
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

/// Deletions and updates of all records that match a filter.
@Suite struct `Changes of matching records` {
  private func open(_ types: [any Record.Type] = [Game.self, Club.self]) throws -> (
    store: Store, context: EditingContext
  ) {
    let store = try Store.inMemory(types: types)
    return (store, store.makeContext(isolation: nil))
  }

  private func filter(_ changes: inout GameChanges) -> Filter {
    changes.request().filter ?? .always
  }

  /// The games of a context in the order of their creation, as text.
  private func games(_ context: EditingContext) throws -> [String] {
    try context.objects(Game.self).map { "\($0.text) \($0.club?.id ?? -1)" }
  }

  @Test func `changes of matching records equal a loop of changes`() throws {
    var changedCount = 0
    for seed in 0..<UInt64(FaultRow.count(300, full: 6000, least: 10)) {
      // Two contexts get the same history. One makes the changes of each step in a loop.
      let (batch, loop) = (try open().context, try open().context)
      var (changes, twin) = (GameChanges(seed: seed), GameChanges(seed: seed))
      for step in 0..<12 {
        for _ in 0...changes.below(4) { try changes.change(batch) }
        for _ in 0...twin.below(4) { try twin.change(loop) }
        let filter = filter(&changes)
        #expect(filter == self.filter(&twin))
        let request = ListRequest<Game>(filter: filter, sortedBy: [.ascending(\Game.id)])
        let ids = try loop.fetchIdentifiers(request)
        let kind = changes.below(3)
        _ = twin.below(3)
        let count: Int
        switch kind {
        case 0:
          count = try batch.delete(Game.self, where: filter)
          for id in ids { try loop.delete(Game.self, id: id) }
        case 1:
          count = try batch.update(Game.self, where: filter) { $0.score += 1 }
          for id in ids { try loop.update(Game.self, id: id) { $0.score += 1 } }
        default:
          // A change of the attribute that the filter reads.
          count = try batch.update(Game.self, where: filter) { ($0.name, $0.level) = ("go", nil) }
          for id in ids {
            try loop.update(Game.self, id: id) { ($0.name, $0.level) = ("go", nil) }
          }
        }
        #expect(count == ids.count, "seed \(seed), step \(step)")
        changedCount += count
        #expect(try games(batch) == games(loop), "seed \(seed), step \(step)")
        if changes.below(3) == 0 { try batch.saveAndWait() }
        if twin.below(3) == 0 { try loop.saveAndWait() }
      }
    }
    #expect(changedCount > 0)
  }

  @Test func `an update of matching records writes only the attributes that it changes`() throws {
    let (store, context) = try open()
    for id in 1...3 { try context.insert(Game(id: id, name: "chess", score: id)) }
    try context.saveAndWait()
    let other = store.makeContext(isolation: nil)
    try context.update(Game.self, where: \Game.score >= 2) { $0.name = "go" }
    try other.update(Game.self, where: .always) { $0.score += 10 }
    try other.saveAndWait()
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Game.self).map(\.text) == [
        "1 chess - 11", "2 go - 12", "3 go - 13",
      ])
    #expect(
      try store.history(of: "Game", id: .int(2)).map(\.change.changedAttributes) == [
        [], ["score"], ["name"],
      ])
  }

  @Test func `a refused update of matching records changes none of them`() throws {
    let (_, context) = try open()
    for id in 1...3 { try context.insert(Game(id: id, name: "chess", score: id)) }
    try context.saveAndWait()
    let problems = [
      sentence {
        try context.update(Game.self, where: .always) { game in
          game.name = "go"
          if game.id == 3 { throw Surprise("no third game") }
        }
      },
      sentence {
        try context.update(Game.self, where: .always) { game in
          game.name = "go"
          if game.id == 2 { game.id = 7 }
        }
      },
      sentence { try context.update(Game.self, where: \Club.name == "Ajax") { $0.score = 9 } },
      sentence { try context.update(Other.self, where: .always) { $0.score = 9 } },
      sentence { try context.delete(Other.self, where: .always) },
    ]
    #expect(
      problems == [
        "no third game",
        """
        store in memory: an update set the identifier of Game 2 to 7, but an identifier cannot \
        change. The record was not changed. Insert a record with the new identifier and delete this \
        one.
        """,
        "filter: name is a property of Club, but the rows are of Game.",
        "store in memory: the store was not opened with the type Other. Add it to the types.",
        "store in memory: the store was not opened with the type Other. Add it to the types.",
      ])
    #expect(!context.hasChanges)
    // The closure deletes a record that it has received.
    #expect(
      sentence {
        try context.update(Game.self, where: .always) { game in
          game.score = 9
          if game.id == 2 { try context.delete(game) }
        }
      } == "store in memory: Game 2 does not exist.")
    #expect(try games(context) == ["1 chess - 1 -1", "3 chess - 3 -1"])
  }

  /// A type of the entity that the store is not opened with.
  private struct Other: Record {
    var id = 0
    var score = 0
    static let schema = RecordSchema<Other>("Game").attribute("score", at: \.score)
  }

  @Test func `a deletion of matching records applies delete rules and reads predicates`() throws {
    let (_, context) = try open()
    try context.insert(Club(id: 1, name: "Ajax"))
    try context.insert(Game(id: 1, name: "chess", club: Reference(1)))
    try context.insert(Game(id: 2, name: "go"))
    #expect(try context.delete(Club.self, where: try Filter("name == 'Ajax'")) == 1)
    context.processPendingChanges()
    #expect(try games(context) == ["1 chess - 0 -1", "2 go - 0 -1"])
    let pattern = "che"
    let filter = Filter(#Predicate<Game> { $0.name.starts(with: pattern) })
    #expect(try context.delete(Game.self, where: filter) == 1)
    #expect(try context.delete(Game.self, where: .never) == 0)
    #expect(try games(context) == ["2 go - 0 -1"])
  }

  @Test func `an observer changes matching records as they are shown`() throws {
    let (_, context) = try open()
    for id in 1...3 { try context.insert(Game(id: id, name: "chess", score: id)) }
    context.processPendingChanges()
    var counts: [Int] = []
    var isFirst = true
    let token = context.observe { _ in
      guard isFirst else { return }
      isFirst = false
      do {
        try context.delete(Game.self, id: 1)
        // The deletion of game 1 is pending, so the filter still finds the game.
        counts.append(try context.update(Game.self, where: .always) { $0.score += 10 })
        counts.append(try context.delete(Game.self, where: \Game.score == 3))
        counts.append(try context.delete(Game.self, where: \Game.score == 3))
      } catch { Issue.record(error) }
    }
    try context.insert(Game(id: 4, name: "nim", score: 4))
    context.processPendingChanges()
    #expect(counts == [3, 1, 0])
    #expect(try games(context) == ["2 chess - 12 -1", "4 nim - 14 -1"])
    withExtendedLifetime(token) {}
  }
}
