import DaybookJournal
import DaybookResults
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@Suite struct `Requests with every operator, over the history of a store` {
  // Rules 2 to 6, 10, 11 and 32 to 34.
  @Test func `lists with every operator equal the model, and differences are correct`() throws {
    let world = try FilterWorld(seed: 1, count: 20)
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000)) {
      var random = RandomFilters(seed: seed)
      var filters = TypedFilters(seed: seed, world)
      let store = try Store.inMemory(types: [Thing.self, Place.self])
      let context = store.makeContext()
      for _ in 0..<20 { try context.changeThings(&random) }
      try context.saveAndWait()
      var before = store.snapshot
      let catalog = before.frozen.catalog
      let made = try RandomRequest(&random, &filters, catalog)
      let isSectioned = made.request.sectioning != nil
      let window = made.request.window
      let projection = Projection(try made.request.plan(catalog), of: before.frozen, window: window)
      let rows = try made.rows(before)
      #expect(
        projection.snapshot.shown == Shown(rows, window, isSectioned: isSectioned),
        "seed \(seed), \(made.request)")
      for step in 0..<8 {
        for _ in 0...random.number(5) { try context.changeThings(&random) }
        guard let saved = try context.saveAndWait() else { continue }
        let after = store.snapshot
        // The notification of a save equals the transaction in the journal.
        var transactions = try store.transactions(from: saved.sequence)
        let transaction = try #require(try transactions.next())
        let difference = projection.received { $0.fold(transaction, to: after.frozen) }
        DifferenceLaw(
          isSectioned: isSectioned, before: try made.rows(before), after: try made.rows(after),
          windowBefore: window, windowAfter: window
        ).hold(difference, "seed \(seed), step \(step), \(made.request)")
        before = after
      }
    }
  }

  /// A list over what a context shows, from boundary to boundary.
  private final class ContextList {
    let context: EditingContext
    let projection: Projection
    let made: RandomRequest
    private var token: ObservationToken?

    init(_ store: Store, _ made: RandomRequest) throws {
      self.made = made
      context = store.makeContext()
      context.mergePolicy = .contextWins
      context.undoLimit = 5
      projection = Projection(
        try made.request.plan(store.snapshot.frozen.catalog), of: context.frozen,
        window: made.request.window)
      token = context.observe { [unowned self] event in
        guard case .transaction(let transaction) = event else { return }
        _ = projection.received { $0.fold(transaction, to: context.frozen) }
      }
    }
  }

  @Test func `lists of contexts follow drafts, saves, merges, undo and rollback`() throws {
    let world = try FilterWorld(seed: 1, count: 20)
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000)) {
      var random = RandomFilters(seed: seed)
      var filters = TypedFilters(seed: seed, world)
      let store = try Store.inMemory(types: [Thing.self, Place.self])
      let first = store.makeContext()
      for _ in 0..<20 { try first.changeThings(&random) }
      try first.saveAndWait()
      let catalog = store.snapshot.frozen.catalog
      let lists = try (0..<2).map { _ in
        try ContextList(store, try RandomRequest(&random, &filters, catalog))
      }
      for step in 0..<12 {
        let list = lists[random.number(2)]
        switch random.number(10) {
        case 0, 1: try list.context.saveAndWait()
        case 2: try list.context.mergeChanges()
        case 3: _ = try? list.context.undo()
        case 4: _ = try? list.context.redo()
        case 5 where random.number(3) == 0: try list.context.rollback()
        default:
          for _ in 0...random.number(4) { try list.context.changeThings(&random) }
          list.context.processPendingChanges()
        }
        for list in lists {
          // A new projection has the same rows.
          let fresh = Projection(
            try list.made.request.plan(catalog), of: list.context.frozen,
            window: list.made.request.window)
          #expect(
            list.projection.snapshot.shown == fresh.snapshot.shown,
            "seed \(seed), step \(step), \(list.made.request)")
        }
      }
    }
  }
}
