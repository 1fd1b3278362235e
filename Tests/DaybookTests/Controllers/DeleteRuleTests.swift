import Daybook
import DaybookResults
import DaybookStore
import Testing

/// A list that reads references, after the referenced record is deleted under each delete rule.
@Suite struct `A list whose referenced record is deleted` {
  struct Owner: Record {
    var id = 0
    var name = ""
    var cascading: [Reference<Thing>] = []
    var denying: [Reference<Thing>] = []

    static let schema = RecordSchema<Owner>("Owner")
      .attribute("name", at: \.name)
      .owned("cascading", at: \.cascading)
      .owned("denying", at: \.denying, whenOwnerDeleted: .deny)
  }

  struct Thing: Record {
    var id = 0
    var owner: Reference<Owner>?
    var keeper: Reference<Owner>?

    static let schema = RecordSchema<Thing>("Thing")
      .reference("owner", at: \.owner, whenTargetDeleted: .nullify)
      .reference("keeper", at: \.keeper, whenTargetDeleted: .keep)
  }

  /// Things sorted by the names of their owners or keepers, and the differences of that list.
  private final class Story: FetchedResultsDifferenceDelegate {
    let context: EditingContext
    private let controller: FetchedResultsController<Thing>
    private var lines: [String] = []

    init(by reference: String, _ change: (inout Owner) -> Void = { _ in }) throws {
      let store = try Store.inMemory(types: [Thing.self, Owner.self])
      context = store.makeContext()
      for (id, name) in [(1, "Ann"), (2, "Bob")] {
        var owner = Owner(id: id, name: name)
        change(&owner)
        try context.insert(owner)
        try context.insert(Thing(id: id * 10, owner: Reference(id), keeper: Reference(id)))
      }
      try context.saveAndWait()
      controller = FetchedResultsController(
        fetchRequest: ListRequest<Thing>(
          sortedBy: [.ascending(named: "\(reference).name")],
          sectionedBy: .by(named: "\(reference).name")),
        context: context)
      try controller.performFetch()
      controller.delegate = self
    }

    func controller(
      _ controller: FetchedResultsController<Thing>,
      didChangeContentWith difference: ListDifference<Thing>
    ) {
      lines += difference.callbackLines().dropFirst().dropLast()
    }

    /// Deletes the first owner, and returns the differences.
    func delete() throws -> [String] {
      try context.delete(Owner.self, id: 1)
      context.processPendingChanges()
      return takeLines()
    }

    func takeLines() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  private let toNothing = [
    #"section insert 0 """#, "move [0, 0] -> [0, 0] 10", #"section delete 0 "Ann""#,
  ]
  private let andBack = [
    #"section insert 0 "Ann""#, "move [0, 0] -> [0, 0] 10", #"section delete 0 """#,
  ]

  @Test func `rows whose reference becomes nil stay without a section`() throws {
    let story = try Story(by: "owner")
    #expect(try story.delete() == toNothing)
    #expect(try story.context.object(Thing.self, id: 10)?.owner == nil)
    try story.context.saveAndWait()
    #expect(story.takeLines() == [])
  }

  @Test func `rows that a cascade deletes leave the list`() throws {
    let story = try Story(by: "owner") { $0.cascading = [Reference($0.id * 10)] }
    #expect(try story.delete() == ["delete [0, 0] 10", #"section delete 0 "Ann""#])
    try story.context.rollback()
    #expect(story.takeLines() == [#"section insert 0 "Ann""#, "insert [0, 0] 10"])
  }

  @Test func `a deletion that a save will refuse is visible until it is undone`() throws {
    let story = try Story(by: "owner") { $0.denying = [Reference($0.id * 10)] }
    #expect(try story.delete() == toNothing)
    #expect(throws: StoreError.self) { try story.context.saveAndWait() }
    try story.context.rollback()
    #expect(story.takeLines() == andBack)
  }

  @Test func `rows with a dangling reference have no section`() throws {
    let story = try Story(by: "keeper")
    // The other reference is made nil, so the row has other values as well.
    #expect(try story.delete() == toNothing)
    #expect(try story.context.object(Thing.self, id: 10)?.keeper == Reference(1))
    // One of the same identifier takes the place.
    try story.context.insert(Owner(id: 1, name: "Cid"))
    story.context.processPendingChanges()
    #expect(
      story.takeLines() == [
        #"section insert 1 "Cid""#, "move [0, 0] -> [1, 0] 10", #"section delete 0 """#,
      ])
  }
}
