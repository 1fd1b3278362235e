import DaybookJournal
import DaybookResults
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@Suite struct `Requests with every operator, over the history of a store` {
  /// Changes something at random, and says of which records.
  private func change(
    _ context: EditingContext, _ random: inout RandomFilters
  ) throws -> (String, RecordIdentifier) {
    guard random.number(3) > 0 else {
      let id = "p\(random.number(7))"
      let isThere = try context.object(Place.self, id) != nil
      let place = Place.random(id, using: &random)
      switch random.number(5) {
      case 0 where isThere: try context.delete(Place.self, id)
      case 1 where isThere: try context.update(Place.self, id) { $0.name = place.name }
      case 2 where isThere: try context.update(Place.self, id) { $0.tags = place.tags }
      case _ where isThere: try context.update(Place.self, id) { $0 = place }
      default: try context.insert(place)
      }
      return ("Place", RecordIdentifier(id))
    }
    let id = random.number(14)
    let isThere = try context.object(Thing.self, id) != nil
    let thing = Thing.random(id, using: &random)
    switch random.number(9) {
    case 0 where isThere: try context.delete(Thing.self, id)
    case 1 where isThere: try context.update(Thing.self, id) { $0.place = thing.place }
    case 2 where isThere: try context.update(Thing.self, id) { $0.friend = thing.friend }
    case 3 where isThere: try context.update(Thing.self, id) { $0.name = thing.name }
    case 4 where isThere: try context.update(Thing.self, id) { $0.long = thing.long }
    case 5 where isThere: try context.update(Thing.self, id) { $0.moment = thing.moment }
    case 6 where isThere: try context.update(Thing.self, id) { $0.friends = thing.friends }
    case _ where isThere: try context.update(Thing.self, id) { $0 = thing }
    default: try context.insert(thing)
    }
    return ("Thing", .int(Int64(id)))
  }

  @Test func `show what is plainly right, and every difference holds`() throws {
    let world = try FilterWorld(seed: 1, count: 20)
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000)) {
      var random = RandomFilters(seed: seed)
      var filters = TypedFilters(seed: seed, world)
      let store = try Store.inMemory([Thing.self, Place.self])
      let context = store.makeContext()
      for _ in 0..<20 { _ = try change(context, &random) }
      try context.saveAndWait()
      var before = store.snapshot
      let catalog = before.frozen.catalog
      let made = try RandomRequest(&random, &filters, catalog)
      let isSectioned = made.request.sectioning != nil
      let window = made.request.window
      let projection = Projection(try made.request.plan(catalog), before.frozen, window: window)
      let rows = try made.rows(before)
      #expect(
        projection.snapshot.shown == Shown(rows, window, isSectioned: isSectioned),
        "seed \(seed), \(made.request)")
      for step in 0..<8 {
        var changed: Set<EntityKey> = []
        for _ in 0...random.number(5) {
          let (entity, id) = try change(context, &random)
          changed.insert(EntityKey(try #require(catalog.index(of: entity)), id))
        }
        try context.saveAndWait()
        let after = store.snapshot
        let difference = projection.fold(Array(changed), to: after.frozen)
        DifferenceLaw(
          isSectioned: isSectioned, before: try made.rows(before), after: try made.rows(after),
          windowBefore: window, windowAfter: window
        ).hold(difference, "seed \(seed), step \(step), \(made.request)")
        before = after
      }
    }
  }
}
