import DaybookJournal
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `Other requests over the history of a store` {
  /// A request, and its results at each moment.
  private struct List {
    let made: RandomRequest
    let moments: [ResultSnapshot]

    init(_ made: RandomRequest, _ history: [StoreSnapshot]) throws {
      self.made = made
      let plan = try made.request.plan(history[0].frozen.catalog)
      moments = history.map {
        Projection(plan, of: $0.frozen, window: made.request.window).snapshot
      }
    }

    /// Checks the law for the difference between a moment of this list and a moment of another one.
    func law(
      _ moment: StoreSnapshot, to other: List, _ otherMoment: StoreSnapshot
    ) throws -> DifferenceLaw {
      DifferenceLaw(
        isSectioned: other.made.request.sectioning != nil,
        before: try made.rows(moment, readBy: other.made), after: try other.made.rows(otherMoment),
        windowBefore: made.request.window, windowAfter: other.made.request.window,
        wasSectioned: made.request.sectioning != nil)
    }
  }

  // Rules 39 to 42.
  @Test func `the difference of two requests at two moments is correct`() throws {
    let world = try FilterWorld(seed: 1, count: 20)
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000)) {
      var random = RandomFilters(seed: seed)
      var filters = TypedFilters(seed: seed, world)
      let store = try Store.inMemory(types: [Thing.self, Place.self])
      let context = store.makeContext()
      for _ in 0..<20 { try context.changeThings(&random) }
      try context.saveAndWait()
      var history = [store.snapshot]
      for _ in 0..<3 {
        for _ in 0...random.number(5) { try context.changeThings(&random) }
        try context.saveAndWait()
        history.append(store.snapshot)
      }
      // Some are found again, in spaces of their own.
      for (place, moment) in history.enumerated() where random.number(2) == 0 {
        history[place] = try store.snapshot(at: moment.sequence)
      }
      let catalog = history[0].frozen.catalog
      var lists = [try List(RandomRequest(&random, &filters, catalog), history)]
      while lists.count < 4 {
        let known = random.one(of: lists).made
        lists.append(try List(known.variant(&random, &filters, catalog), history))
      }
      for (one, other) in lists.indices.flatMap({ one in lists.indices.map { (one, $0) } })
      where one != other {
        let (from, to) = (random.number(4), random.number(4))
        let what = """
          seed \(seed), \(lists[one].made.request) at \(from), \(lists[other].made.request) at \(to)
          """
        let difference = ListDifference<DynamicRecord>(
          from: lists[one].moments[from], to: lists[other].moments[to])
        let law = try lists[one].law(history[from], to: lists[other], history[to])
        law.hold(difference, what)
        let back = try lists[other].law(history[to], to: lists[one], history[from])
        back.hold(
          ListDifference(from: lists[other].moments[to], to: lists[one].moments[from]),
          "back, \(what)")
      }
    }
  }

  // Rule 39: saved and unsaved records.
  @Test func `a list of a context changes to another request`() throws {
    let store = try Store.inMemory(types: [Item.self])
    let context = store.makeContext()
    for id in 0..<4 { try context.insert(Item(id: id, group: id < 2 ? "a" : "b", rank: id)) }
    try context.saveAndWait()
    try context.delete(Item.self, id: 0)
    try context.insert(Item(id: 9, group: "a", rank: 9))
    try context.update(Item.self, id: 3) { $0.note = "changed" }
    context.processPendingChanges()
    let catalog = store.snapshot.frozen.catalog
    let up = ListRequest<Item>(sortedBy: [.ascending(\Item.rank)], sectionedBy: .by(\Item.group))
    let down = ListRequest<Item>(
      sortedBy: [.descending(\Item.rank)], sectionedBy: .by(\Item.group))
    let drafted = Projection(try up.plan(catalog), of: context.frozen).snapshot
    let saved = Projection(try down.plan(catalog), of: store.snapshot.frozen).snapshot
    #expect("\(drafted.shown)" == "a: 1 9, b: 2 3" && "\(saved.shown)" == "a: 1 0, b: 3 2")
    let difference = ListDifference<DynamicRecord>(from: drafted, to: saved)
    #expect(
      difference.callbackLines() == [
        "willChange", "delete [0, 1] 9", "insert [0, 1] 0", "move [1, 0] -> [1, 1] 2",
        "update [1, 1] -> [1, 0] 3", "didChange",
      ])
  }

  // Rule 39: the same closure makes the same sections, and another version of it does not.
  @Test func `the name and version of a closure identify its sections`() throws {
    let store = try Store.inMemory(types: [Item.self])
    let context = store.makeContext()
    for (id, rank) in [3, 9, 7].enumerated() { try context.insert(Item(id: id, rank: rank)) }
    try context.saveAndWait()
    func snapshot(_ version: Int, isDescending: Bool) throws -> ResultSnapshot {
      let sectioning = Sectioning.computed(id: "size", version: version, descending: isDescending) {
        (item: Item) -> String? in item.rank > 5 ? "large" : "small"
      }
      let request = ListRequest<Item>(sortedBy: [.ascending(\Item.rank)], sectionedBy: sectioning)
      return Projection(
        try request.plan(store.snapshot.frozen.catalog), of: store.snapshot.frozen
      ).snapshot
    }
    let first = try snapshot(1, isDescending: false)
    #expect(EditScript(from: first, to: try snapshot(1, isDescending: false)).isEmpty)
    #expect(
      ListDifference<DynamicRecord>(from: first, to: try snapshot(1, isDescending: true))
        .callbackLines() == [
          "willChange", "section insert 0 \"small\"",
          "move [1, 0] -> [0, 0] 0", "section delete 1 \"small\"", "didChange",
        ])
    let newer = ListDifference<DynamicRecord>(from: first, to: try snapshot(2, isDescending: false))
    #expect(newer.deletedSections.count == 2 && newer.insertedSections.count == 2)
    #expect(newer.renamedSections.map(\.new.name) == ["large", "small"])
  }

  @Test func `a difference of two entities or two stores is a fatal error`() async {
    await #expect(processExitsWith: .failure) {
      let store = try Store.inMemory(types: [Thing.self, Place.self])
      let state = store.snapshot.frozen
      let things = ListRequest<Thing>(sortedBy: [.ascending(\Thing.name)])
      let places = ListRequest<Place>(sortedBy: [.ascending(\Place.name)])
      _ = EditScript(
        from: Projection(try things.plan(state.catalog), of: state).snapshot,
        to: Projection(try places.plan(state.catalog), of: state).snapshot)
    }
    await #expect(processExitsWith: .failure) {
      let request = ListRequest<Item>(sortedBy: [.ascending(\Item.rank)])
      let states = try (0..<2).map { _ in try Store.inMemory(types: [Item.self]).snapshot.frozen }
      let plan = try request.plan(states[0].catalog)
      _ = EditScript(
        from: Projection(plan, of: states[0]).snapshot, to: Projection(plan, of: states[1]).snapshot
      )
    }
  }
}
