import Daybook
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

/// A list over a context at a moment equals the list at that moment, and moves by exact
/// differences.
@Suite struct `Time travel of a list` {
  /// Saves transactions at random, each with something in it.
  private func history(_ changes: inout GameChanges, _ count: Int) throws -> Store {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for _ in 0..<count {
      for _ in 0...changes.below(3) { try changes.change(context) }
      try context.saveAndWait()
    }
    return store
  }

  /// Returns the rows of a list as a table view reads them.
  private func sections(_ objects: ListRequest<Game>, _ context: EditingContext) throws
    -> [TableView.Section]
  {
    let fresh = FetchedResultsController(fetchRequest: objects, context: context)
    try fresh.performFetch()
    return shown(fresh)
  }

  private func hold(
    _ received: ListDifference<Game>, is other: ListDifference<Game>, _ what: String
  ) {
    #expect(received.deletedSections == other.deletedSections, "\(what)")
    #expect(received.insertedSections == other.insertedSections, "\(what)")
    #expect(received.deleted == other.deleted, "\(what)")
    #expect(received.inserted == other.inserted, "\(what)")
    #expect(received.moved == other.moved, "\(what)")
    #expect(received.updated == other.updated, "\(what)")
  }

  /// Of several rows that could stay, those stay that are earliest in the new order. Which of two
  /// exchanged rows is reported as moved depends on the direction. Their number does not.
  private func holdsAsMany(
    _ one: ListDifference<Game>, as other: ListDifference<Game>, _ what: String
  ) {
    #expect(one.deletedSections == other.deletedSections, "\(what)")
    #expect(one.insertedSections == other.insertedSections, "\(what)")
    #expect(one.deleted == other.deleted && one.inserted == other.inserted, "\(what)")
    #expect(one.moved.count == other.moved.count, "\(what)")
  }

