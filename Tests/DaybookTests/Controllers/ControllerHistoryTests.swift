import Daybook
import DaybookTesting
import TestSupport
import Testing

/// The law: a subscriber of any form shows the same list as a fresh fetch, after any change of a
/// context.
@Suite struct `Controllers over random histories` {
  @Test func `tables, differences and snapshots follow a list with any identifier`() throws {
    for seed in 0..<UInt64(FaultRow.count(150, full: 5000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      let other = store.makeContext()
      context.mergePolicy = .contextWins
      other.mergePolicy = .contextWins
      context.undoLimit = 4
      for _ in 0..<8 { try changes.change(context) }
      try context.saveAndWait()
      var request = changes.request()
      let controllers = (0..<3).map { _ in
        FetchedResultsController(fetchRequest: request, context: context)
      }
      for controller in controllers { try controller.performFetch() }
      controllers[0].isBatchSafe = true
      if changes.below(2) == 0 { controllers[0].callbackOrder = .documented }
      let table = TableFollower(controllers[0])
      let difference = DifferenceFollower(controllers[1])
      let snapshot = SnapshotFollower(controllers[2])
      controllers[0].delegate = table
      controllers[1].delegate = difference
      controllers[2].delegate = snapshot
      for step in 0..<10 {
        let what = "seed \(seed), step \(step)"
        switch changes.below(12) {
        case 0: try context.saveAndWait()
        case 1: try context.rollback()
        // What others have changed since is not undone.
        case 2: _ = try? context.undo()
        case 3: _ = try? context.redo()
        case 4:
          for _ in 0...changes.below(3) { try changes.change(other) }
          try other.saveAndWait()
          try context.mergeChanges()
        case 5:
          // Pending changes are reported first.
          if changes.below(2) == 0 { try changes.change(context) }
          let other = changes.request()
          if changes.below(2) == 0 {
            request = other
          } else {
            (request.limit, request.offset) = (other.limit, other.offset)
          }
          for controller in controllers { try controller.refetch(with: request) }
        default:
          for _ in 0...changes.below(3) { try changes.change(context) }
          context.processPendingChanges()
        }
        let fresh = FetchedResultsController(fetchRequest: request, context: context)
        try fresh.performFetch()
        let sections = shown(fresh)
        for controller in controllers { #expect(shown(controller) == sections, "shown, \(what)") }
        #expect(table.error == nil, "\(what)")
        #expect(table.table.sections == sections, "table, \(what)")
        #expect(snapshot.sections == sections, "snapshot, \(what)")
        difference.screen.hold(try #require(fresh.fetchedObjects), what: "difference, \(what)")
        for object in try #require(fresh.fetchedObjects).prefix(3) {
          let path = try #require(controllers[0].indexPath(forObject: object))
          #expect(controllers[0].object(at: path) == object, "\(what)")
        }
      }
    }
  }
}
