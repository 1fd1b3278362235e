import DaybookJournal
import DaybookResults
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@Suite struct `Every boundary of a small list` {
  /// A list that is brought from state to state, each held against the law.
  private struct Walk {
    let store: Store
    let context: EditingContext
    let projection: Projection
    let list: ItemList
    private var before: [ModelRow]

    init(_ list: ItemList, _ items: [Item]) throws {
      self.list = list
      store = try Store.inMemory(types: [Item.self])
      context = store.makeContext()
      for item in items { try context.insert(item) }
      try context.saveAndWait()
      let start = store.snapshot
      before = try list.rows(start)
      projection = Projection(
        try list.plan(start.frozen.catalog), of: start.frozen, window: list.window)
    }

    /// Inserts missing items, changes others, and deletes items that are nil.
    mutating func go(to items: [Item?], _ what: String) throws {
      for (id, item) in items.enumerated() {
        switch (try context.object(Item.self, id: id), item) {
        case (nil, let item?): try context.insert(item)
        case (_?, nil): try context.delete(Item.self, id: id)
        case (_?, let item?): try context.update(Item.self, id: id) { $0 = item }
        case (nil, nil): break
        }
      }
      let wasChanged = context.hasChanges
      context.processPendingChanges()
      if try context.saveAndWait() == nil, wasChanged { return }
      let after = store.snapshot
      let difference = projection.received {
        $0.fold(items.indices.map { EntityKey(0, id: .int(Int64($0))) }, to: after.frozen)
      }
      let rows = try list.rows(after)
      DifferenceLaw(
        isSectioned: list.isSectioned, before: before, after: rows, windowBefore: list.window,
        windowAfter: list.window
      ).hold(difference, what)
      before = rows
    }
  }

  // A debug build, which checks every invariant at every step, tries a part.
  private static var isWhole: Bool { FaultRow.Scale.current != .small }

  // Rules 18, 19 and 24.
  @Test(arguments: 1...(isWhole ? 6 : 5))
  func `every permutation moves the fewest possible rows`(_ count: Int) throws {
    let start = (0..<count).map { Item(id: $0, rank: $0) }
    var walk = try Walk(ItemList(isSectioned: false), start)
    for permutation in permutations(count) {
      let ranks = permutation
      try walk.go(to: (0..<count).map { Item(id: $0, rank: ranks[$0]) }, "\(ranks)")
      try walk.go(to: start, "back from \(ranks)")
    }
  }

  /// Every pair of states of some rows, each absent or in one of three sections.
  @Test(arguments: [
    ResultWindow(), ResultWindow(limit: 2), ResultWindow(offset: 1, limit: 1),
    ResultWindow(offset: 2), ResultWindow(limit: 0),
  ])
  func `every boundary over three sections has the exact difference`(_ window: ResultWindow) throws
  {
    let count = Self.isWhole ? 4 : 3
    let states = (0..<1 << (2 * count)).map { number in
      (0..<count).map { id -> Item? in
        let place = number >> (2 * id) & 3
        // The rows' own order is not that of their identifiers.
        return place == 0 ? nil : Item(id: id, group: ["a", "b", "c"][place - 1], rank: id ^ 1)
      }
    }
    var walk = try Walk(ItemList(window: window), [])
    for one in states.indices {
      try walk.go(to: states[one], "to \(one)")
      for other in one + 1..<states.count where Self.isWhole || (one + other) % 17 == 0 {
        try walk.go(to: states[other], "\(one) to \(other)")
        try walk.go(to: states[one], "\(other) to \(one)")
      }
    }
  }
}
