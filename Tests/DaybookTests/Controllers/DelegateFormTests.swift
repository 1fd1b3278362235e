import Daybook
import FoundationEssentials
import Testing

/// The conformance of a delegate determines the form of its notifications.
@Suite struct `Forms of a delegate` {
  private typealias Games = FetchedResultsController<Game>

  /// The four methods of Core Data, with its signatures.
  private final class Classic: FetchedResultsControllerDelegate {
    var calls: [String] = []

    func controllerWillChangeContent(_ controller: Games) { calls.append("will") }

    func controller(
      _ controller: Games, didChange sectionInfo: FetchedResultsSectionInfo<Game>,
      atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
    ) { calls.append("section \(type)") }

    func controller(
      _ controller: Games, didChange anObject: Any, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) { calls.append("\(type) \((anObject as? Game)?.id ?? 0)") }

    func controllerDidChangeContent(_ controller: Games) { calls.append("did") }
  }

  private final class Empty: FetchedResultsControllerDelegate {
    func controllerDidChangeContent(_ controller: Games) {}
  }

  /// The two methods that Core Data calls with one value, beside the classic ones.
  private class Difference: FetchedResultsDifferenceDelegate {
    var calls: [String] = []

    func controllerWillChangeContent(_ controller: Games) { calls.append("will") }
    func controller(_ controller: Games, didChangeContentWith difference: ListDifference<Game>) {
      calls.append("\(difference)")
    }
    func controllerDidChangeContent(_ controller: Games) { calls.append("did") }
  }

  private final class Both: FetchedResultsDifferenceDelegate, FetchedResultsSnapshotDelegate {
    var calls: [String] = []

    func controller(_ controller: Games, didChangeContentWith difference: ListDifference<Game>) {
      calls.append("difference")
    }
    func controller(_ controller: Games, didChangeContentWith snapshot: ListSnapshot<Game>) {
      calls.append("\(snapshot)")
    }
  }

  /// Inserts a game, and returns the controller, which is shown by a delegate.
  private func change(
    for delegate: any FetchedResultsControllerDelegate<Game>
  ) throws -> FetchedResultsController<Game> {
    let context = try Store.inMemory(types: [Game.self, Club.self]).makeContext()
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(
        sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.level)),
      context: context)
    controller.delegate = delegate
    try controller.performFetch()
    try context.insert(Game(id: 7, name: "Go"))
    context.processPendingChanges()
    return controller
  }

  @Test func `a delegate with the four methods of Core Data receives four calls`() throws {
    let delegate = Classic()
    _ = try change(for: delegate)
    #expect(delegate.calls == ["will", "section insert", "insert 7", "did"])
  }

  @Test func `an empty controllerDidChangeContent switches tracking on`() throws {
    let delegate = Empty()
    let controller = try change(for: delegate)
    #expect(controller.fetchedObjects?.identifiers == [7])
    #expect(controller.sectionIndexTitles == [])
  }

  @Test func `a delegate that takes the difference receives only that`() throws {
    let delegate = Difference()
    _ = try change(for: delegate)
    #expect(delegate.calls == ["1 section inserted, 1 row inserted"])
  }

  @Test func `a delegate that takes the snapshot receives only that`() throws {
    let delegate = Both()
    _ = try change(for: delegate)
    #expect(delegate.calls == ["ListSnapshot<Game>: 1 row in 1 section"])
  }

  @Test func `a late delegate of a narrow list is notified at the next boundary`() throws {
    let context = try Store.inMemory(types: [Game.self, Club.self]).makeContext()
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(
        filter: \Game.level == "easy", sortedBy: [.ascending(\.name)]), context: context)
    try controller.performFetch()
    try context.insert(Game(id: 1, name: "Go", level: "easy"))
    context.processPendingChanges()
    let delegate = Difference()
    controller.delegate = delegate
    // The boundary changes no row of the list.
    try context.insert(Game(id: 2, name: "Chess", level: "hard"))
    context.processPendingChanges()
    #expect(delegate.calls == ["1 row inserted"])
    #expect(controller.fetchedObjects?.map(\.id) == [1])
    try context.insert(Game(id: 3, name: "Ludo", level: "easy"))
    context.processPendingChanges()
    #expect(delegate.calls == ["1 row inserted", "1 row inserted"])
  }
}
