import Daybook
import DaybookTesting
import FoundationEssentials

// A list that its user puts in order: chores by room, and in a room by an index that is an attribute of
// theirs. When the user drags a row the table shows that already, so the list bypasses what its
// controller tells it of that change.

/// Something to be done in a room.
struct Chore: Record {
  var id = 0
  var name = ""
  var room = ""
  /// Its place among the chores of the room. A chore that is dragged gets one between those of its new
  /// neighbours, and all others keep theirs.
  var index = 0.0

  static let schema = RecordSchema<Chore>("Chore")
    .attribute("name", at: \.name)
    .attribute("room", at: \.room)
    .attribute("index", at: \.index)
}

/// What the view controller is in an app.
final class ChoreList {
  let tableView = TableView()
  let controller: FetchedResultsController<Chore>
  /// Whether what the user has done is kept apart from what the program does; a list that is written in
  /// haste forgets that.
  var marksUserChanges = true
  private var changeIsUserDriven = false
  private let stage: Stage

  init(_ context: EditingContext, on stage: Stage) {
    controller = FetchedResultsController(
      fetchRequest: FetchRequest<Chore>(
        sortedBy: [.ascending(\Chore.index)], sectionedBy: .by(\Chore.room)),
      context: context)
    // Tables refuse to move a row out of a section that goes, or into one that comes.
    controller.isBatchSafe = true
    self.stage = stage
  }

  func viewDidLoad() throws {
    controller.delegate = self
    try controller.performFetch()
    tableView.dataSource = self
  }
}

// MARK: - Table view data source

