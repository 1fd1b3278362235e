import Daybook
import FoundationEssentials
import Testing

/// The documented behavior of the class, case by case.
@Suite struct `A controller` {
  private let store: Store
  private let context: EditingContext

  init() throws {
    store = try Store.inMemory(types: [Game.self, Club.self])
    context = store.makeContext()
    for (id, name, level) in [(1, "Go", "easy"), (2, "Chess", "hard"), (3, "Ludo", "easy")] {
      try context.insert(Game(id: id, name: name, level: level))
    }
    try context.saveAndWait()
  }

  private func controller(
    _ sectioning: Sectioning? = .by(\Game.level)
  ) throws -> FetchedResultsController<Game> {
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(
        sortedBy: [.ascending(\Game.name)], sectionedBy: sectioning),
      context: context)
    try controller.performFetch()
    return controller
  }

  private func update(_ id: Int, _ change: (inout Game) -> Void) throws {
    try context.update(Game.self, id: id, with: change)
    context.processPendingChanges()
  }

  @Test func `a controller shows nothing before its first fetch`() {
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(sortedBy: [.ascending(\Game.name)]), context: context)
    #expect(controller.fetchedObjects == nil)
    #expect(controller.sections == nil)
    #expect(controller.snapshot == nil)
    #expect(controller.sectionIndexTitles == [])
    #expect(controller.section(forSectionIndexTitle: "A", at: 0) == 0)
  }

  @Test func `a fetch throws the error of its request`() {
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(sortedBy: []), context: context)
    #expect {
      try controller.performFetch()
    } throws: {
      "\($0)" == "the request for Game has no sort key; add one to sortedBy."
    }
    #expect(controller.fetchedObjects == nil)
  }

  @Test func `a request with a negative limit or offset is refused`() throws {
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
    let controller = try controller(nil)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    let shown = controller.fetchedObjects?.identifiers
    let cases: [(limit: Int?, offset: Int, sentence: String)] = [
      (-1, 0, "the limit of the request is -1. Use nil to show all rows."),
      (-1, -2, "the limit of the request is -1. Use nil to show all rows."),
      (nil, -2, "the offset of the request is -2. Use 0 to start with the first row."),
    ]
    for (limit, offset, sentence) in cases {
      var refused = request
      (refused.limit, refused.offset) = (limit, offset)
      #expect { try store.fetch(refused) } throws: { "\($0)" == sentence }
      // Only the window of this request differs from that of the controller.
      var moved = controller.fetchRequest
      (moved.limit, moved.offset) = (limit, offset)
      #expect { try controller.refetch(with: moved) } throws: { "\($0)" == sentence }
    }
    #expect(controller.fetchedObjects?.identifiers == shown)
    #expect(controller.fetchRequest.limit == nil && controller.fetchRequest.offset == 0)
  }

  @Test func `a controller after a position refuses an offset`() throws {
    let all = try store.fetch(ListRequest<Game>(sortedBy: [.ascending(\Game.name)]))
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
      .after(all.position(at: 0))
    let controller = FetchedResultsController(fetchRequest: request, context: context)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    try controller.performFetch()
    let shown = controller.fetchedObjects?.identifiers
    // Only the window of this request differs from that of the controller.
    var moved = request
    moved.offset = 1
    #expect { try controller.refetch(with: moved) } throws: {
      "\($0)" == """
        the request starts after a position and has the offset 1, which would skip rows. Use 0, or an \
        offset without a position.
        """
    }
    #expect(controller.fetchedObjects?.identifiers == shown)
    #expect(controller.fetchRequest == request)
  }

  @Test func `a controller shows the same list until the next boundary`() throws {
    let controller = try controller(nil)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    let game = controller.object(at: IndexPath(row: 0, section: 0))
    #expect(game.name == "Chess")
    let before = controller.indexPath(forObject: game)
    try context.update(Game.self, id: game.id) { $0.name = "My Item" }
    let after = controller.indexPath(forObject: game)
    #expect(before == after)
    context.processPendingChanges()
    #expect(controller.indexPath(forObject: game) == IndexPath(row: 2, section: 0))
    #expect(
      delegate.takeLines() == ["will change", "move [0, 0] [0, 2] 2 My Item hard 0", "did change"])
  }

  @Test func `a controller shows unsaved changes and a save sends nothing`() throws {
    let controller = try controller(nil)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    try context.insert(Game(id: 4, name: "Nim"))
    context.processPendingChanges()
    #expect(controller.fetchedObjects?.identifiers == [2, 1, 3, 4])
    #expect(delegate.takeLines() == ["will change", "insert [0, 3] 4 Nim - 0", "did change"])
    try context.saveAndWait()
    #expect(delegate.takeLines() == [])
  }

  @Test func `a creation number from a save moves no row`() throws {
    let controller = try controller(nil)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    try controller.performFetch()
    try context.insert(Game(id: 4, name: "Kalah"))
    try context.saveAndWait()
    #expect(delegate.takeLines() == ["will change", "insert [0, 2] 4 Kalah - 0", "did change"])
    try update(1) { $0.name = "Zen Go" }
    #expect(
      delegate.takeLines() == ["will change", "move [0, 1] [0, 3] 1 Zen Go easy 0", "did change"])
    try update(3) { $0.name = "Awale" }
    #expect(
      delegate.takeLines() == ["will change", "move [0, 2] [0, 0] 3 Awale easy 0", "did change"])
    // Of the two that change places, it is the other one that was changed.
    try context.insert(Game(id: 5, name: "Mühle"))
    try context.saveAndWait()
    _ = delegate.takeLines()
    try update(1) { $0.name = "Lasca" }
    #expect(
      delegate.takeLines() == ["will change", "move [0, 4] [0, 3] 1 Lasca easy 0", "did change"])
  }

  @Test func `changes during a merge notification get their own boundary`() throws {
    let controller = try controller(nil)
    let delegate = MeddlingDelegate()
    controller.delegate = delegate
    try controller.performFetch()
    let other = store.makeContext()
    try other.update(Game.self, id: 1) { $0.score = 1 }
    try other.saveAndWait()
    try context.update(Game.self, id: 3) { $0.score = 1 }
    context.processPendingChanges()
    delegate.lines = []
    try context.saveAndWait()
    #expect(delegate.lines.filter { $0.hasPrefix("change") } == ["change 1", "change 2"])
    #expect(context.hasChanges)
  }

  @Test func `inserted sections precede rows and deleted ones follow them`() throws {
    let controller = try controller()
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    controller.isBatchSafe = true
    try context.update(Game.self, id: 2) { $0.level = "average" }
    try context.delete(Game.self, id: 1)
    try context.update(Game.self, id: 3) { $0.score = 7 }
    context.processPendingChanges()
    let rows = [
      "delete [1, 0] 2 Chess hard 0", "delete [0, 0] 1 Go easy 0",
      "insert [0, 0] 2 Chess average 0", "update [0, 1] [1, 0] 3 Ludo easy 7",
    ]
    #expect(
      delegate.takeLines() == ["will change", "section insert 0 average (1)"] + rows
        + ["section delete 1 hard (1)", "did change"])
    #expect(delegate.table.sections == shown(controller))
    // In the documented order, the calls for sections precede those for rows.
    controller.callbackOrder = .documented
    try update(2) { $0.level = nil }
    #expect(
      delegate.takeLines() == [
        "will change", "section insert 0  (1)", "section delete 0 average (1)",
        "delete [0, 0] 2 Chess average 0", "insert [0, 0] 2 Chess - 0", "did change",
      ])
  }

  @Test func `a controller shows what it fetched until it has a delegate, however empty`() throws {
    let alone = try controller(nil)
    let followed = try controller(nil)
    let titles = TitleDelegate()
    followed.delegate = titles
    try update(1) { $0.name = "Zen Go" }
    #expect(alone.fetchedObjects?.map(\.name) == ["Chess", "Go", "Ludo"])
    #expect(followed.fetchedObjects?.map(\.name) == ["Chess", "Ludo", "Zen Go"])
    try alone.performFetch()
    #expect(alone.fetchedObjects?.map(\.name) == ["Chess", "Ludo", "Zen Go"])
  }

  @Test func `a late delegate receives one difference for all changes`() throws {
    let controller = try controller(nil)
    try update(1) { $0.name = "Zen Go" }
    try update(2) { $0.score = 3 }
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    #expect(delegate.takeLines() == [])
    try update(3) { $0.score = 4 }
    #expect(
      delegate.takeLines() == [
        "will change", "move [0, 1] [0, 2] 1 Zen Go easy 0", "update [0, 0] [0, 0] 2 Chess hard 3",
        "update [0, 2] [0, 1] 3 Ludo easy 4", "did change",
      ])
    #expect(delegate.table.sections == shown(controller))
  }

  @Test func `a controller that tracks changes needs no delegate`() throws {
    let tracking = try controller()
    tracking.tracksChanges = true
    let late = try controller()
    let fetched = shown(late)
    var delegate: TableFollower? = TableFollower(tracking)
    tracking.delegate = delegate
    try update(2) { $0.level = "easy" }
    #expect(delegate?.takeLines().isEmpty == false)
    let changed = try shown(controller())
    #expect(shown(tracking) == changed && changed != fetched)
    #expect(shown(late) == fetched)

    // The list is tracked after the delegate is released.
    delegate = nil
    try context.insert(Game(id: 4, name: "Kalah"))
    try context.saveAndWait()
    #expect(try shown(tracking) == shown(controller()))
    #expect(shown(late) == fetched)

    // The next boundary applies all changes since the fetch.
    late.tracksChanges = true
    #expect(shown(late) == fetched)
    try update(1) { $0.name = "Awale" }
    #expect(try shown(late) == shown(controller()))

    tracking.tracksChanges = false
    let last = shown(tracking)
    try update(1) { $0.name = "Zen" }
    #expect(shown(tracking) == last)
    #expect(try shown(late) == shown(controller()) && shown(late) != last)
  }

  @Test func `a list stays the same after its delegate is released`() throws {
    let controller = try controller(nil)
    var delegate: TableFollower? = TableFollower(controller)
    controller.delegate = delegate
    try update(1) { $0.score = 1 }
    #expect(delegate?.takeLines().count == 3)
    delegate = nil
    try update(1) { $0.score = 2 }
    #expect(controller.fetchedObjects?.map(\.score) == [0, 1, 0])
  }

  @Test func `a delegate may change records but not fetch`() throws {
    let controller = try controller(nil)
    let delegate = MeddlingDelegate()
    controller.delegate = delegate
    try update(1) { $0.score = 1 }
    #expect(
      delegate.lines == [
        "will change", "change 1", "fetch: \(delegate.refusal)", "refetch: \(delegate.refusal)",
        "did change", "will change", "change 2", "did change",
      ])
    #expect(try context.object(Game.self, id: 2)?.score == 1)
  }

  @Test(arguments: ["merge", "rollback", "undo", "refetch"])
  func `changes of a delegate are reported after its callbacks`(_ kind: String) throws {
    context.undoLimit = 3
    let controller = try controller(nil)
    let delegate = MeddlingDelegate()
    if kind == "refetch" {
      controller.delegate = delegate
      var request = controller.fetchRequest
      request.offset = 2
      // The delegate receives the removal of 1 and 2. It then changes 2, which affects no shown
      // row.
      try controller.refetch(with: request)
      #expect(delegate.lines.filter { $0 == "will change" }.count == 1)
      #expect(delegate.lines.count { $0.hasPrefix("fetch:") } == 1)
    } else {
      if kind != "merge" {
        try update(1) { $0.score = 1 }
        try controller.performFetch()
      } else {
        let other = store.makeContext()
        try other.update(Game.self, id: 1) { $0.score = 1 }
        try other.saveAndWait()
      }
      controller.delegate = delegate
      switch kind {
      case "merge": try context.mergeChanges()
      case "rollback": try context.rollback()
      default: try context.undo()
      }
      #expect(delegate.lines.filter { $0.hasPrefix("change") }.suffix(1) == ["change 2"])
      #expect(delegate.lines.filter { $0 == "will change" }.count == 2)
    }
    #expect(try context.object(Game.self, id: 2)?.score == 1)
    #expect(delegate.refusal.contains("while it is being notified"))
    // And from then on as ever.
    delegate.lines = []
    try update(3) { $0.name = "Zero" }
    #expect(delegate.lines == ["will change", "change 3", "did change"])
  }

  @Test func `a refetch with another window shows current rows`() throws {
    for id in 4..<8 { try context.insert(Game(id: id, name: "Z\(id)")) }
    let controller = try controller(nil)
    try context.delete(Game.self, id: 2)
    context.processPendingChanges()
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    var request = controller.fetchRequest
    request.limit = 2
    try controller.refetch(with: request)
    #expect(controller.fetchedObjects?.identifiers == [1, 3])
    #expect(delegate.table.sections == shown(controller))
    controller.delegate = nil
    try update(4) { $0.name = "A" }
    controller.delegate = delegate
    request.limit = 3
    try controller.refetch(with: request)
    #expect(controller.fetchedObjects?.identifiers == [4, 1, 3])
    #expect(delegate.table.sections == shown(controller))
  }

  @Test func `a reset sends nothing and the next fetch starts again`() throws {
    let controller = try controller(nil)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    try update(1) { $0.name = "Zen Go" }
    #expect(delegate.takeLines().count == 3)
    try context.reset()
    try update(2) { $0.name = "Xiangqi" }
    #expect(delegate.takeLines() == [])
    #expect(controller.fetchedObjects?.map(\.name) == ["Chess", "Ludo", "Zen Go"])
    // The difference from the shown list to the present is still available.
    var request = controller.fetchRequest
    request.limit = 2
    #expect(try controller.refetch(with: request)?.deleted.map(\.id) == [2])
    #expect(delegate.takeLines().count == 5)
    #expect(delegate.table.sections == shown(controller))
    request.limit = nil
    try controller.refetch(with: request)
    try controller.performFetch()
    #expect(controller.fetchedObjects?.map(\.name) == ["Go", "Ludo", "Xiangqi"])
    _ = delegate.takeLines()
    delegate.table.reloadData()
    try update(3) { $0.score = 1 }
    #expect(delegate.takeLines().count == 3)
    #expect(delegate.table.sections == shown(controller))
  }

  @Test func `a refetch with another request sends a difference`() throws {
    let controller = try controller(nil)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    var request = controller.fetchRequest
    request.limit = 2
    let window = try #require(try controller.refetch(with: request))
    #expect(window.deleted.map(\.id) == [3])
    #expect(delegate.takeLines() == ["will change", "delete [0, 2] 3 Ludo easy 0", "did change"])
    request.sortKeys = [.descending(\Game.name)]
    let order = try #require(try controller.refetch(with: request))
    #expect(order.deleted.map(\.id) == [2] && order.inserted.map(\.id) == [3])
    #expect(controller.fetchedObjects?.identifiers == [3, 1])
    #expect(delegate.table.sections == shown(controller))
    #expect("\(order)" == "1 row deleted, 1 row inserted")
    #expect(order.inverse.inserted == order.deleted)
    // An equal request makes no difference, and a wrong one changes nothing.
    #expect(try controller.refetch(with: request) == nil)
    let right = request
    request.sortKeys = []
    #expect(throws: RequestError.self) { try controller.refetch(with: request) }
    #expect(controller.fetchRequest == right)
    #expect(controller.fetchedObjects?.identifiers == [3, 1])
  }

  @Test func `a controller has index titles`() throws {
    for (id, name) in [(4, "äpfel"), (5, "apples"), (6, "chips")] {
      try context.insert(Game(id: id, name: name))
    }
    let controller = try controller(.by(\Game.name))
    #expect(controller.sectionIndexTitles == ["C", "G", "L", "A", "Ä"])
    #expect(
      controller.sections?.map(\.name) == ["Chess", "Go", "Ludo", "apples", "chips", "äpfel"])
    #expect(controller.sections?.map(\.indexTitle) == ["C", "G", "L", "A", "C", "Ä"])
    #expect(controller.section(forSectionIndexTitle: "G", at: 1) == 1)
    #expect(controller.section(forSectionIndexTitle: "C", at: 0) == 0)
    controller.indexTitleOfSection = { $0.count > 4 ? "long" : nil }
    #expect(controller.sectionIndexTitles == ["long"])
    let delegate = TitleDelegate()
    controller.delegate = delegate
    #expect(
      controller.sectionIndexTitles == ["Chess!", "Go!", "Ludo!", "apples!", "chips!", "äpfel!"])
  }

  @Test func `an unknown index title leads to the nearest section`() throws {
    let ascending = try controller(.by(\Game.name))
    #expect(
      ["A", "C", "E", "H", "Z"].map { ascending.section(forSectionIndexTitle: $0, at: 0) } == [
        0, 0, 0, 1, 2,
      ])
    let descending = FetchedResultsController(
      fetchRequest: ListRequest<Game>(
        sortedBy: [.descending(\Game.name)], sectionedBy: .by(\Game.name)),
      context: context)
    try descending.performFetch()
    #expect(descending.sectionIndexTitles == ["L", "G", "C"])
    descending.indexOfTitles = { $0.flatMap { [$0, "•"] } }
    #expect(descending.sectionIndexTitles == ["L", "•", "G", "•", "C", "•"])
    #expect(
      ["Z", "H", "E", "A"].map { descending.section(forSectionIndexTitle: $0, at: 0) } == [
        0, 0, 1, 2,
      ])
  }

  @Test func `a controller reads records in batches of any size`() throws {
    for id in 10..<60 { try context.insert(Game(id: id, name: "Game \(id)", score: id)) }
    let expected = [2] + Array(10..<60) + [1, 3]
    for size in [0, 1, 7, 20, 1000, .max] {
      let controller = FetchedResultsController(
        fetchRequest: ListRequest<Game>(sortedBy: [.ascending(\Game.name)], batchSize: size),
        context: context)
      try controller.performFetch()
      let objects = try #require(controller.fetchedObjects)
      #expect(objects.map(\.id) == expected)
      var request = controller.fetchRequest
      request.offset = 1
      #expect(try context.fetch(request).map(\.id) == Array(expected.dropFirst()))
      #expect(objects.reversed().map(\.id) == expected.reversed())
      #expect([0, 52, 25, 1, 51, 26].map { objects[$0].id } == [2, 3, 34, 10, 1, 35])
    }
  }
}

