import Daybook
import DaybookTesting
import FoundationEssentials
import Testing

/// Three ways to follow a controller, each by its notifications alone.

/// A table view, updated row by row.
final class TableFollower: FetchedResultsControllerDelegate {
  let table: TableView
  private(set) var lines: [String] = []
  private(set) var error: TableViewError?

  init(_ controller: FetchedResultsController<Game>) {
    table = TableView { [unowned controller] in shown(controller) }
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController<Game>) {
    lines.append("will change")
    table.beginUpdates()
  }

  func controller(
    _ controller: FetchedResultsController<Game>,
    didChange section: FetchedResultsSectionInfo<Game>,
    atSectionIndex index: Int, for type: FetchedResultsChangeType
  ) {
    lines.append("section \(type) \(index) \(section.name) (\(section.numberOfObjects))")
    if type == .insert { table.insertSections([index]) } else { table.deleteSections([index]) }
  }

  func controller(
    _ controller: FetchedResultsController<Game>, didChange object: Game, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    func text(_ path: IndexPath?) -> String { path.map { " [\($0.section), \($0.row)]" } ?? "" }
    lines.append("\(type)\(text(indexPath))\(text(newIndexPath)) \(object.text)")
    switch (type, indexPath, newIndexPath) {
    case (.insert, nil, let new?): table.insertRows(at: [new])
    case (.delete, let old?, nil): table.deleteRows(at: [old])
    case (.move, let old?, let new?):
      table.cellForRow(at: old)?.text = object.text
      table.moveRow(at: old, to: new)
    case (.update, let old?, _?): table.cellForRow(at: old)?.text = object.text
    default: Issue.record("\(type) from \(text(indexPath)) to \(text(newIndexPath))")
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Game>) {
    lines.append("did change")
    do { try table.endUpdates() } catch { self.error = error }
  }

  /// Returns the lines since the last call.
  func takeLines() -> [String] {
    defer { lines = [] }
    return lines
  }
}

/// Identifiers and the flattened list, updated by collection differences alone.
final class DifferenceFollower: FetchedResultsDifferenceDelegate {
  private(set) var screen: CollectionScreen
  private(set) var count = 0
  private(set) var last: ListDifference<Game>?

  init(_ controller: FetchedResultsController<Game>) {
    screen = CollectionScreen()
    if let objects = controller.fetchedObjects { screen.show(objects) }
  }

  var ids: [Int] { screen.ids }

  func controller(
    _ controller: FetchedResultsController<Game>,
    didChangeContentWith difference: ListDifference<Game>
  ) {
    count += 1
    last = difference
    for change in difference.moved + difference.updated { hold(change, difference) }
    screen.apply(difference)
  }
}

/// The contents of a view that receives collection differences only.
struct CollectionScreen {
  private(set) var ids: [Int] = []
  private(set) var elements: [ListElement<Int>] = []
  /// The texts of the rows. Only rows that were inserted or changed are read again.
  private(set) var texts: [Int: String] = [:]

  mutating func show(_ objects: FetchedObjects<Game>) {
    (ids, elements) = (objects.identifiers, objects.elements)
    texts = Dictionary(uniqueKeysWithValues: objects.map { ($0.id, $0.text) })
  }

  mutating func apply(_ difference: ListDifference<Game>) {
    let (flat, flattened) = (difference.identifierDifference, difference.elementDifference)
    #expect(flat == flat.inferringMoves() && flattened == flattened.inferringMoves())
    guard let ids = ids.applying(flat), let elements = elements.applying(flattened) else {
      Issue.record("a difference of another list: \(difference)")
      return
    }
    (self.ids, self.elements) = (ids, elements)
    let records = Dictionary(uniqueKeysWithValues: difference.after.map { ($0.id, $0) })
    for id in difference.changedIdentifiers { texts[id] = records[id]?.text }
    for case .insert(_, let id, nil) in flat { texts[id] = records[id]?.text }
    for case .remove(_, let id, nil) in flat { texts[id] = nil }
  }

  /// Compares everything that is shown with a list.
  func hold(_ objects: FetchedObjects<Game>, what: String) {
    #expect(ids == objects.identifiers, "identifiers, \(what)")
    #expect(elements == objects.elements, "elements, \(what)")
    #expect(
      texts == Dictionary(uniqueKeysWithValues: objects.map { ($0.id, $0.text) }),
      "content, \(what)")
  }
}

extension DifferenceFollower {
  /// Checks that a reported change of a remaining row equals the change of its record.
  private func hold(_ change: ListDifference<Game>.Change, _ difference: ListDifference<Game>) {
    let (old, new) = (difference.oldObject(of: change), difference.newObject(of: change))
    #expect(old.id == change.id && new.id == change.id)
    let changed = [
      ("name", old.name != new.name), ("club", old.club != new.club),
      ("level", old.level != new.level), ("score", old.score != new.score),
    ].filter(\.1).map(\.0)
    let keys = difference.changedKeys(of: change)
    #expect(keys.filter { !$0.hasPrefix("club.") } == changed)
    #expect(keys.isEmpty == !change.isContentChanged)
  }
}

/// Cells by identifiers. Only new and changed cells are made.
final class SnapshotFollower: FetchedResultsSnapshotDelegate {
  private(set) var sections: [TableView.Section] = []
  private var cells: [Int: String] = [:]
  private(set) var count = 0
  private(set) var last: ListSnapshot<Game>?

  init(_ controller: FetchedResultsController<Game>) {
    if let snapshot = controller.snapshot { show(snapshot) }
  }

  func controller(
    _ controller: FetchedResultsController<Game>, didChangeContentWith snapshot: ListSnapshot<Game>
  ) {
    count += 1
    last = snapshot
    show(snapshot)
  }

  private func show(_ snapshot: ListSnapshot<Game>) {
    for id in snapshot.changedIdentifiers { cells[id] = nil }
    let objects = Dictionary(uniqueKeysWithValues: snapshot.objects.map { ($0.id, $0) })
    #expect(Set(snapshot.sectionIdentifiers).count == snapshot.numberOfSections)
    sections = (0..<snapshot.numberOfSections).map { section in
      TableView.Section(
        title: snapshot.name(ofSection: section),
        rows: snapshot.itemIdentifiers(inSection: section).map { id in
          let text = cells[id] ?? objects[id]?.text ?? "no such row"
          cells[id] = text
          return text
        })
    }
    cells = cells.filter { objects[$0.key] != nil }
  }
}

/// Sections as a table view shows them.
func shown(_ sections: FetchedSections<Game>) -> [TableView.Section] {
  sections.map { TableView.Section(title: $0.name, rows: $0.objects.map(\.text)) }
}

/// Returns the rows of a controller as a table view's data source reads them.
func shown(_ controller: FetchedResultsController<Game>) -> [TableView.Section] {
  (controller.sections.map { Array($0) } ?? []).enumerated().map { index, section in
    TableView.Section(
      title: section.name,
      rows: (0..<section.numberOfObjects).map { row in
        controller.object(at: IndexPath(row: row, section: index)).text
      })
  }
}
