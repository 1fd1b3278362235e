import Daybook
import FoundationEssentials
import TestSupport
import Testing

// The records begin.
private struct Team: Record {
  var id = UUID()
  var name = ""

  static let schema = RecordSchema<Team>("Team").attribute("name", at: \.name).unique(\.name)
}

private struct Player: Record {
  var id = UUID()
  var name = ""
  var score = 0
  var team: Reference<Team>?

  static let schema = RecordSchema<Player>("Player")
    .attribute("name", at: \.name).attribute("score", at: \.score).indexed(\.score)
    .reference("team", at: \.team, inverse: "players", whenTargetDeleted: .cascade)
}
// The records end.

private final class PlayerList: FetchedResultsControllerDelegate {
  func controllerDidChangeContent(_ controller: FetchedResultsController<Player>) {}
}

@Suite struct `The page on coming from another library` {
  private static let page = "Sources/Daybook/Daybook.docc/ComingFrom.md"

  /// The parts of the page that run here, by the heading before them, in order.
  private static let parts = [
    ("# Coming from another library", "records"), ("## Core Data", "controller"),
    ("### Changes and fetches", "context"), ("### A list in a view", "observed list"),
    ("### Changes and fetches", "writes"), ("### Observation", "stream"),
    ("### Changes", "writes again"), ("### Notifications", "notifications"),
  ]

  @Test func `the last block of each section is the code that runs here`() throws {
    let page = try ProjectFiles.lines(Self.page)
    let source = try ProjectFiles.lines("Tests/DaybookTests/Porting/ComingFromPageTests.swift")
    var rest = page[...]
    for (heading, part) in Self.parts {
      let start = try #require(rest.firstIndex(of: heading), "\(heading)")
      let end = rest[(start + 1)...].firstIndex { $0.hasPrefix("#") } ?? rest.endIndex
      let blocks = DocumentationPage.blocks("```swift", in: Array(rest[start..<end]))
      var block = try #require(blocks.last)
      if part == "records" {
        #expect(block.last == "let store = try Store(at: path, records: Team.self, Player.self)")
        block.removeLast(2)
      }
      #expect(try block == DocumentationPage.part(part, of: source), "\(part)")
      rest = rest[end...]
    }
  }

  private func store() async throws -> Store {
    let store = try Store.inMemory(records: Team.self, Player.self)
    try await store.write { context in
      let red = Team(name: "Red")
      try context.insert(red)
      try context.insert(Player(name: "Bo", score: 7, team: Reference(red)))
      try context.insert(Player(name: "Cy", score: 3))
    }
    return store
  }

  @Test func `the example for Core Data shows sections by team`() async throws {
    let store = try await store()
    let context = store.makeContext()
    let list = PlayerList()
    // The controller begins.
    let request = ListRequest<Player>(
      filter: try Filter("score > %@", 5), sortedBy: [.ascending(\.name)],
      sectionedBy: .by(\.team, at: \.name))
    let players = FetchedResultsController(fetchRequest: request, context: context)
    players.delegate = list
    try players.performFetch()
    // The controller ends.
    #expect(players.sections?.map(\.name) == ["Red"])
    #expect(players.fetchedObjects?.map(\.name) == ["Bo"])
  }

  @MainActor @Test func `the examples for SwiftData save and show a player`() async throws {
    let store = try await store()
    // The context begins.
    let context = store.viewContext
    let ada = Player(name: "Ada", score: 10)
    try context.insert(ada)
    try context.update(Player.self, id: ada.id) { $0.score += 1 }
    try await context.save()

    let best = try context.fetch(
      Player.self, where: Filter(#Predicate<Player> { $0.score > 5 }),
      sortedBy: [.descending(\.score)])
    // The context ends.
    #expect(best.map(\.score) == [11, 7])
    // The observed list begins.
    let players = try ObservedList(
      ListRequest<Player>(filter: \Player.score > 5, sortedBy: [.ascending(\.name)]), in: store)
    // The observed list ends.
    #expect(players.objects.map(\.name) == ["Ada", "Bo"])
    let red = try #require(try store.object(Team.self, where: \.name, is: "Red"))
    #expect(try store.snapshot.objects(\Player.team, of: red).map(\.name) == ["Bo"])
  }

  @Test func `the examples for GRDB write, fetch and observe`() async throws {
    let store = try await store()
    let ada = Player(name: "Ada", score: 10)
    // The writes begin.
    try await store.write { context in
      try context.insert(ada)
      try context.update(Player.self, id: ada.id) { $0.score += 1 }
      try context.delete(Player.self, where: \Player.score < 5)
    }

    let best = try store.fetch(
      ListRequest<Player>(
        filter: \Player.score > 5, sortedBy: [.descending(\.score)], limit: 10))
    // The writes end.
    #expect(best.map(\.name) == ["Ada", "Bo"])

    let task = Task { [store] in
      var shown: [[String]] = []
      func show(_ players: FetchedObjects<Player>) {
        shown.append(players.map(\.name))
        if shown.count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      // The stream begins.
      let request = ListRequest<Player>(sortedBy: [.ascending(\.name)])
      for await update in try store.results(request) { show(update.objects) }
      // The stream ends.
      return shown
    }
    // Whether the loop starts before or after the write, its last list has both changes.
    try await store.write { try $0.delete(Player.self, id: ada.id) }
    let dee = Player(name: "Dee", score: 1)
    while !task.isCancelled {
      try await store.write { context in
        if try context.object(Player.self, id: dee.id) == nil {
          try context.insert(dee)
        } else {
          try context.delete(Player.self, id: dee.id)
        }
      }
      await Task.yield()
    }
    let shown = try await task.value
    #expect(shown.count == 2 && shown[0] != shown[1])
  }

  @Test func `the examples for Realm write and receive differences`() async throws {
    let store = try await store()
    let ada = Player(name: "Ada", score: 10)
    // The writes again begin.
    try await store.write { context in
      try context.insert(ada)
      try context.update(Player.self, id: ada.id) { $0.score += 1 }
      try context.delete(Player.self, where: \Player.score < 5)
    }
    // The writes again end.
    typealias Difference = ListDifference<Player>
    var events: [String] = []
    func show(_ players: FetchedObjects<Player>) {
      events.append("\(players.map(\.name))")
      // The stream is at this moment, so its next update contains the following change.
      let context = store.makeContext(isolation: nil)
      _ = try? context.update(Player.self, id: ada.id) { $0.score = 6 }
      _ = try? context.saveAndWait()
    }
    func update(
      _ deleted: [Difference.Row], _ inserted: [Difference.Row], _ moved: [Difference.Change],
      _ updated: [Difference.Change]
    ) {
      events.append("\(deleted.count) \(inserted.count) \(moved.count) \(updated.count)")
      withUnsafeCurrentTask { $0?.cancel() }
    }
    // The notifications begin.
    let best = ListRequest<Player>(filter: \Player.score > 5, sortedBy: [.descending(\.score)])
    for await change in try store.results(best) {
      switch change {
      case .initial(let players), .reset(let players): show(players)
      case .difference(let change):
        update(change.deleted, change.inserted, change.moved, change.updated)
      }
    }
    let frozen = try store.fetch(best)
    // The notifications end.
    #expect(events == [#"["Ada", "Bo"]"#, "0 0 1 0"])
    #expect(frozen.map(\.name) == ["Bo", "Ada"])
  }
}
