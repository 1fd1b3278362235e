import DaybookEssentials
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `Aggregates` {
  @Test func `groups and totals equal those of a model, also of a window and with a condition`()
    throws
  {
    for seed in 0..<UInt64(FaultRow.count(400, full: 8000, least: 40)) {
      var random = RandomFilters(seed: seed)
      let world = try FilterWorld(seed: seed, count: 5 + random.number(40))
      var filters = TypedFilters(seed: seed, world)
      let catalog = world.snapshot.frozen.catalog
      let request = try RandomRequest(&random, &filters, catalog).request
      var measures = RandomMeasures(&random).measures
      measures.append(.distinct(named: random.one(of: ["name", "precise", "place", "short"])))
      let path = random.one(of: [
        "flagOrNot", "tiny", "precise", "exact", "note", "place", "friend.name", "mark", "moment",
      ])
      let names = path.split(separator: ".").map(String.init)
      let what = "seed \(seed), by \(path), \(request)"
      let groups = try request.aggregate(
        measures, by: names, having: nil, in: world.snapshot.frozen)

      // A list in sections by the same value has the same groups.
      var list = ListRequest(
        entity: "Thing", filter: request.filter, sectionedBy: Sectioning(path: names))
      let rows = Projection(
        try request.plan(catalog), of: world.snapshot.frozen, window: request.window
      ).snapshot.identifiers
      if request.window != ResultWindow() { list.filter = .ids(rows) }
      let sections = Projection(try list.plan(catalog), of: world.snapshot.frozen).snapshot
      #expect(groups.count == sections.sectionCount, "\(what)")
      let plain = PlainTotals(snapshot: world.snapshot)
      let reader = PlainReader(snapshot: world.snapshot)
      for (section, group) in groups.enumerated() {
        let ids = sections.identifiers(atRanks: sections.ranks(ofSection: section))
        try plain.check(group.values, measures, of: ids, "section \(section), \(what)")
        let record = try #require(try world.snapshot.object("Thing", id: ids[0]))
        #expect(
          TotalValue.value(group.key).attributeValue.isNull
            == (reader.value(names, of: record) == nil), "\(what)")
        #expect(group.name == sections.name(ofSection: section), "\(what)")
      }

      let all = try request.aggregate(measures, by: nil, having: nil, in: world.snapshot.frozen)
      #expect(all.count == 1)
      try plain.check(all[0].values, measures, of: rows, "all, \(what)")

      // A condition keeps the groups that satisfy it.
      let limit = random.number(4)
      let kept = try request.aggregate(
        measures, by: names, having: Filter("@count > \(limit) OR key == nil"),
        in: world.snapshot.frozen)
      let counted = try request.aggregate(
        [.count], by: names, having: nil, in: world.snapshot.frozen)
      let expected = zip(groups, counted).filter {
        $1.values[0].integer ?? 0 > limit || $1.key.isNull
      }
      #expect(kept.map(\.values) == expected.map(\.0.values), "\(what)")
      #expect(kept.map(\.key) == expected.map(\.0.key), "\(what)")
    }
  }

  // MARK: Conditions

  private func world() throws -> FilterWorld {
    var things: [Thing] = []
    for id in 0..<8 {
      var thing = Thing(id: id)
      thing.name = ["a", "b", "c"][id % 3]
      thing.long = id == 7 ? .max : Int64(id)
      thing.exact = Decimal(id) / 10
      thing.precise = id < 3 ? nil : Double(id)
      thing.flagOrNot = id == 0 ? nil : id % 2 == 0
      thing.moment = Date(timeIntervalSinceReferenceDate: Double(id))
      things.append(thing)
    }
    return try FilterWorld(things, [])
  }

  private func keys(_ condition: String) throws -> [AttributeValue] {
    let world = try world()
    let request = ListRequest<Thing>(sortedBy: [.ascending(\.name)])
    return try request.aggregate(
      [.count], by: ["name"], having: Filter(condition), in: world.snapshot.frozen
    ).map(\.key)
  }

  @Test func `conditions compare the key and every total`() throws {
    #expect(try keys("key IN {'a', 'c'}") == [.string("a"), .string("c")])
    #expect(try keys("@count == 2") == [.string("c")])
    #expect(try keys("@COUNT >= 3 AND key > 'a'") == [.string("b")])
    #expect(try keys("@sum.long > 9223372036854775807") == [.string("b")])
    #expect(try keys("@sum.exact == 0.9") == [.string("a")])
    #expect(try keys("@sum.exact BETWEEN {0.7, 0.9}") == [.string("a"), .string("c")])
    #expect(try keys("@avg.precise == 4.5") == [.string("a")])
    #expect(try keys("@min.moment <= '2001-01-01T00:00:01Z'") == [.string("a"), .string("b")])
    #expect(try keys("@max.name == key") == [.string("a"), .string("b"), .string("c")])
    #expect(try keys("@distinct.flagOrNot == 2") == [.string("a"), .string("b"), .string("c")])
    #expect(try keys("@max.link == nil AND @min.note != 'x'").count == 3)
    #expect(try keys("@sum.exact > 0 AND NOT @min.precise < 4").count == 2)
  }

  @Test func `conditions can be written with measures`() throws {
    func text(_ filter: Filter) -> String { "\(filter)" }
    let filter = Measure<Thing>.sum(\.long) > 3 && Measure<Thing>.count <= 5
    #expect(try filter == Filter("@sum.long > 3 AND @count <= 5"))
    #expect(try Filter(text(filter)) == filter)
    let (least, most): (Measure<Thing>, Measure<Thing>) = (
      .min(\.name), .max(\.place, at: \.height)
    )
    let (average, distinct): (Measure<Thing>, Measure<Thing>) = (
      .average(\.long), .distinct(\.name)
    )
    #expect(try Filter("@min.name == 'a'") == (least == "a"))
    #expect(try Filter("@max.place.height != 5") == (most != 5))
    #expect(try Filter("@avg.long < 1.5") == (average < 1.5))
    #expect(try Filter("@distinct.name >= 2") == (distinct >= 2))
  }

  // MARK: Errors

  private func problem(
    _ measures: [Measure<Thing>], by names: [String]? = nil, having: String? = nil
  ) -> String {
    do {
      _ = try ListRequest<Thing>(sortedBy: [.ascending(\.name)]).aggregate(
        measures, by: names, having: having.map { try Filter($0) },
        in: try world().snapshot.frozen)
      return "none"
    } catch { return "\(error)" }
  }

  @Test func `measures that cannot be computed are refused with a reason`() throws {
    #expect(problem([.sum(\.name)]) == "total sum:name: a sum needs numbers; the type is string.")
    #expect(
      problem([.average(\.flag)]) == "total avg:flag: an average needs numbers; the type is bool.")
    #expect(
      problem([.min(\.numbers)])
        == "total min:numbers: a total needs a single value; the type [int32] has several.")
    #expect(
      problem([.sum(named: "lonk")]) == "Thing has no attribute 'lonk'; did you mean 'long'?")
    #expect(
      problem([.sum(named: "long.x")])
        == "Thing.long is not a reference to one record, so no other name can follow it.")
    #expect(
      problem([.count], by: ["words"])
        == "sections by words: a section key needs a single value; the type [string] has several.")
    #expect(
      problem([.count], by: ["name"], having: "@sum.name > 3")
        == "total sum:name: a sum needs numbers; the type is string.")
    #expect(
      problem([.count], by: ["name"], having: "key > 3")
        == "filter, column 7: cannot compare key (a string) with 3.")
    #expect(
      problem([.count], by: ["name"], having: "long > 3")
        == "filter, column 1: group has no attribute 'long'. It has id and key.")
  }

  @Test func `a list refuses totals that it cannot keep up to date`() throws {
    let request = ListRequest<Thing>(
      sortedBy: [.ascending(\.name)], totals: [.count, .distinct(\.name)])
    let catalog = try world().snapshot.frozen.catalog
    do throws(RequestError) {
      _ = try request.plan(catalog)
      Issue.record("no error")
    } catch {
      #expect(
        "\(error)"
          == "total distinct:name: a list cannot keep the number of different values; use aggregate."
      )
    }
  }
}

extension Filter {
  /// The filter that is true for some records.
  fileprivate static func ids(_ ids: [RecordIdentifier]) -> Filter {
    let values = ids.map { AttributeValue.int(Int64(number($0))) }
    return Filter(
      FilterComparison(
        FilterOperand(.path(["id"])), relation: .isIn,
        right: FilterOperand(.constant(FilterConstant(.array(values))))))
  }
}
