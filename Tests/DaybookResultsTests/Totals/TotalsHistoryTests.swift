import DaybookEssentials
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@testable import DaybookResults

/// Random measures of things.
struct RandomMeasures {
  let measures: [Measure<Thing>]

  private static let numbers = [
    "tiny", "short", "middle", "long", "natural", "byte", "single", "precise", "exact",
    "place.height", "friend.exact", "friend.precise", "place.owner.long", "id",
  ]
  private static let others = [
    "flagOrNot", "name", "note", "moment", "mark", "bytes", "link", "place", "friend.moment",
    "place.owner.note", "friend",
  ]

  init(_ random: inout RandomFilters) {
    var measures: [Measure<Thing>] = []
    for _ in 0...random.number(5) {
      let number = random.one(of: Self.numbers)
      let any = random.one(of: Self.numbers + Self.others)
      let measure: Measure<Thing> =
        switch random.number(6) {
        case 0: .count
        case 1, 2: .sum(named: number)
        case 3: .average(named: number)
        case 4: .min(named: any)
        default: .max(named: any)
        }
      if !measures.contains(measure) { measures.append(measure) }
    }
    self.measures = measures
  }
}

/// Totals by a simple model: from the values of all records, one after another.
struct PlainTotals {
  let snapshot: StoreSnapshot

  /// Checks the values of some measures of some records.
  func check(
    _ totals: [TotalValue], _ measures: [Measure<Thing>], of ids: [RecordIdentifier], _ what: String
  ) throws {
    let reader = PlainReader(snapshot: snapshot)
    let records = try ids.compactMap { try snapshot.object("Thing", id: $0) }
    #expect(totals.count == measures.count, "\(what)")
    for (measure, total) in zip(measures.map(\.definition), totals) {
      let values =
        measure.names.isEmpty ? [] : records.compactMap { reader.value(measure.names, of: $0) }
      let isRight =
        switch measure.function {
        case .count: total == .integer(Int128(records.count))
        case .sum: total == sum(values, over: nil)
        case .average: total == sum(values, over: values.count)
        case .minimum: isFirst(total, of: values, isDescending: false)
        case .maximum: isFirst(total, of: values, isDescending: true)
        case .distinct: total == .integer(Int128(Set(values).count))
        }
      #expect(isRight, "\(measure.name) is \(total) of \(values), \(what)")
    }
  }

  private func sum(_ values: [AttributeValue], over count: Int?) -> TotalValue {
    guard let first = values.first else { return .null }
    if case .decimal = first {
      var sum = ExactSum(.ten)
      for case .decimal(let number) in values { sum.add(PackedDecimal(number)) }
      let decimal = count.map { sum.decimal(dividedBy: $0) } ?? sum.decimal
      return decimal.map { .value(.decimal($0)) } ?? .overflow
    }
    var sum = ExactSum(.two)
    for value in values {
      switch value {
      case .int(let number): sum.add(Int128(number))
      case .uint(let number): sum.add(Int128(number))
      case .float(let number): sum.add(Double(number))
      case .double(let number): sum.add(number)
      default: return .null
      }
    }
    if let count { return .value(.double(sum.double(dividedBy: count))) }
    switch first {
    case .int, .uint: return .integer(sum.integer)
    default: return .value(.double(sum.double()))
    }
  }

  /// Returns whether a value is first among values in the order of sort keys.
  private func isFirst(
    _ total: TotalValue, of values: [AttributeValue], isDescending: Bool
  ) -> Bool {
    guard !values.isEmpty else { return total == .null }
    let model = OrderModel(comparator: .plain, isDescending: isDescending)
    guard case .value(let first) = total else { return false }
    let plain = if case .reference(let id) = first { id.plain } else { first }
    return values.contains { model.compare($0, plain) == 0 }
      && values.allSatisfy { model.compare(plain, $0) <= 0 }
  }
}

extension RecordIdentifier {
  fileprivate var plain: AttributeValue {
    switch self {
    case .int(let number): .int(number)
    case .uint(let number): .uint(number)
    case .string(let text): .string(text)
    case .uuid(let uuid): .uuid(uuid)
    }
  }
}

extension ResultSnapshot {
  /// The totals of the list, of all rows, and of each section.
  var everyTotal: [[TotalValue]] {
    [totals(ofRanks: visibleRanks), allTotals]
      + (0..<sectionCount).map { totals(ofRanks: ranks(ofSection: $0)) }
  }
}

/// The law of changed totals: those that differ between the two moments, and no others.
struct ChangedTotalsLaw {
  let measures: [Measure<Thing>]

  func hold(_ difference: ListDifference<DynamicRecord>, _ what: String) {
    check(difference, what)
    check(difference.inverse, "inverse, \(what)")
    check(difference.batchSafe, "batch-safe, \(what)")
  }

