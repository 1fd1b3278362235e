import DaybookEssentials
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `The tree of totals` {
  /// The plan of totals of two columns of numbers, one of decimals and one of strings.
  private static func plan() throws -> TotalPlan {
    let store = try Store.inMemory(types: [Thing.self, Place.self])
    let request = ListRequest<Thing>(
      sortedBy: [.ascending(\.name)],
      totals: [
        .count, .sum(\.long), .average(\.long), .min(\.precise), .max(\.precise), .sum(\.precise),
        .sum(\.exact), .min(\.exact), .max(\.name),
      ])
    return try #require(try request.plan(store.snapshot.frozen.catalog).totals)
  }

  /// The tree, and the cells of its rows in order.
  private struct Pair {
    let plan: TotalPlan
    let space = PageSpace()
    var tree: TotalTree
    var rows: [[TotalCell]] = []
    /// Keeps the pages of a copy unchanged.
    var pin: PagePin?

    init(_ plan: TotalPlan, in store: Store) {
      self.plan = plan
      tree = TotalTree(plan, slots: [], of: 0, state: store.snapshot.frozen, in: space)
    }

    mutating func insert(_ row: [TotalCell], at rank: Int) {
      rows.insert(row, at: rank)
      tree.insert(row, at: rank, in: space)
    }

    mutating func replace(at rank: Int, with row: [TotalCell]) {
      rows[rank] = row
      tree.replace(at: rank, with: row, in: space)
    }

    mutating func remove(at rank: Int) {
      rows.remove(at: rank)
      tree.remove(at: rank, in: space)
    }

    func values(of range: Range<Int>) -> [TotalValue] {
      var totals = plan.none
      for row in rows[range] {
        for (index, column) in plan.columns.enumerated() {
          totals[index].add(row[index], of: column)
        }
      }
      return plan.values(of: totals, rowCount: range.count)
    }

    func check(_ random: inout SplitMix64, _ what: String) {
      tree.checkInvariants(cells: rows, in: space)
      for attempt in 0..<6 {
        let one = attempt == 0 ? 0 : random.below(rows.count + 1)
        let other = attempt == 0 ? rows.count : random.below(rows.count + 1)
        let range = min(one, other)..<max(one, other)
        #expect(
          plan.values(of: tree.totals(of: range, in: space), rowCount: range.count)
            == values(of: range),
          "\(range), \(what)")
      }
    }
  }

  /// - Parameter isWide: A Boolean value that indicates whether the sum of the doubles needs more
  ///   than 128 bits.
  private func row(_ random: inout SplitMix64, isWide: Bool) -> [TotalCell] {
    var double = Double(random.below(1000)) / 8 - 50
    if isWide, random.below(3) == 0 { double *= 1e60 }
    let decimal = Decimal(random.below(1000) - 500) / 100
    let text = Array(repeating: "ab", count: random.below(9)).joined()
    func orNone(_ cell: TotalCell) -> TotalCell { random.below(5) == 0 ? .none : cell }
    return [
      orNone(.word(random.next())), orNone(.word(OrderWord.exact(double.bitPattern))),
      orNone(.decimal(PackedDecimal(decimal))),
      orNone(.value(.string(text), key: Array(text.utf8))),
    ]
  }

  @Test(arguments: 0..<UInt64(FaultRow.count(40, full: 1000, least: 6)))
  func `totals of every range equal the sum of its rows after any edits`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let store = try Store.inMemory(types: [Thing.self, Place.self])
    var pair = Pair(try Self.plan(), in: store)
    var kept: [Pair] = []
    for step in 0..<60 {
      // The tree grows to some thousand rows, and shrinks to none.
      let isGrowing = step < 30
      // In half of the histories, the sum of the doubles gets too wide at some time.
      let isWide = seed % 2 == 1 && step > 20
      for _ in 0..<random.below(300) {
        let kind = random.below(10)
        if kind < 7 ? isGrowing : kind == 7 {
          // Often one insertion after another at one rank.
          let rank =
            random.below(2) == 0
            ? pair.rows.count * (step % 3) / 2 : random.below(pair.rows.count + 1)
          pair.insert(row(&random, isWide: isWide), at: rank)
        } else if !pair.rows.isEmpty {
          let rank = random.below(pair.rows.count)
          if kind == 8 {
            pair.replace(at: rank, with: row(&random, isWide: isWide))
          } else {
            pair.remove(at: rank)
          }
        }
      }
      if step == 59 {
        while !pair.rows.isEmpty {
          pair.remove(at: random.below(pair.rows.count))
        }
      }
      pair.tree.refresh(in: pair.space)
      pair.check(&random, "seed \(seed), step \(step)")
      if random.below(6) == 0 {
        kept.append(pair)
        kept[kept.count - 1].pin = pair.space.pin()
      }
    }
    // Copies of the tree do not change with it.
    for (index, pair) in kept.enumerated() { pair.check(&random, "seed \(seed), copy \(index)") }
  }

  @Test func `a tree of many rows has the totals of its rows at once`() throws {
    let store = try Store.inMemory(types: [Thing.self, Place.self])
    let context = store.makeContext()
    for id in 0..<1000 {
      var thing = Thing(id: id)
      thing.long = Int64(id)
      thing.precise = id % 2 == 0 ? nil : Double(id) / 4
      try context.insert(thing)
    }
    try context.saveAndWait()
    let request = ListRequest<Thing>(
      sortedBy: [.descending(\.long)], totals: [.sum(\.long), .average(\.precise)])
    let projection = Projection(
      try request.plan(store.snapshot.frozen.catalog), of: store.snapshot.frozen)
    projection.checkInvariants()
    #expect(projection.snapshot.allTotals == [.integer(499_500), .value(.double(125))])
    #expect(projection.snapshot.totals(ofRanks: 990..<1000)[0] == .integer(45))
  }
}
