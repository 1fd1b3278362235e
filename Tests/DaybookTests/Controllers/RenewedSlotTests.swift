import Daybook
import Testing

/// A save can assign another slot to a record than it had while it was unsaved. Lists must not show
/// this.
@Suite struct `A difference after a save that nobody could see` {
  private final class Observer<ID: NumberedIdentifier>: FetchedResultsDifferenceDelegate {
    var differences: [ListDifference<Identified<ID>>] = []

    func controller(
      _ controller: FetchedResultsController<Identified<ID>>,
      didChangeContentWith difference: ListDifference<Identified<ID>>
    ) {
      differences.append(difference)
    }
  }

  private func checkDeletion<ID: NumberedIdentifier>(of type: ID.Type) throws {
    let (first, second) = (ID.number(0), ID.number(1))
    let store = try Store.inMemory(types: [Identified<ID>.self])
    let context = store.makeContext()
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Identified<ID>>(sortedBy: [.ascending(named: "rank")]),
      context: context)
    try controller.performFetch()
    let observer = Observer<ID>()
    controller.delegate = observer
    for id in [first, second] {
      try context.insert(Identified(id: id))
      context.processPendingChanges()
    }
    try context.delete(Identified<ID>.self, id: first)
    context.processPendingChanges()
    // The second record has the first slot of the saved state.
    try context.saveAndWait()
    observer.differences = []
    try context.delete(Identified<ID>.self, id: second)
    context.processPendingChanges()
    let difference = try #require(observer.differences.last)
    #expect(observer.differences.count == 1)
    #expect(difference.deleted.map(\.id) == [second])
    #expect(difference.inverse.inserted.map(\.id) == [second])
  }

  @Test func `a difference names the deleted record in any slot`() throws {
    try checkDeletion(of: Int.self)
    try checkDeletion(of: String.self)
  }
}