  @Test func `a travel leads to the list of that moment and back`() throws {
    for seed in 0..<UInt64(FaultRow.count(150, full: 5000)) {
      var changes = GameChanges(seed: seed)
      let store = try history(&changes, 10)
      let last = Int(store.snapshot.sequence.rawValue)
      let request = changes.request()
      let context = try store.makeContext(at: SequenceNumber(UInt64(changes.below(last + 1))))
      let controllers = (0..<3).map { _ in
        FetchedResultsController(fetchRequest: request, context: context)
      }
      controllers[0].isBatchSafe = true
      for controller in controllers { try controller.performFetch() }
      let table = TableFollower(controllers[0])
      let difference = DifferenceFollower(controllers[1])
      let snapshot = SnapshotFollower(controllers[2])
      controllers[0].delegate = table
      controllers[1].delegate = difference
      controllers[2].delegate = snapshot
      // From here on each knows of every boundary, and of its causes.
      for controller in controllers { try controller.performFetch() }
      for step in 0..<8 {
        let what = "seed \(seed), step \(step)"
        let here = context.sequence
        // Changes that are made and undone in flight leave no trace.
        if changes.below(3) == 0 {
          for _ in 0...changes.below(3) { try changes.change(context) }
          context.processPendingChanges()
          let tried = try sections(request, context)
          #expect(table.table.sections == tried && snapshot.sections == tried, "tried, \(what)")
          try context.rollback()
        }
        let there = SequenceNumber(UInt64(changes.below(last + 1)))
        let count = difference.count
        try context.travel(to: there)
        let then = try store.snapshot(at: there)
        let expected = try sections(request, store.makeContext(at: there))
        for controller in controllers { #expect(shown(controller) == expected, "shown, \(what)") }
        #expect(controllers[0].fetchedObjects.map(Array.init) == Array(try then.fetch(request)))
        #expect(table.error == nil && table.table.sections == expected, "table, \(what)")
        #expect(snapshot.sections == expected, "snapshot, \(what)")
        #expect(difference.ids == controllers[1].fetchedObjects?.identifiers, "\(what)")
        let between = try store.difference(of: request, from: here, to: there)
        #expect((difference.count > count) == !between.isEmpty, "silence, \(what)")
        if !between.isEmpty {
          hold(try #require(difference.last), is: between, what)
          #expect(difference.last?.causes.map(\.origin) == [.travel])
          // There and back again.
          try context.travel(to: here)
          let back = try #require(difference.last)
          hold(
            back, is: try store.difference(of: request, from: there, to: here), "back, \(what)")
          holdsAsMany(back, as: between.inverse, "back, \(what)")
          #expect(back.after.map(\.text) == between.before.map(\.text), "back, \(what)")
          try context.travel(to: there)
          hold(try #require(difference.last), is: between, "again, \(what)")
        }
      }
      #expect(table.table.sections == shown(controllers[0]))
    }
  }

  @Test func `a travel sends the calls that lead to the other moment`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let writer = store.makeContext()
    try writer.insert(Game(id: 1, name: "Go", level: "easy"))
    try writer.insert(Game(id: 2, name: "Chess", level: "hard"))
    try writer.saveAndWait()
    try writer.update(Game.self, id: 1) { $0.level = "hard" }
    try writer.saveAndWait()
    try writer.delete(Game.self, id: 2)
    try writer.saveAndWait()
    let context = try store.makeContext(at: 1)
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(
        sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.level)),
      context: context)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    try controller.performFetch()
    #expect(controller.sections?.map(\.name) == ["easy", "hard"])
    try context.travel(to: 3)
    #expect(
      delegate.takeLines() == [
        "will change", "delete [1, 0] 2 Chess hard 0", "move [0, 0] [0, 0] 1 Go hard 0",
        "section delete 0 easy (1)", "did change",
      ])
    try context.travel(to: 1)
    #expect(
      delegate.takeLines() == [
        "will change", "section insert 0 easy (1)", "insert [1, 0] 2 Chess hard 0",
        "move [0, 0] [0, 0] 1 Go easy 0", "did change",
      ])
    try context.travel(to: 0)
    #expect(controller.sections?.isEmpty == true)
    // A reset ends it, and the next fetch computes the list at the moment of the context.
    try context.reset()
    try context.travel(to: 2)
    _ = delegate.takeLines()
    try controller.performFetch()
    #expect(controller.fetchedObjects?.map(\.name) == ["Chess", "Go"])
    #expect(delegate.takeLines() == [])
  }

  @Test func `an earlier moment has its references and uses current rules`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let writer = store.makeContext()
    try writer.insert(Club(id: 1, name: "Ajax"))
    for id in 1...2 { try writer.insert(Game(id: id, name: "\(id)", club: Reference(1))) }
    try writer.saveAndWait()
    try writer.update(Game.self, id: 2) { $0.club = nil }
    try writer.saveAndWait()
    let context = try store.makeContext(at: 2)
    #expect(try context.records(referringTo: 1, by: \Game.club).map(\.id) == [1])
    try context.travel(to: 1)
    #expect(try context.records(referringTo: 1, by: \Game.club).map(\.id) == [1, 2])
    let request = ListRequest<Game>(
      filter: Filter.at(\Game.club, at: \.name) == "Ajax", sortedBy: [.ascending(\Game.name)])
    #expect(try context.fetch(request).identifiers == [1, 2])
    try context.perform { try context.delete(Club.self, id: 1) }
    #expect(try context.updatedObjects(Game.self).map(\.club) == [nil, nil])
    #expect(try context.count(for: request) == 0 && context.count(of: Club.self) == 0)
    try context.rollback()
    #expect(try context.count(for: request) == 2)
    #expect(try context.object(Game.self, id: 2)?.club == Reference(1))
    #expect(try context.value(forKey: "club", of: "Game", id: .int(2)) == .reference(.int(1)))
  }

  @Test func `records that were inserted again keep their old positions`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let writer = store.makeContext()
    for id in 1...2 { try writer.insert(Game(id: id, name: "same")) }
    try writer.saveAndWait()
    try writer.delete(Game.self, id: 1)
    try writer.saveAndWait()
    try writer.insert(Game(id: 1, name: "same"))
    try writer.saveAndWait()
    let context = try store.makeContext(at: 1)
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(sortedBy: [.ascending(\Game.name)]), context: context)
    let delegate = TableFollower(controller)
    controller.delegate = delegate
    try controller.performFetch()
    delegate.table.reloadData()
    #expect(controller.fetchedObjects?.identifiers == [1, 2])
    try context.travel(to: 3)
    #expect(controller.fetchedObjects?.identifiers == [2, 1])
    #expect(
      delegate.takeLines() == ["will change", "move [0, 0] [0, 1] 1 same - 0", "did change"])
  }

  @Test(arguments: [nil, 1 as SequenceNumber])
  func `a rolled back change sends a difference and its inverse`(
    moment: SequenceNumber?
  ) throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let writer = store.makeContext()
    for (id, name, score) in [(1, "Go", 1), (2, "Chess", 2), (3, "Ludo", 3)] {
      try writer.insert(Game(id: id, name: name, score: score))
    }
    try writer.saveAndWait()
    // The example begins.
    let context = try moment.map { try store.makeContext(at: $0) } ?? store.makeContext()
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Game>(sortedBy: [.descending(\Game.score)], limit: 2),
      context: context)
    try controller.performFetch()
    let list = DifferenceFollower(controller)
    controller.delegate = list
    #expect(controller.fetchedObjects?.identifiers == [3, 2])

    // What if the first game had scored more?
    try context.update(Game.self, id: 1) { $0.score = 9 }
    context.processPendingChanges()
    let whatIf = try #require(list.last)
    #expect(whatIf.after.identifiers == [1, 3])
    #expect(whatIf.inserted.map(\.id) == [1] && whatIf.deleted.map(\.id) == [2])

    // It had not.
    try context.rollback()
    #expect(controller.fetchedObjects?.identifiers == [3, 2])
    // The example ends.
    let back = try #require(list.last)
    hold(back, is: whatIf.inverse, "\(moment as Any)")
    #expect(back.causes.map(\.origin) == [.rollback] && list.count == 2)
    #expect(try store.snapshot.object(Game.self, id: 1)?.score == 1 && !context.hasChanges)
  }

  @Test func `between two transactions or times is one difference, without a context`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let writer = store.makeContext()
    for id in 1...3 {
      try writer.insert(Game(id: id, name: "\(id)"))
      try writer.saveAndWait()
    }
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
    let forward = try store.difference(of: request, from: 1, to: 3)
    #expect(forward.inserted.map(\.id) == [2, 3] && forward.before.identifiers == [1])
    let back = try store.difference(of: request, from: 3, to: 1)
    #expect(back.deleted.map(\.id) == [3, 2] && back.after.identifiers == [1])
    let all = try store.difference(
      of: request, from: .distantPast, to: try store.snapshot(at: 3).time)
    #expect(all.inserted.map(\.id) == [1, 2, 3])
    #expect(
      sentence { _ = try store.difference(of: request, from: 1, to: 4) } == """
        store in memory: no state after transaction 4: the journal contains the states after \
        transactions 0 to 3.
        """)
  }
}
