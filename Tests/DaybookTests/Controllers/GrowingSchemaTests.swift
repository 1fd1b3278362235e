import Daybook
import DaybookTesting
import FoundationEssentials
import Testing

/// A list goes on where another program writes with a newer schema.
@Suite struct `Lists over a schema that grows` {
  /// A game as a later program has it.
  private struct LaterGame: Record {
    var id = 0
    var players: Int?
    var name = ""
    var club: Reference<Club>?
    var level: String?
    var score = 0

    static let schema = RecordSchema<LaterGame>("Game")
      .attribute("players", at: \.players)
      .attribute("name", at: \.name)
      .reference("club", at: \.club)
      .attribute("level", at: \.level)
      .attribute("score", at: \.score)
  }

  @Test func `a list shows rows of a newer schema`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "games.daybook").path
    let writer = try Store(at: path, records: Game.self, Club.self)
    try await writer.write { try $0.insert(Game(id: 1, name: "Go", score: 3)) }
    var options = JournalOptions()
    options.worksInBackground = false
    let reader = try Store(following: path, records: Game.self, Club.self, options: options)
    let request = ListRequest<Game>(filter: \Game.score > 1, sortedBy: [.ascending(\Game.name)])
    var updates = try reader.results(request).makeAsyncIterator()
    guard case .initial(let objects)? = await updates.next() else {
      Issue.record("no beginning")
      return
    }
    #expect(objects.map(\.name) == ["Go"])
    let context = reader.makeContext()
    let controller = FetchedResultsController(fetchRequest: request, context: context)
    try controller.performFetch()
    let table = TableFollower(controller)
    controller.delegate = table
    try await writer.close()

    let later = try Store(at: path, records: LaterGame.self, Club.self)
    try await later.write { context in
      var chess = LaterGame()
      (chess.id, chess.name, chess.score, chess.players) = (2, "Chess", 2, 2)
      try context.insert(chess)
      try context.update(LaterGame.self, id: 1) { $0.players = 2 }
    }
    try reader.catchUp()
    guard case .difference(let difference)? = await updates.next() else {
      Issue.record("no difference")
      return
    }
    #expect(difference.after.map(\.name) == ["Chess", "Go"])
    #expect(difference.inserted.map(\.id) == [2])
    // The record has changed, also in an attribute that this program does not name.
    #expect(difference.updated.map(\.id) == [1])
    try context.mergeChanges()
    #expect(
      table.takeLines() == [
        "will change", "insert [0, 0] 2 Chess - 2", "update [0, 0] [0, 1] 1 Go - 3", "did change",
      ])
    #expect(table.table.sections == shown(controller))
    // And from there on as ever.
    try await later.write { try $0.update(LaterGame.self, id: 2) { $0.name = "Zen chess" } }
    try reader.catchUp()
    try context.mergeChanges()
    #expect(
      table.takeLines() == ["will change", "move [0, 0] [0, 1] 2 Zen chess - 2", "did change"])
    try await later.close()
    try await reader.close()
  }

  /// A game under another name, as a later program has it.
  private struct Match: Record {
    var id = 0
    var name = ""
    var club: Reference<Team>?
    static let schema = RecordSchema<Match>("Match", renamedFrom: "Game")
      .attribute("name", at: \.name).reference("club", at: \.club)
  }

  private struct Team: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Team>("Team", renamedFrom: "Club")
      .attribute("name", at: \.name)
  }

  @Test func `a list goes on where another program renames its entity`() throws {
    let disk = SimulatedDisk()
    let options = JournalOptions.simulated(on: disk)
    let writer = try Store.simulated(records: Game.self, Club.self, at: "games", on: disk)
    var context = writer.makeContext()
    try context.insert(Club(id: 1, name: "Knights"))
    try context.insert(Game(id: 1, name: "Go", club: Reference(1)))
    try context.saveAndWait()
    try writer.closeAndWait()
    let reader = try Store(following: "games", options: options, mode: .manual)
    let request = ListRequest(
      entity: "Game", sortedBy: [.ascending(named: "club.name"), .ascending(named: "name")])
    let list = try FollowingList(request, at: reader.snapshot)

    let later = try Store.simulated(records: Match.self, Team.self, at: "games", on: disk)
    context = later.makeContext()
    try context.insert(Match(id: 2, name: "Chess", club: Reference(1)))
    try context.saveAndWait()
    #expect(try reader.catchUp())
    let update = try #require(try list.move(to: reader.snapshot))
    #expect(update.objects.map(\.id) == [.int(2), .int(1)])
    #expect(update.objects.map(\.entity) == ["Match", "Match"])
    // The rows of before the rename still follow the records that they refer to.
    try context.insert(Team(id: 2, name: "Aces"))
    try context.update(Match.self, id: 1) { $0.club = Reference(2) }
    try context.saveAndWait()
    #expect(try reader.catchUp())
    #expect(try list.move(to: reader.snapshot)?.objects.map(\.id) == [.int(1), .int(2)])
    try context.update(Team.self, id: 2) { $0.name = "Zebras" }
    try context.saveAndWait()
    #expect(try reader.catchUp())
    #expect(try list.move(to: reader.snapshot)?.objects.map(\.id) == [.int(2), .int(1)])
  }
}
