import Daybook
import DaybookTesting
import TestSupport
import Testing

/// A snapshot of a list has the look-ups of a diffable snapshot.
@Suite struct `Snapshots of a list` {
  private func controller(
    of request: ListRequest<Game>, in context: EditingContext
  ) throws -> FetchedResultsController<Game> {
    let controller = FetchedResultsController(fetchRequest: request, context: context)
    try controller.performFetch()
    return controller
  }

  @Test func `a look-up finds what the list shows at that place, over random lists`() throws {
    for seed in 0..<UInt64(FaultRow.count(150, full: 3000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      for _ in 0..<14 { try changes.change(context) }
      try context.saveAndWait()
      let request = changes.request()
      let snapshot = try #require(try controller(of: request, in: context).snapshot)
      let what = "seed \(seed)"
      let ids = snapshot.itemIdentifiers
      #expect(ids == snapshot.objects.identifiers, "\(what)")
      for id in 0..<12 { #expect(snapshot.indexOfItem(id) == ids.firstIndex(of: id), "\(what)") }
      var rows: [Int] = []
      for (index, section) in snapshot.sectionIdentifiers.enumerated() {
        let inSection = snapshot.itemIdentifiers(inSection: section)
        #expect(snapshot.indexOfSection(section) == index, "\(what)")
        #expect(inSection == snapshot.itemIdentifiers(inSection: index), "\(what)")
        #expect(inSection.count == snapshot.numberOfItems(inSection: section), "\(what)")
        #expect(inSection.count == snapshot.numberOfItems(inSection: index), "\(what)")
        for id in inSection { #expect(snapshot.sectionIdentifier(containing: id) == section) }
        rows += inSection
      }
      #expect(rows == ids, "\(what)")
      for id in 0..<12 where !ids.contains(id) {
        #expect(snapshot.sectionIdentifier(containing: id) == nil, "\(what)")
      }
      // Sections of the same value are found in another order; those of another value are not.
      var other = request
      other.sortKeys = [.descending(\Game.name, comparator: .caseInsensitive)]
      other.sectioning =
        [nil, .by(\Game.level, descending: true), .by(\Game.name)][changes.below(3)]
      let others = try #require(try controller(of: other, in: context).snapshot)
      for section in others.sectionIdentifiers {
        let index = snapshot.sectionIdentifiers.firstIndex(of: section)
        #expect(snapshot.indexOfSection(section) == index, "\(what)")
        #expect((snapshot.numberOfItems(inSection: section) == 0) == (index == nil || ids.isEmpty))
      }
    }
  }

  @Test func `a list prints as one readable line`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    #expect("\(store)" == "Store: \(store.path) after transaction 0, 0 records of 2 entities")
    for (id, level) in [(1, nil), (2, ""), (3, "say \"hard\"\n"), (4, "easy")] {
      try context.insert(Game(id: id, name: "\(id)", level: level))
    }
    #expect(
      "\(context)" == "EditingContext: \(store.path) after transaction 0, unsaved changes")
    try context.saveAndWait()
    #expect("\(context)" == "EditingContext: \(store.path) after transaction 1, no changes")
    #expect("\(store)" == "Store: \(store.path) after transaction 1, 4 records of 2 entities")
    #expect(
      "\(store.snapshot)"
        == "StoreSnapshot: \(store.path) after transaction 1, 4 records of 2 entities")

    let byLevel = ListRequest<Game>(
      sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.level))
    let controller = FetchedResultsController(fetchRequest: byLevel, context: context)
    #expect("\(controller)" == "FetchedResultsController<Game>: not fetched")
    let delegate = SnapshotFollower(controller)
    controller.delegate = delegate
    try controller.performFetch()
    #expect("\(controller)" == "FetchedResultsController<Game>: 4 rows in 4 sections")
    let sections = try #require(controller.sections)
    #expect("\(sections)" == "4 rows in 4 sections")
    #expect(
      sections.map { "\($0)" } == [
        #"section "": 1 row"#, #"section "": 1 row"#, #"section "easy": 1 row"#,
        #"section "say \"hard\"\n": 1 row"#,
      ])
    let snapshot = try #require(controller.snapshot)
    #expect("\(snapshot)" == "ListSnapshot<Game>: 4 rows in 4 sections")
    #expect(
      snapshot.sectionIdentifiers.map { "\($0)" } == [
        "section nil", #"section """#, #"section "easy""#, #"section "say \"hard\"\n""#,
      ])
    #expect(
      snapshot.objects.elements.prefix(4).map { "\($0)" } == [
        "section nil", "row 1", #"section """#, "row 2",
      ])
    try context.update(Game.self, id: 1) { $0.score = 1 }
    try context.delete(Game.self, id: 4)
    context.processPendingChanges()
    #expect(delegate.last.map { "\($0)" } == "ListSnapshot<Game>: 3 rows in 3 sections, 1 changed")
    try context.saveAndWait()
    #expect(
      "\(try store.difference(of: byLevel, from: 1, to: 2))"
        == "1 section deleted, 1 row deleted, 1 row updated")
    #expect("\(try store.difference(of: byLevel, from: 2, to: 2))" == "nothing")

    let one = ListRequest<Game>(sortedBy: [.ascending(\Game.name)], limit: 1)
    let short = FetchedResultsController(fetchRequest: one, context: context)
    try short.performFetch()
    #expect("\(short)" == "FetchedResultsController<Game>: 1 row, not tracked")
    short.tracksChanges = true
    #expect("\(short)" == "FetchedResultsController<Game>: 1 row")
    #expect(short.snapshot?.sectionIdentifiers.map { "\($0)" } == ["section"])
  }
}
