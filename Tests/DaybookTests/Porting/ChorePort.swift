import Daybook
import DaybookTesting
import FoundationEssentials
import Testing

// A list that its user puts in order, as the page on porting has it.

private struct Chore: Record {
  var id = 0
  var name = ""
  var index = 0.0

  static let schema = RecordSchema<Chore>("Chore")
    .attribute("name", at: \.name)
    .attribute("index", at: \.index)
}

@MainActor private final class ChoreList {
  let tableView = TableView()
  let controller: FetchedResultsController<Chore>
  private var changeIsUserDriven = false

  init(_ context: EditingContext) throws {
    controller = FetchedResultsController(
      fetchRequest: ListRequest<Chore>(sortedBy: [.ascending(\Chore.index)]), context: context)
    controller.delegate = self
    try controller.performFetch()
    tableView.dataSource = self
  }

  /// Returns a number between those of the chores above and below.
  private func index(of chore: Chore, at row: Int) -> Double {
    let others = controller.fetchedObjects?.filter { $0.id != chore.id }.map(\.index) ?? []
    let (above, below) = (others.prefix(row).last, others.dropFirst(row).first)
    return ((above ?? (below ?? 0) - 2) + (below ?? (above ?? 0) + 2)) / 2
  }

  // The dragging begins.
  func tableView(_ tableView: TableView, moveRowAt source: IndexPath, to destination: IndexPath) {
    let chore = controller.object(at: source)
    changeIsUserDriven = true
    defer { changeIsUserDriven = false }
    do {
      try controller.context.perform {  // ends with a boundary
        try controller.context.update(Chore.self, id: chore.id) {
          $0.index = index(of: chore, at: destination.row)
        }
      }
    } catch { tableView.reloadData() }
  }
  // The dragging ends.
}

extension ChoreList: @MainActor TableViewDataSource {
  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int {
    controller.sections?[section].numberOfObjects ?? 0
  }

  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
    TableViewCell(controller.object(at: indexPath).name)
  }
}

extension ChoreList: @MainActor FetchedResultsDifferenceDelegate {
  // The bypass begins.
  func controller(
    _ controller: FetchedResultsController<Chore>,
    didChangeContentWith difference: ListDifference<Chore>
  ) {
    guard !changeIsUserDriven else { return }
    show(difference)
  }
  // The bypass ends.

  private func show(_ difference: ListDifference<Chore>) {
    do {
      try tableView.update {
        tableView.deleteRows(at: difference.deleted.map(\.indexPath))
        tableView.insertRows(at: difference.inserted.map(\.indexPath))
        for row in difference.moved { tableView.moveRow(at: row.indexPath, to: row.newIndexPath) }
      }
    } catch { preconditionFailure("\(error)") }
  }
}

@MainActor @Suite struct `Chores, as the page on porting has them` {
  @Test func `dragged rows stay where the user dropped them`() throws {
    let store = try Store.inMemory(records: Chore.self)
    let context = store.viewContext
    for (id, name) in ["Mow", "Rake", "Water"].enumerated() {
      try context.insert(Chore(id: id, name: name, index: Double(id)))
    }
    let list = try ChoreList(context)
    func shown() -> [String] { list.tableView.sections.flatMap(\.rows) }
    func found() throws -> [String] { try #require(list.controller.fetchedObjects).map(\.name) }

    list.tableView.dragRow(at: IndexPath(row: 2, section: 0), to: IndexPath(row: 0, section: 0))
    #expect(shown() == ["Water", "Mow", "Rake"])
    #expect(try found() == shown())
    list.tableView.dragRow(at: IndexPath(row: 1, section: 0), to: IndexPath(row: 2, section: 0))
    #expect(shown() == ["Water", "Rake", "Mow"])
    #expect(try found() == shown())

    try context.update(Chore.self, id: 2) { $0.index = 9 }
    try context.insert(Chore(id: 3, name: "Weed", index: -9))
    context.processPendingChanges()
    #expect(shown() == ["Weed", "Rake", "Mow", "Water"])
    #expect(try found() == shown())
    try store.closeAndWait()
  }
}
