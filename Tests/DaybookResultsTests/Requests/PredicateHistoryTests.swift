import DaybookJournal
import DaybookResults
import DaybookStore
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Lists by predicates that are evaluated, over the history of a store` {
  /// Changes a thing at random, mostly a little of it.
  private func change(_ context: EditingContext, _ random: inout RandomFilters) throws {
    let id = random.number(14)
    let thing = Thing.random(id, using: &random)
    guard try context.object(Thing.self, id: id) != nil else { return try context.insert(thing) }
    switch random.number(9) {
    case 0: try context.delete(Thing.self, id: id)
    case 1: try context.update(Thing.self, id: id) { $0.tiny = thing.tiny }
    case 2: try context.update(Thing.self, id: id) { $0.long = thing.long }
    case 3: try context.update(Thing.self, id: id) { $0.name = thing.name }
    case 4: try context.update(Thing.self, id: id) { $0.note = thing.note }
    case 5: try context.update(Thing.self, id: id) { $0.numbers = thing.numbers }
    case 6: try context.update(Thing.self, id: id) { $0.flag = thing.flag }
    default: try context.update(Thing.self, id: id) { $0 = thing }
    }
  }

  /// A list of the things that a predicate finds, by their numbers.
  private final class List {
    let context: EditingContext
    let drawn: RandomPredicate
    let projection: Projection
    private var token: ObservationToken?

    init(_ store: Store, _ random: inout RandomFilters) throws {
      drawn = RandomPredicate(depth: random.number(4), &random)
      context = store.makeContext()
      context.mergePolicy = .contextWins
      context.undoLimit = 5
      let request = ListRequest<Thing>(
        filter: Filter(drawn.predicate),
        sortedBy: [.ascending(named: "short"), .ascending(named: "id")])
      let plan = try request.plan(store.snapshot.frozen.catalog)
      projection = Projection(plan, of: context.frozen)
      token = context.observe { [unowned self] event in
        guard case .transaction(let transaction) = event else { return }
        _ = projection.received { $0.fold(transaction, to: context.frozen) }
      }
    }

    /// The results of evaluating the predicate on the records.
    var expected: [Int] {
      get throws {
        try context.objects(Thing.self).filter { drawn.answer($0) == true }
          .sorted { ($0.short, $0.id) < ($1.short, $1.id) }.map(\.id)
      }
    }
  }

  @Test func `lists by evaluated predicates follow drafts, saves, merges, undo and rollback`()
    throws
  {
    var evaluatedCount = 0
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000, least: 10)) {
      var random = RandomFilters(seed: seed)
      let store = try Store.inMemory(types: [Thing.self, Place.self])
      let first = store.makeContext()
      for _ in 0..<20 { try change(first, &random) }
      try first.saveAndWait()
      let lists = try [List(store, &random), List(store, &random)]
      for step in 0..<12 {
        let list = lists[random.number(2)]
        switch random.number(10) {
        case 0, 1: try list.context.saveAndWait()
        case 2: try list.context.mergeChanges()
        case 3: _ = try? list.context.undo()
        case 4: _ = try? list.context.redo()
        case 5 where random.number(3) == 0: try list.context.rollback()
        default:
          for _ in 0...random.number(4) { try change(list.context, &random) }
          list.context.processPendingChanges()
        }
        for list in lists {
          let shown = list.projection.snapshot.identifiers.map { number($0) }
          #expect(try shown == list.expected, "seed \(seed), step \(step), \(list.drawn)")
        }
      }
      for list in lists { evaluatedCount += list.projection.statistics.evaluatedRows > 0 ? 1 : 0 }
    }
    #expect(evaluatedCount > 10)
  }

  @Test func `a list by an evaluated predicate counts its evaluations`() throws {
    let store = try Store.inMemory(types: [Item.self])
    let context = store.makeContext()
    for id in 0..<10 { try context.insert(Item(id: id, rank: id)) }
    try context.saveAndWait()
    let request = ListRequest<Item>(
      filter: Filter(#Predicate<Item> { $0.rank < 6 && $0.note.count + 1 > 1 }),
      sortedBy: [.ascending(\Item.rank)])
    let plan = try request.plan(store.snapshot.frozen.catalog)
    #expect(plan.statistics == ResultStatistics())
    let projection = Projection(plan, of: store.snapshot.frozen)
    #expect(projection.statistics.evaluatedRows == 6)
    try context.update(Item.self, id: 3) { $0.note = "x" }
    try context.update(Item.self, id: 8) { $0.note = "x" }
    try context.saveAndWait()
    _ = projection.fold(to: store.snapshot.frozen)
    #expect(projection.snapshot.identifiers == [.int(3)])
    // The one that can match, as it was and as it is.
    #expect(projection.statistics.evaluatedRows == 8)
  }
}
