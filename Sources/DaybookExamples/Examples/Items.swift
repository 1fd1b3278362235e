import Daybook
import DaybookTesting
import FoundationEssentials

// Items by name, similar to the list in the documentation of `NSFetchedResultsController`. The
// example shows the three modes of a controller: without tracking, with a delegate, and with a
// cache. The example also shows the section index, and the boundaries that make changes visible.

/// An item.
struct Item: Record {
  var id = 0
  var name = ""

  static let schema = RecordSchema<Item>("Item")
    .attribute("name", at: \.name)
}

/// The view controller of an app that shows the items.
final class ItemList {
  let tableView: TableView
  let fetchedResultsController: FetchedResultsController<Item>
  private let stage: Stage

  /// - Parameters:
  ///   - context: The context of the controller.
  ///   - height: The number of rows that fit on the screen; nil if all rows fit.
  ///   - cacheName: The name of the cache with the order and the sections; nil for no cache.
  ///   - stage: The stage to print on.
  init(
    _ context: EditingContext, height: Int? = nil, cacheName: String? = nil, on stage: Stage
  ) {
    tableView = TableView(height: height)
    self.stage = stage
    // Create a fetch request and sort key for the records to display in the table view, and
    // initialize the fetched results controller with the fetch request, context and cache name.
    fetchedResultsController = FetchedResultsController(
      fetchRequest: ListRequest<Item>(
        sortedBy: [.ascending(\Item.name)], sectionedBy: .by(\Item.name, each: .letter)),
      context: context, cacheName: cacheName)
  }

  /// Performs a fetch and shows the result in the table.
  func viewDidLoad() throws {
    try fetchedResultsController.performFetch()
    tableView.dataSource = self
  }
}

// MARK: - Table view data source

extension ItemList: TableViewDataSource {
  // Get the number of sections in the table view from the fetched results controller.
  func numberOfSections(in tableView: TableView) -> Int {
    fetchedResultsController.sections?.count ?? 0
  }

  // Get the number of rows in each section of the table view from the fetched results controller.
  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int {
    guard let sectionInfo = fetchedResultsController.sections?[section] else { return 0 }
    return sectionInfo.numberOfObjects
  }

  // Get table view cells for index paths from the fetched results controller.
  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
    TableViewCell(fetchedResultsController.object(at: indexPath).name)
  }

  // Get the title of the header for the specified table view section from the fetched results
  // controller.
  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) -> String? {
    fetchedResultsController.sections?[section].name
  }

  // Get the section index titles from the fetched results controller.
  func sectionIndexTitles(for tableView: TableView) -> [String]? {
    fetchedResultsController.sectionIndexTitles
  }

  // Get the section for the specified index title from the fetched results controller.
  func tableView(
    _ tableView: TableView, sectionForSectionIndexTitle title: String, at index: Int
  ) -> Int {
    fetchedResultsController.section(forSectionIndexTitle: title, at: index)
  }
}

// MARK: - Fetched results controller delegate

extension ItemList: FetchedResultsControllerDelegate {
  func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) {
    stage.log("willChange")
    tableView.beginUpdates()
  }

  func controller(
    _ controller: FetchedResultsController<Item>,
    didChange section: FetchedResultsSectionInfo<Item>, atSectionIndex index: Int,
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
    _ controller: FetchedResultsController<Item>, didChange item: Item, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    stage.log(type, of: item.name, at: indexPath, newIndexPath: newIndexPath)
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, let newIndexPath?):
      tableView.insertRows(at: [newIndexPath])
    case (.delete, let indexPath?, _):
      tableView.deleteRows(at: [indexPath])
    case (.update, let indexPath?, _):
      tableView.cellForRow(at: indexPath)?.text = item.name
    case (.move, let indexPath?, let newIndexPath?):
      // A table view cannot move a row out of a deleted section, or into an inserted section.
      // Therefore the delegate deletes and inserts the row.
      tableView.deleteRows(at: [indexPath])
      tableView.insertRows(at: [newIndexPath])
    default: break
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) {
    stage.log("didChange")
    do { try tableView.endUpdates() } catch { preconditionFailure("\(error)") }
  }
}

// MARK: - The story

extension Example {
  static let items = Example(
    "items", summary: "items by name: sections, an index, three tracking modes"
  ) { stage in
    stage.heading("Items by name, in sections by first letter")
    let store = try Store(
      at: stage.path("items.daybook"), records: Item.self, options: stage.options)
    let context = store.makeContext()
    for (id, name) in [
      "Apple", "Banana", "Blackberry", "Blueberry", "Cherry", "Grape", "Grapefruit", "Lemon",
      "Lime", "Mango",
    ].enumerated() {
      try context.insert(Item(id: id + 1, name: name))
    }
    try context.saveAndWait()
    try showIndex(in: context, on: stage)
    try showNoTracking(in: context, on: stage)
    try showTracking(in: context, on: stage)
    try store.closeAndWait()
    try showPersistentTracking(stage)
  }

