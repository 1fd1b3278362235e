import Daybook
import DaybookTesting
import FoundationEssentials

// DemoArcade: a list of games whose table changes only in the delegate's methods. The user
// interface adds and deletes games in the context, and does not touch the table. The controller
// then notifies its delegate, as it does for changes of all other parts of the program.

/// A game.
struct Game: Record {
  var id = 0
  var name = ""

  static let schema = RecordSchema<Game>("Game")
    .attribute("name", at: \.name)
}

/// The part of the program that creates, renames and deletes games.
final class GameManager {
  private let context: EditingContext
  private var lastID = 0

  init(_ context: EditingContext) { self.context = context }

  func createGame(name: String) throws {
    lastID += 1
    try context.insert(Game(id: lastID, name: name))
    try context.saveAndWait()
  }

  func renameGame(_ name: String, to newName: String) throws {
    let request = ListRequest<Game>(
      filter: \Game.name == name, sortedBy: [.ascending(\Game.name)])
    for game in try context.fetch(request) {
      try context.update(Game.self, id: game.id) { $0.name = newName }
    }
    try context.saveAndWait()
  }

  func deleteGame(_ game: Game) throws {
    try context.delete(game)
    try context.saveAndWait()
  }
}

/// The view controller of an app that shows the games.
final class GameList {
  let tableView = TableView()
  let controller: FetchedResultsController<Game>
  private let manager: GameManager
  private let stage: Stage

  init(_ context: EditingContext, manager: GameManager, on stage: Stage) {
    controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(sortedBy: [.descending(\Game.name)], batchSize: 20),
      context: context)
    self.manager = manager
    self.stage = stage
  }

  func loadSavedData() throws {
    controller.delegate = self
    try controller.performFetch()
    tableView.dataSource = self
  }

  func addButtonPressed(_ name: String) throws {
    try manager.createGame(name: name)
  }

  func swipeToDelete(at indexPath: IndexPath) throws {
    try manager.deleteGame(controller.object(at: indexPath))
  }
}

extension GameList: TableViewDataSource {
  func numberOfSections(in tableView: TableView) -> Int { controller.sections?.count ?? 0 }

  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int {
    controller.sections?[section].numberOfObjects ?? 0
  }

  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
    TableViewCell(controller.object(at: indexPath).name)
  }
}

extension GameList: FetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ controller: FetchedResultsController<Game>) {
    stage.log("willChange")
    tableView.beginUpdates()
  }

  func controller(
    _ controller: FetchedResultsController<Game>,
    didChange section: FetchedResultsSectionInfo<Game>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    // A list without a section key always has exactly one section, so this method is never called.
  }

  func controller(
    _ controller: FetchedResultsController<Game>, didChange game: Game, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    stage.log(type, of: game.name, at: indexPath, newIndexPath: newIndexPath)
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, let newIndexPath?):
      tableView.insertRows(at: [newIndexPath])
    case (.delete, let indexPath?, _):
      tableView.deleteRows(at: [indexPath])
    case (.move, let indexPath?, let newIndexPath?):
      tableView.cellForRow(at: indexPath)?.text = game.name
      tableView.moveRow(at: indexPath, to: newIndexPath)
    case (.update, let indexPath?, _):
      tableView.reloadRows(at: [indexPath])
    default: break
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Game>) {
    stage.log("didChange")
    do { try tableView.endUpdates() } catch { preconditionFailure("\(error)") }
  }
}

extension Example {
  static let games = Example(
    "games",
    summary: "DemoArcade: a list that is updated only by its callbacks"
  ) { stage in
    stage.heading("Games by name, from Z to A")
    let store = try Store(
      at: stage.path("games.daybook"), records: Game.self, options: stage.options)
    let context = store.makeContext()
    let manager = GameManager(context)
    for name in ["Space Invaders", "Dragon Slayer", "Disks of Tron", "Moon Patrol", "Galaga"] {
      try manager.createGame(name: name)
    }
    let list = GameList(context, manager: manager, on: stage)
    try list.loadSavedData()
    stage.show(list.tableView)

    stage.act("add Asteroids")
    try list.addButtonPressed("Asteroids")
    stage.act("add Pac-Man")
    try list.addButtonPressed("Pac-Man")
    stage.show(list.tableView)

    stage.act("swipe to delete the fourth row")
    try list.swipeToDelete(at: IndexPath(row: 3, section: 0))
    stage.show(list.tableView)

    stage.act("another part of the program renames Disks of Tron to Discs of Tron")
    try manager.renameGame("Disks of Tron", to: "Discs of Tron")
    stage.act("it also renames Asteroids to Missile Command")
    try manager.renameGame("Asteroids", to: "Missile Command")
    stage.show(list.tableView)
    try store.closeAndWait()
  }
}
