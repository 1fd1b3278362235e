import Daybook
import DaybookTesting
import FoundationEssentials

// A log of a baby's feedings. The list shows the newest hundred feedings of one type. It keeps its
// limit when feedings are added or deleted. If a new row pushes the last row out of the list, the
// controller reports a deletion of the last row. If a row is deleted, the next older row enters the
// list, and the controller reports an insertion.

/// A feeding.
struct Food: Record {
  var id = 0
  var type = ""
  var createdAt = Date(timeIntervalSince1970: 0)

  static let schema = RecordSchema<Food>("Food")
    .attribute("type", at: \.type)
    .attribute("createdAt", at: \.createdAt)
}

/// The view controller of an app that shows the log.
final class FoodList {
  /// The table, with a screen of four rows.
  let tableView = TableView(height: 4)
  private let context: EditingContext
  private let stage: Stage
  private(set) lazy var fetchedResultsController: FetchedResultsController<Food> = {
    let fetchRequest = ListRequest<Food>(
      // Food with the type breastmilk,
      filter: \Food.type == "breastmilk",
      // newest first.
      sortedBy: [.descending(\Food.createdAt)],
      limit: 100, batchSize: 20)
    let controller = FetchedResultsController(fetchRequest: fetchRequest, context: context)
    controller.delegate = self
    return controller
  }()

  init(_ context: EditingContext, on stage: Stage) {
    self.context = context
    self.stage = stage
  }

  func viewDidLoad() throws {
    try fetchedResultsController.performFetch()
    tableView.dataSource = self
  }

  func delete(at indexPath: IndexPath) throws {
    let food = fetchedResultsController.object(at: indexPath)
    try context.delete(food)
    try context.saveAndWait()
  }
}

// MARK: - Table view data source

extension FoodList: TableViewDataSource {
  func numberOfSections(in tableView: TableView) -> Int {
    fetchedResultsController.sections?.count ?? 0
  }

  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int {
    fetchedResultsController.sections?[section].numberOfObjects ?? 0
  }

  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
    let cell = TableViewCell("")
    configureCell(cell, at: indexPath)
    return cell
  }

  func configureCell(_ cell: TableViewCell, at indexPath: IndexPath) {
    let food = fetchedResultsController.object(at: indexPath)
    cell.text = "\(food.createdAt.formatted(.iso8601)) \(food.type)"
  }
}

// MARK: - Fetched results controller delegate

extension FoodList: FetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ controller: FetchedResultsController<Food>) {
    stage.log("willChange")
    tableView.beginUpdates()
  }

  func controller(
    _ controller: FetchedResultsController<Food>,
    didChange section: FetchedResultsSectionInfo<Food>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    switch type {
    case .insert: tableView.insertSections([index])
    case .delete: tableView.deleteSections([index])
    default: break
    }
  }

  func controller(
    _ controller: FetchedResultsController<Food>, didChange food: Food, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    stage.log(
      type, of: food.createdAt.formatted(.iso8601), at: indexPath, newIndexPath: newIndexPath)
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, let newIndexPath?):
      tableView.insertRows(at: [newIndexPath])
    case (.delete, let indexPath?, _):
      tableView.deleteRows(at: [indexPath])
    case (.update, let indexPath?, let newIndexPath?):
      // The table still has the cell at the old path. The controller has the record at the new
      // path.
      if let cell = tableView.cellForRow(at: indexPath) {
        configureCell(cell, at: newIndexPath)
      }
    case (.move, let indexPath?, let newIndexPath?):
      tableView.deleteRows(at: [indexPath])
      tableView.insertRows(at: [newIndexPath])
    default: break
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Food>) {
    stage.log("didChange")
    do { try tableView.endUpdates() } catch { preconditionFailure("\(error)") }
  }
}

// MARK: - The story

extension Example {
  static let food = Example(
    "food", summary: "a food log that always shows the newest 100 rows"
  ) { stage in
    stage.heading("The newest hundred feedings of breastmilk")
    let store = try Store(
      at: stage.path("food.daybook"), records: Food.self, options: stage.options)
    let context = store.makeContext()
    // There is a feeding every three hours for 15 days. Every eighth feeding is formula, which the
    // list does not show.
    let noon = Date(timeIntervalSince1970: 1_445_947_200)  // 2015-10-27T12:00:00Z
    func hours(_ count: Int) -> Date { noon.addingTimeInterval(Double(count) * 3600) }
    for id in 1...120 {
      let type = id % 8 == 0 ? "formula" : "breastmilk"
      try context.insert(Food(id: id, type: type, createdAt: hours(3 * (id - 120))))
    }
    try context.saveAndWait()

    let list = FoodList(context, on: stage)
    try list.viewDidLoad()
    // Prints both ends of the list, as if the user scrolled to them.
    func show() {
      let count = list.tableView.numberOfRows(inSection: 0)
      list.tableView.scrollToRow(at: IndexPath(row: 0, section: 0))
      stage.say("\(count) rows, from:")
      stage.say("\(list.tableView)")
      list.tableView.scroll(by: count)
      stage.say("to:")
      stage.show(list.tableView)
    }
    show()

    stage.act("add a feeding: the oldest row is pushed out")
    try context.insert(Food(id: 121, type: "breastmilk", createdAt: hours(3)))
    try context.saveAndWait()

    stage.act("add a feeding of another type: the delegate is not notified")
    try context.insert(Food(id: 122, type: "formula", createdAt: hours(6)))
    try context.saveAndWait()

    stage.act("delete the third row: another row is pulled in")
    try list.delete(at: IndexPath(row: 2, section: 0))

    stage.act("correct the newest row to formula: it no longer matches the filter")
    try context.update(Food.self, id: 121) { $0.type = "formula" }
    try context.saveAndWait()

    stage.act("correct the feeding of nine to a day earlier: its row moves")
    try context.update(Food.self, id: 119) { $0.createdAt = hours(-24) }
    try context.saveAndWait()

    stage.act(
      "correct the feeding of three to a year earlier: its row is pushed out, another is pulled in")
    try context.update(Food.self, id: 117) { $0.createdAt = hours(-24 * 365) }
    try context.saveAndWait()
    show()

    stage.act("delete the six oldest rows of the list: only four rows are left to be pulled in")
    for food in list.fetchedResultsController.fetchedObjects?.suffix(6) ?? [] {
      try context.delete(food)
    }
    try context.saveAndWait()
    show()
    try store.closeAndWait()
  }
}