  private func check(_ difference: ListDifference<DynamicRecord>, _ what: String) {
    let (old, new) = (difference.before.snapshot, difference.after.snapshot)
    var expected: [ListDifference<DynamicRecord>.TotalChange] = []
    func expect(
      _ scope: ListDifference<DynamicRecord>.TotalScope, _ old: [TotalValue]?, _ new: [TotalValue]
    ) {
      for (place, measure) in measures.enumerated() where old?[place] != new[place] {
        expected.append(
          ListDifference.TotalChange(
            scope: scope, measure: Measure(measure.definition), old: old?[place], new: new[place]))
      }
    }
    expect(.list, old.totals(ofRanks: old.visibleRanks), new.totals(ofRanks: new.visibleRanks))
    if old.isWindowed { expect(.all, old.allTotals, new.allTotals) }
    for section in 0..<(new.hasSections ? new.sectionCount : 0) {
      let before = old.index(ofSection: new.identifier(ofSection: section))
      expect(
        .section(
          ListDifference.Section(index: section, name: new.name(ofSection: section))),
        before.map { old.totals(ofRanks: old.ranks(ofSection: $0)) },
        new.totals(ofRanks: new.ranks(ofSection: section)))
    }
    #expect(difference.changedTotals == expected, "\(what)")
    #expect(expected.isEmpty || !difference.isEmpty, "\(what)")
  }
}

@Suite struct `Totals of lists, over the history of a store` {
  @Test func `live totals equal those of new lists, and the totals that changed are reported`()
    throws
  {
    let world = try FilterWorld(seed: 1, count: 20)
    var totalsAloneCount = 0
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000, least: 40)) {
      var random = RandomFilters(seed: seed)
      var filters = TypedFilters(seed: seed, world)
      let store = try Store.inMemory(types: [Thing.self, Place.self])
      let context = store.makeContext()
      for _ in 0..<random.number(60) { try context.changeThings(&random) }
      try context.saveAndWait()
      let catalog = store.snapshot.frozen.catalog
      var request = try RandomRequest(&random, &filters, catalog).request
      request.totals = RandomMeasures(&random).measures
      let plan = try request.plan(catalog)
      let projection = Projection(plan, of: store.snapshot.frozen, window: request.window)
      for step in 0..<8 {
        let what = "seed \(seed), step \(step), \(request)"
        for _ in 0...random.number(5) { try context.changeThings(&random) }
        guard let saved = try context.saveAndWait() else { continue }
        let after = store.snapshot
        var transactions = try store.transactions(from: saved.sequence)
        let transaction = try #require(try transactions.next())
        let difference = projection.received { $0.fold(transaction, to: after.frozen) }
        if !difference.isEmpty, difference.script.isWithoutRows { totalsAloneCount += 1 }
        ChangedTotalsLaw(measures: request.totals).hold(difference, what)
        let snapshot = projection.snapshot
        let fresh = Projection(plan, of: after.frozen, window: request.window).snapshot
        #expect(snapshot.everyTotal == fresh.everyTotal, "\(what)")
        let plain = PlainTotals(snapshot: after)
        try plain.check(
          snapshot.allTotals, request.totals,
          of: snapshot.identifiers(atRanks: 0..<snapshot.order.count), what)
        for section in 0..<snapshot.sectionCount {
          let ranks = snapshot.ranks(ofSection: section)
          try plain.check(
            snapshot.totals(ofRanks: ranks), request.totals,
            of: snapshot.identifiers(atRanks: ranks), "section \(section), \(what)")
        }
      }
    }
    #expect(totalsAloneCount > 0)
  }

  @Test func `totals follow drafts, saves, merges, undo and rollback of a context`() throws {
    let world = try FilterWorld(seed: 1, count: 20)
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000, least: 40)) {
      var random = RandomFilters(seed: seed)
      var filters = TypedFilters(seed: seed, world)
      let store = try Store.inMemory(types: [Thing.self, Place.self])
      let context = store.makeContext()
      context.mergePolicy = .contextWins
      context.undoLimit = 5
      let other = store.makeContext()
      for _ in 0..<40 { try context.changeThings(&random) }
      try context.saveAndWait()
      let catalog = store.snapshot.frozen.catalog
      var request = try RandomRequest(&random, &filters, catalog).request
      request.totals = RandomMeasures(&random).measures
      let plan = try request.plan(catalog)
      let projection = Projection(plan, of: context.frozen, window: request.window)
      let token = context.observe { event in
        guard case .transaction(let transaction) = event else { return }
        let difference = projection.received { $0.fold(transaction, to: context.frozen) }
        ChangedTotalsLaw(measures: request.totals).hold(difference, "seed \(seed), \(request)")
      }
      for step in 0..<12 {
        switch random.number(10) {
        case 0: try context.saveAndWait()
        case 1:
          try other.mergeChanges()
          try other.changeThings(&random)
          _ = try? other.saveAndWait()
          try context.mergeChanges()
        case 2, 3: _ = try? context.undo()
        case 4: _ = try? context.redo()
        case 5 where random.number(3) == 0: try context.rollback()
        default:
          for _ in 0...random.number(4) { try context.changeThings(&random) }
          context.processPendingChanges()
        }
        let fresh = Projection(plan, of: context.frozen, window: request.window)
        #expect(
          projection.snapshot.everyTotal == fresh.snapshot.everyTotal,
          "seed \(seed), step \(step), \(request)")
      }
      withExtendedLifetime(token) {}
    }
  }
}