  /// Shows the section index, and the sections to which its titles lead.
  private static func showIndex(in context: EditingContext, on stage: Stage) throws {
    let list = ItemList(context, height: 5, on: stage)
    try list.viewDidLoad()
    stage.say("Five rows fit on the screen. The index is shown beside them.")
    stage.show(list.tableView)
    stage.say("Index: \(list.tableView.indexTitles.joined(separator: " "))")

    stage.act("tap G in the index")
    if let section = list.tableView.scroll(toIndexTitle: "G") { stage.log("section \(section)") }
    stage.show(list.tableView)

    stage.act("find the section for H, which is not in the index")
    let nearest = list.fetchedResultsController.section(forSectionIndexTitle: "H", at: 4)
    stage.log("section \(nearest), the nearest before H")

    stage.act("show the index in lower case")
    list.fetchedResultsController.indexTitleOfSection = { $0.lowercased() }
    list.tableView.reloadData()
    stage.log("index: \(list.tableView.indexTitles.joined(separator: " "))")
  }

  /// Shows a controller without a delegate. Its list does not change after the fetch.
  private static func showNoTracking(in context: EditingContext, on stage: Stage) throws {
    stage.say("Without a delegate: no tracking.")
    let list = ItemList(context, on: stage)
    try list.viewDidLoad()

    stage.act("insert Avocado, and save")
    try context.insert(Item(id: 11, name: "Avocado"))
    try context.saveAndWait()
    stage.log("\(list.fetchedResultsController.fetchedObjects?.count ?? 0) items, as before")

    stage.act("perform a fetch")
    try list.fetchedResultsController.performFetch()
    list.tableView.reloadData()
    stage.log("\(list.fetchedResultsController.fetchedObjects?.count ?? 0) items")
  }

  /// Shows a controller with a delegate. Its list changes at each boundary of its context.
  private static func showTracking(in context: EditingContext, on stage: Stage) throws {
    stage.say("With a delegate: tracking in memory.")
    let list = ItemList(context, on: stage)
    let controller = list.fetchedResultsController
    controller.delegate = list
    try list.viewDidLoad()
    stage.show(list.tableView)

    stage.act("rename the first item to My Item, and get its index path")
    let item = controller.object(at: IndexPath(row: 0, section: 0))
    // Get the item's index path before changing it.
    let beforeIndexPath = controller.indexPath(forObject: item)
    // Change the item.
    try context.setValue(.string("My Item"), forKey: "name", of: "Item", id: .int(Int64(item.id)))
    // Get the item's index path after changing it.
    let afterIndexPath = controller.indexPath(forObject: item)
    if beforeIndexPath == afterIndexPath { stage.log("Same") }

    stage.act("process pending changes, and get the index path again")
    context.processPendingChanges()
    if let indexPath = controller.indexPath(forObject: item) { stage.log("\(indexPath)") }

    stage.act("insert Kiwi, delete Cherry, and process pending changes")
    try context.insert(Item(id: 12, name: "Kiwi"))
    try context.delete(Item.self, id: 5)
    context.processPendingChanges()

    stage.act("save: this moves no row")
    try context.saveAndWait()
    stage.show(list.tableView)

    stage.act("insert Quince, and process pending changes")
    try context.insert(Item(id: 13, name: "Quince"))
    context.processPendingChanges()

    stage.act("reset the context: Quince is discarded, and the delegate is not notified")
    try context.reset()
    stage.log("the last row is still \(list.tableView.sections.last?.rows.last ?? "missing")")

    stage.act("perform a fetch, and reload the table")
    try controller.performFetch()
    list.tableView.reloadData()
    stage.show(list.tableView)
  }

  /// Shows a controller with a cache name. The next launch reads the order and the sections from
  /// the cache.
  private static func showPersistentTracking(_ stage: Stage) throws {
    stage.say("With a delegate and a cache name: tracking, and cached order and sections.")

    stage.act("launch")
    try launch(on: stage) { _, context in
      stage.act("insert Nectarine, and save")
      try context.insert(Item(id: 14, name: "Nectarine"))
      try context.saveAndWait()
    }

    stage.act("quit, and launch again")
    try launch(on: stage) { list, context in
      stage.act("delete the cache, and perform a fetch")
      try context.store.deleteCache(withName: "items")
      try list.fetchedResultsController.performFetch()
      list.tableView.reloadData()
      logCacheOrigin(of: list, stage)
      stage.show(list.tableView)
    }
  }

  /// Simulates one launch of the app: opens the store, shows the list, calls a closure with the
  /// list and its context, and closes the store.
  private static func launch(
    on stage: Stage, use: (ItemList, EditingContext) throws -> Void
  ) throws {
    let store = try Store(
      at: stage.path("items.daybook"), records: Item.self, options: stage.options)
    let context = store.makeContext()
    let list = ItemList(context, cacheName: "items", on: stage)
    list.fetchedResultsController.delegate = list
    try list.viewDidLoad()
    logCacheOrigin(of: list, stage)
    try use(list, context)
    try store.closeAndWait()
  }

  private static func logCacheOrigin(of list: ItemList, _ stage: Stage) {
    guard let statistics = list.fetchedResultsController.cacheStatistics else { return }
    stage.log("cache: \(statistics.origin)")
  }
}