/// A delegate that has titles, and the one required method, empty.
private final class TitleDelegate: FetchedResultsControllerDelegate {
  func controllerDidChangeContent(_ controller: FetchedResultsController<Game>) {}

  func controller(
    _ controller: FetchedResultsController<Game>, sectionIndexTitleForSectionName name: String
  ) -> String? { "\(name)!" }
}

/// A delegate that changes records in its callbacks, and tries to fetch.
private final class MeddlingDelegate: FetchedResultsControllerDelegate {
  var lines: [String] = []
  private(set) var refusal = ""

  func controllerWillChangeContent(_ controller: FetchedResultsController<Game>) {
    lines.append("will change")
  }

  func controller(
    _ controller: FetchedResultsController<Game>,
    didChange section: FetchedResultsSectionInfo<Game>,
    atSectionIndex index: Int, for type: FetchedResultsChangeType
  ) { lines.append("section") }

  func controller(
    _ controller: FetchedResultsController<Game>, didChange object: Game, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    lines.append("change \(object.id)")
    guard object.id == 1 else { return }
    do {
      try controller.context.update(Game.self, id: 2) { $0.score += 1 }
      controller.context.processPendingChanges()
    } catch { lines.append("\(error)") }
    do { try controller.performFetch() } catch {
      refusal = "\(error)"
      lines.append("fetch: \(error)")
    }
    do { try controller.refetch(with: controller.fetchRequest) } catch {
      lines.append("refetch: \(error)")
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Game>) {
    lines.append("did change")
  }
}
