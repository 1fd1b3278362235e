import Daybook
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

// The list of the class's own page, as the page on porting has it.

// The item begins.
private struct Item: Record {
  var id = UUID()
  var name = ""

  static let schema = RecordSchema<Item>("Item")
    .attribute("name", at: \.name)
}
// The item ends.

@MainActor private final class ItemList {
  let tableView = TableView()
  let controller: FetchedResultsController<Item>

  // The creation begins.
  init(_ store: Store) {
    let request = ListRequest<Item>(
      sortedBy: [.ascending(\Item.name)], sectionedBy: .by(\Item.name, each: .letter))
    controller = FetchedResultsController(
      fetchRequest: request, context: store.viewContext, cacheName: "items")
    controller.isBatchSafe = true  // tables cannot move rows out of deleted sections
  }

  func viewDidLoad() throws {
    controller.delegate = self
    try controller.performFetch()
    tableView.dataSource = self
  }
  // The creation ends.
}

// The source begins.
extension ItemList: @MainActor TableViewDataSource {
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

  func tableView(
    _ tableView: TableView, sectionForSectionIndexTitle title: String, at index: Int
  ) -> Int {
    controller.section(forSectionIndexTitle: title, at: index)
  }
}
// The source ends.

// The delegate begins.
extension ItemList: @MainActor FetchedResultsControllerDelegate {
  typealias Items = FetchedResultsController<Item>

  func controllerWillChangeContent(_ controller: Items) { tableView.beginUpdates() }

  func controller(
    _ controller: Items, didChange section: FetchedResultsSectionInfo<Item>,
    atSectionIndex index: Int, for type: FetchedResultsChangeType
  ) {
    if type == .insert { tableView.insertSections([index]) }
    if type == .delete { tableView.deleteSections([index]) }
  }

  func controller(
    _ controller: Items, didChange item: Item, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    switch (type, indexPath, newIndexPath) {
    case (.insert, _, let new?): tableView.insertRows(at: [new])
    case (.delete, let old?, _): tableView.deleteRows(at: [old])
    case (_, let old?, let new?):
      tableView.cellForRow(at: old)?.text = item.name  // a moved row may have new content
      if type == .move { tableView.moveRow(at: old, to: new) }
    default: break
    }
  }

  func controllerDidChangeContent(_ controller: Items) {
    do { try tableView.endUpdates() } catch { preconditionFailure("\(error)") }
  }
}
// The delegate ends.

@MainActor @Suite struct `Items, as the page on porting has them` {
  /// Opens a new store on disk with some items, and shows them.
  private func with(_ names: [String], _ run: (ItemList, EditingContext) throws -> Void) throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("items.daybook")
      // The opening begins.
      let store = try Store(at: path, records: Item.self)
      // The opening ends.
      for name in names { try store.viewContext.insert(Item(name: name)) }
      try store.viewContext.saveAndWait()
      let list = ItemList(store)
      try list.viewDidLoad()
      try run(list, store.viewContext)
      try store.closeAndWait()
    }
  }

  @Test func `items are in sections with an index`() throws {
    try with(["Pear", "Apple", "Plum"]) { list, _ in
      #expect(
        "\(list.tableView)" == """
          [A]
            Apple
          [P]
            Pear
            Plum
          """)
      #expect(list.tableView.indexTitles == ["A", "P"])
      #expect(list.tableView.scroll(toIndexTitle: "P") == 1)
    }
  }

  @Test func `items keep their positions until a boundary`() throws {
    try with(["Apple", "Banana", "Pear"]) { list, context in
      var lines: [String] = []
      func print(_ line: String) { lines.append(line) }
      let controller = list.controller
      // The same begins.
      let path = IndexPath(row: 0, section: 0)
      let item = controller.object(at: path)
      try context.update(Item.self, id: item.id) { $0.name = "My Item" }
      if controller.indexPath(forObject: item) == path { print("Same") }

      context.processPendingChanges()
      print("\(item.name) is now at \(controller.indexPath(forObject: item) ?? [])")
      // The same ends.
      #expect(lines == ["Same", "Apple is now at [1, 0]"])
      #expect(list.tableView.sections.map(\.title) == ["B", "M", "P"])
    }
  }

  @Test func `a table follows items by callbacks alone`() throws {
    try with(["Apple", "Banana", "Blueberry", "Cherry"]) { list, context in
      let ids = try #require(list.controller.fetchedObjects?.identifiers)
      try context.insert(Item(name: "Damson"))
      // Out of a section that goes.
      try context.update(Item.self, id: ids[0]) { $0.name = "Bilberry" }
      // Within its section.
      try context.update(Item.self, id: ids[1]) { $0.name = "Buffaloberry" }
      // Where it is.
      try context.update(Item.self, id: ids[2]) { $0.name = "Blue berry" }
      try context.delete(Item.self, id: ids[3])
      context.processPendingChanges()
      #expect(
        "\(list.tableView)" == """
          [B]
            Bilberry
            Blue berry
            Buffaloberry
          [D]
            Damson
          """)
    }
  }
}
