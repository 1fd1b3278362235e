import DaybookJournal
import DaybookResults
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@Suite struct `A projection over the history of a store` {
  private func change(
    _ context: EditingContext, _ ids: Range<Int>, _ generator: inout SplitMix64
  ) throws -> Int {
    func below(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }
    let groups: [String?] = [nil, "", "a", "b", "ab", "a long name of a group", "a long name, too"]
    let id = ids.lowerBound + below(ids.count)
    guard try context.object(Item.self, id: id) != nil else {
      try context.insert(Item(id: id, group: groups[below(7)], rank: below(6)))
      return id
    }
    switch below(8) {
    case 0: try context.delete(Item.self, id: id)
    case 1, 2: try context.update(Item.self, id: id) { $0.group = groups[below(7)] }
    case 3, 4: try context.update(Item.self, id: id) { $0.rank = below(6) }
    case 5: try context.update(Item.self, id: id) { $0.note = "n\(below(3))" }
    case 6:
      try context.delete(Item.self, id: id)
      if below(2) == 0 { try context.insert(Item(id: id, group: groups[below(7)], rank: below(6))) }
    default: break
    }
    return id
  }

  @Test(arguments: [true, false])
  func `a projection shows the model's rows and exact differences`(_ isSectioned: Bool) throws {
    for seed in 0..<UInt64(FaultRow.count(600, full: 10_000)) {
      var generator = SplitMix64(seed: seed)
      func below(_ count: Int) -> Int { Int(generator.next() % UInt64(count)) }
      var list = ItemList(isSectioned: isSectioned)
      if below(2) == 0 { list.rankMax = 3 }
      if below(2) == 0 {
        list.window = ResultWindow(offset: below(4), limit: below(3) == 0 ? nil : below(8))
      }
      let store = try Store.inMemory(types: [Item.self])
      let context = store.makeContext()
      let ids = 0..<[4, 12, 40][below(3)]
      for id in ids where below(2) == 0 { try context.insert(Item(id: id, rank: below(6))) }
      try context.saveAndWait()
      var before = store.snapshot
      var moments:
        [(difference: ListDifference<DynamicRecord>, rows: [ModelRow], window: ResultWindow)] = []
      let projection = Projection(
        try list.plan(before.frozen.catalog), of: before.frozen, window: list.window)
      #expect(
        projection.snapshot.shown
          == Shown(try list.rows(before), list.window, isSectioned: isSectioned), "seed \(seed)")
      for step in 0..<10 {
        let what = "seed \(seed), step \(step)"
        if below(5) == 0 {
          let window = ResultWindow(offset: below(5), limit: below(3) == 0 ? nil : below(9))
          let rows = try list.rows(before)
          let difference = projection.received { $0.move(to: window) }
          DifferenceLaw(
            isSectioned: isSectioned, before: rows, after: rows, windowBefore: list.window,
            windowAfter: window
          ).hold(difference, what)
          list.window = window
        }
        var changed: Set<Int> = []
        for _ in 0...below(6) { changed.insert(try change(context, ids, &generator)) }
        try context.saveAndWait()
        let after = store.snapshot
        let difference = projection.received {
          $0.fold(changed.sorted().map { EntityKey(0, id: .int(Int64($0))) }, to: after.frozen)
        }
        DifferenceLaw(
          isSectioned: isSectioned, before: try list.rows(before), after: try list.rows(after),
          windowBefore: list.window, windowAfter: list.window
        ).hold(difference, what)
        moments.append((difference, try list.rows(before), list.window))
        before = after
      }
      // Any of the moments, and the last.
      let last = try #require(moments.last).difference.after.snapshot
      for moment in moments {
        let law = DifferenceLaw(
          isSectioned: isSectioned, before: moment.rows, after: try list.rows(before),
          windowBefore: moment.window, windowAfter: list.window)
        law.hold(
          ListDifference(from: moment.difference.before.snapshot, to: last), "seed \(seed), between"
        )
      }
    }
  }
}
