import Daybook
import DaybookTesting
import FoundationEssentials

// A list of chores that the user sorts by dragging rows. The sections are the rooms, and an
// attribute `index` determines the order in a room. When the user drags a row, the table moves the
// row immediately. Therefore the delegate ignores the calls about rows for this change, but not the
// calls about sections.

/// A task in a room.
struct Chore: Record {
  var id = 0
  var name = ""
  var room = ""
  /// The sort key of the chore in its room. When the user drags a chore, it gets an index between
  /// the indexes of its new neighbors. The indexes of all other chores do not change.
  var index = 0.0

  static let schema = RecordSchema<Chore>("Chore")
    .attribute("name", at: \.name)
    .attribute("room", at: \.room)
    .attribute("index", at: \.index)
}

/// The view controller of an app that shows the chores.
final class ChoreList {
  let tableView = TableView()
  let controller: FetchedResultsController<Chore>
  /// A Boolean value that indicates whether the delegate ignores calls about rows that the user has
  /// dragged. The example sets it to false to show the effect of a common mistake.
  var marksUserChanges = true
  private var changeIsUserDriven = false
  private let stage: Stage

  init(_ context: EditingContext, on stage: Stage) {
    controller = FetchedResultsController(
      fetchRequest: ListRequest<Chore>(
        sortedBy: [.ascending(\Chore.index)], sectionedBy: .by(\Chore.room)),
      context: context)
    // A table view cannot move a row out of a deleted section, or into an inserted section. With
    // this setting, the controller reports such a move as a deletion and an insertion.
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

  /// Updates the room and the index of a chore after the user has dragged its row.
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
      // The delegate is notified during this call, so `changeIsUserDriven` is still set.
      try controller.context.saveAndWait()
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

// MARK: - Fetched results controller delegate

extension ChoreList: FetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ controller: FetchedResultsController<Chore>) {
    stage.log("willChange")
    tableView.beginUpdates()
  }

  func controller(
    _ controller: FetchedResultsController<Chore>,
    didChange section: FetchedResultsSectionInfo<Chore>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    stage.log("section \(type) \(index) \(section.name)")
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
    stage.log(type, of: chore.name, at: indexPath, newIndexPath: newIndexPath)
    // The table has already moved a row that the user has dragged.
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
    stage.log("didChange")
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
    "reorder", summary: "every delegate method, and a user who drags rows"
  ) { stage in
    stage.heading("Chores by room, in an order chosen by the user")
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
    stage.say(
      "Index titles, chosen by the delegate: \(list.tableView.indexTitles.joined(separator: " "))")

    stage.act("the program inserts, deletes, moves and updates chores, and saves once")
    try context.insert(Chore(id: 7, name: "Feed the cat", room: "Kitchen", index: 3))
    // This chore is "Water the beans".
    try context.delete(Chore.self, id: 2)
    // "Rake the leaves" moves to the start of its room.
    try context.update(Chore.self, id: 3) { $0.index = 0 }
    // "Wash up" gets a new name.
    try context.update(Chore.self, id: 4) { $0.name = "Wash the pans" }
    // "Fix the lamp" moves from a section that is then deleted to a section that is inserted.
    try context.update(Chore.self, id: 6) { $0.room = "Attic" }
    try context.saveAndWait()
    stage.show(list.tableView)

    stage.act("the user drags Feed the cat to the top of the kitchen")
    list.tableView.dragRow(at: IndexPath(row: 2, section: 2), to: IndexPath(row: 0, section: 2))
    stage.say("The table already showed this, so the list ignored the row's callback:")
    stage.show(list.tableView)

    stage.act("the user drags Fix the lamp to the garden; the attic is then empty")
    list.tableView.dragRow(at: IndexPath(row: 0, section: 0), to: IndexPath(row: 1, section: 1))
    stage.say("The list ignored the row's callback, but not the section's:")
    stage.show(list.tableView)

    stage.act(
      "the user drags Rake the leaves to the end; the list does not mark this as a user change")
    list.marksUserChanges = false
    list.tableView.dragRow(at: IndexPath(row: 0, section: 0), to: IndexPath(row: 2, section: 0))
    stage.say("The list moved the row a second time, so the table is wrong:")
    stage.show(list.tableView)

    stage.act("reload the table")
    list.tableView.reloadData()
    stage.show(list.tableView)

    stage.act("the kitchen becomes a cellar; section callbacks come before row callbacks")
    list.controller.callbackOrder = .documented
    for id in [4, 5, 7] {
      try context.update(Chore.self, id: id) { $0.room = "Cellar" }
    }
    try context.saveAndWait()
    stage.show(list.tableView)
    try store.closeAndWait()
  }
}