extension ChoreList: TableViewDataSource {
  func numberOfSections(in tableView: TableView) -> Int { controller.sections?.count ?? 0 }

  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int {
    controller.sections?[section].numberOfObjects ?? 0
  }

  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
    TableViewCell(controller.object(at: indexPath).name)
  }

  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) -> String? {
    controller.sections?[section].name
  }

  func sectionIndexTitles(for tableView: TableView) -> [String]? { controller.sectionIndexTitles }

  /// The user has dragged a row: its room and its index follow.
  func tableView(
    _ tableView: TableView, moveRowAt sourceIndexPath: IndexPath,
    to destinationIndexPath: IndexPath
  ) {
    guard let section = controller.sections?[destinationIndexPath.section] else { return }
    let chore = controller.object(at: sourceIndexPath)
    let others = section.objects.filter { $0.id != chore.id }.map(\.index)
    let above = others.prefix(destinationIndexPath.row).last
    let below = others.dropFirst(destinationIndexPath.row).first
    let index =
      switch (above, below) {
      case (let above?, let below?): (above + below) / 2
      case (let above?, nil): above + 1
      case (nil, let below?): below - 1
      case (nil, nil): 0.0
      }

    changeIsUserDriven = marksUserChanges
    defer { changeIsUserDriven = false }
    do {
      try controller.context.update(Chore.self, id: chore.id) {
        $0.room = section.name
        $0.index = index
      }
      // The controller tells of it in here.
      try controller.context.saveAndWait()
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

// MARK: - Fetched results controller delegate

extension ChoreList: FetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ controller: FetchedResultsController<Chore>) {
    stage.hear("willChange")
    tableView.beginUpdates()
  }

  func controller(
    _ controller: FetchedResultsController<Chore>,
    didChange section: FetchedResultsSectionInfo<Chore>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    stage.hear("section \(type) \(index) \(section.name)")
    switch type {
    case .insert: tableView.insertSections([index])
    case .delete: tableView.deleteSections([index])
    default: break
    }
  }

  func controller(
    _ controller: FetchedResultsController<Chore>, didChange chore: Chore,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    stage.hear(type, of: chore.name, at: indexPath, newIndexPath: newIndexPath)
    // What the user has done is on the screen already.
    guard !changeIsUserDriven else { return }

    switch (type, indexPath, newIndexPath) {
    case (.insert, _, let newIndexPath?):
      tableView.insertRows(at: [newIndexPath])
    case (.delete, let indexPath?, _):
      tableView.deleteRows(at: [indexPath])
    case (.update, let indexPath?, _):
      tableView.cellForRow(at: indexPath)?.text = chore.name
    case (.move, let indexPath?, let newIndexPath?):
      tableView.cellForRow(at: indexPath)?.text = chore.name
      tableView.moveRow(at: indexPath, to: newIndexPath)
    default: break
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Chore>) {
    stage.hear("didChange")
    do { try tableView.endUpdates() } catch { preconditionFailure("\(error)") }
  }

  func controller(
    _ controller: FetchedResultsController<Chore>, sectionIndexTitleForSectionName name: String
  ) -> String? {
    name.first.map { $0.lowercased() }
  }
}

// MARK: - The story

extension Example {
  static let reorder = Example(
    "reorder", summary: "every method of a delegate, and a user who drags rows to other places"
  ) { stage in
    stage.begin("Chores by room, in the order of their user")
    let store = try Store(
      at: stage.path("reorder.daybook"), records: Chore.self, options: stage.options)
    let context = store.makeContext()
    for (id, room, index, name) in [
      (1, "Garden", 1, "Mow the lawn"), (2, "Garden", 2, "Water the beans"),
      (3, "Garden", 3, "Rake the leaves"), (4, "Kitchen", 1, "Wash up"),
      (5, "Kitchen", 2, "Clean the oven"), (6, "Porch", 1, "Fix the lamp"),
    ] {
      try context.insert(Chore(id: id, name: name, room: room, index: Double(index)))
    }
    try context.saveAndWait()
    let list = ChoreList(context, on: stage)
    try list.viewDidLoad()
    stage.show(list.tableView)
    stage.say("Index, as the delegate has it: \(list.tableView.indexTitles.joined(separator: " "))")

    stage.act("the program changes all kinds of things, and saves once")
    try context.insert(Chore(id: 7, name: "Feed the cat", room: "Kitchen", index: 3))
    // Water the beans.
    try context.delete(Chore.self, id: 2)
    // Rake the leaves comes first in its room,
    try context.update(Chore.self, id: 3) { $0.index = 0 }
    // Wash up is called something else,
    try context.update(Chore.self, id: 4) { $0.name = "Wash the pans" }
    // and Fix the lamp leaves a section that goes for one that comes.
    try context.update(Chore.self, id: 6) { $0.room = "Attic" }
    try context.saveAndWait()
    stage.show(list.tableView)

    stage.act("the user drags Feed the cat to the top of the kitchen")
    list.tableView.dragRow(at: IndexPath(row: 2, section: 2), to: IndexPath(row: 0, section: 2))
    stage.say("The table showed that before it was told, so the row's change was bypassed:")
    stage.show(list.tableView)

    stage.act("the user drags Fix the lamp into the garden, and the attic has nothing left")
    list.tableView.dragRow(at: IndexPath(row: 0, section: 0), to: IndexPath(row: 1, section: 1))
    stage.say("Rows are bypassed, and sections are not:")
    stage.show(list.tableView)

    stage.act("the user drags Rake the leaves to the end, and the list forgets its flag")
    list.marksUserChanges = false
    list.tableView.dragRow(at: IndexPath(row: 0, section: 0), to: IndexPath(row: 2, section: 0))
    stage.say("It moves the row a second time, and shows what is not there:")
    stage.show(list.tableView)

    stage.act("reload the table")
    list.tableView.reloadData()
    stage.show(list.tableView)

    stage.act("the kitchen becomes a cellar, told with all sections before the rows")
    list.controller.callbackOrder = .documented
    for id in [4, 5, 7] {
      try context.update(Chore.self, id: id) { $0.room = "Cellar" }
    }
    try context.saveAndWait()
    stage.show(list.tableView)
    try store.closeAndWait()
  }
}
