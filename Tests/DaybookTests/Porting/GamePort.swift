import Daybook
import DaybookTesting
import FoundationEssentials
import Testing

// DemoArcade, as the page on porting has it.

private enum Arcade {
  struct Game: Record {
    var id = UUID()
    var name = ""

    static let schema = RecordSchema<Game>("Game")
      .attribute("name", at: \.name)
  }

  @MainActor final class GameList: @MainActor FetchedResultsSnapshotDelegate {
    let context: EditingContext
    let controller: FetchedResultsController<Game>
    private var cells: [UUID: String] = [:]
    private var order: [UUID] = []

    init(_ store: Store) throws {
      context = store.viewContext
      controller = FetchedResultsController(
        fetchRequest: ListRequest<Game>(sortedBy: [.descending(\Game.name)], batchSize: 20),
        context: context)
      controller.delegate = self
      try controller.performFetch()
    }

    // The game list begins.
    func addGame(name: String) async throws {
      try context.insert(Game(name: name))
      try await context.save()
    }

    func deleteGame(at indexPath: IndexPath) async throws {
      let game = controller.object(at: indexPath)
      try context.delete(game)
      try await context.save()
    }

    func controller(
      _ controller: FetchedResultsController<Game>,
      didChangeContentWith snapshot: ListSnapshot<Game>
    ) {
      show(snapshot.itemIdentifiers(inSection: 0), reconfiguring: snapshot.changedIdentifiers)
    }
    // The game list ends.

    /// Does the work of a diffable data source: it makes cells for new and for changed identifiers.
    private func show(_ ids: [UUID], reconfiguring changed: [UUID]) {
      for id in ids where cells[id] == nil || changed.contains(id) {
        cells[id] = controller.indexPath(forID: id).map { controller.object(at: $0).name }
      }
      order = ids
    }

    /// The texts on the screen.
    var shown: [String] { order.compactMap { cells[$0] } }
  }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct `Games, as the page on porting has them` {
  @Test func `games are added and deleted, and the list follows`() async throws {
    let store = try Store.inMemory(records: Arcade.Game.self)
    let list = try Arcade.GameList(store)
    for name in ["Galaga", "Moon Patrol", "Disks of Tron"] { try await list.addGame(name: name) }
    #expect(list.shown == ["Moon Patrol", "Galaga", "Disks of Tron"])

    try await list.deleteGame(at: IndexPath(row: 0, section: 0))
    #expect(list.shown == ["Galaga", "Disks of Tron"])

    let id = try #require(list.controller.fetchedObjects?.identifiers.last)
    try await store.write { context in
      try context.update(Arcade.Game.self, id: id) { $0.name = "Discs of Tron" }
    }
    // The view context merges when the main actor runs.
    while list.context.sequence < store.snapshot.sequence { await Task.yield() }
    #expect(list.shown == ["Galaga", "Discs of Tron"])
    try await store.close()
  }
}
