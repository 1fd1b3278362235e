import DaybookResults
import DaybookStore
import TestSupport
import Testing

@Suite struct `Rows that match a filter` {
  @Test(arguments: 0..<UInt64(FaultRow.count(6, full: 60)))
  func `a filter finds the records that a plain evaluator finds`(seed: UInt64) throws {
    let world = try FilterWorld(seed: seed, count: 36)
    let plain = PlainEvaluator(snapshot: world.snapshot)
    var filters = TypedFilters(seed: seed &+ 1000, world)
    var partCount = 0
    for place in 0..<120 {
      let filter = filters.filter(depth: place % 3)
      let expected = try world.things.filter { try plain.matches(filter, $0) }.map(\.id)
      #expect(try world.matches(filter) == expected, "\(filter)")
      if !expected.isEmpty, expected.count < world.things.count { partCount += 1 }
    }
    // A good part of them tells some records from others.
    #expect(partCount > 20)
  }

  @Test(arguments: 0..<UInt64(FaultRow.count(4, full: 40)))
  func `a filter and its parsed description find the same rows`(seed: UInt64) throws {
    let world = try FilterWorld(seed: seed, count: 24)
    var filters = TypedFilters(seed: seed &+ 2000, world)
    for _ in 0..<60 {
      let filter = filters.filter(depth: 2)
      #expect(try world.matches(Filter(filter.description)) == world.matches(filter), "\(filter)")
    }
  }

  @Test(arguments: 0..<UInt64(FaultRow.count(4, full: 40)))
  func `filters obey De Morgan's laws and double negation`(seed: UInt64) throws {
    let world = try FilterWorld(seed: seed, count: 24)
    var filters = TypedFilters(seed: seed &+ 3000, world)
    for _ in 0..<40 {
      let (one, other) = (filters.filter(depth: 1), filters.filter(depth: 1))
      #expect(try world.matches(!(one && other)) == world.matches(!one || !other))
      #expect(try world.matches(!(one || other)) == world.matches(!one && !other))
      #expect(try world.matches(!(!one)) == world.matches(one))
      let all = world.things.map(\.id)
      #expect(try world.matches(one || !one) == all)
      #expect(try world.matches(one && !one) == [])
    }
  }
}
