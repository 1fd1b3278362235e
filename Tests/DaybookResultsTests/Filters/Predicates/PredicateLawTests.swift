import DaybookResults
import DaybookStore
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Rows that match a predicate` {
  @Test(arguments: 0..<UInt64(FaultRow.count(6, full: 60)))
  func `a lowered predicate finds the records for which it is true`(seed: UInt64) throws {
    let world = try FilterWorld(seed: seed, count: 40)
    let things = try world.snapshot.objects(Thing.self)
    var random = RandomFilters(seed: seed)
    var (mixedCount, openCount) = (0, 0)
    for place in 0..<150 {
      let drawn = RandomPredicate(depth: place % 4, &random)
      let filter = Filter(drawn.predicate)
      let answers = things.map { drawn.answer($0) }
      let expected = zip(things, answers).filter { $1 == true }.map {
        RecordIdentifier.int(Int64($0.0.id))
      }
      #expect(try world.matches(filter) == expected, "\(filter)")
      #expect(try world.matches(!filter).count == answers.count { $0 == false }, "\(filter)")
      // Where Foundation has an answer it is the same; it traps for some.
      for (thing, answer) in zip(things, answers) where thing.long != .max && thing.tiny != 0 {
        guard let evaluated = try? drawn.predicate.evaluate(thing) else { continue }
        #expect(answer == evaluated, "\(filter)")
      }
      if filter.evaluatesPredicates, filter.depth > 0 { mixedCount += 1 }
      if answers.contains(nil) { openCount += 1 }
    }
    #expect(mixedCount > 40 && openCount > 20)
  }
}

@Suite struct `Evaluated conditions` {
  private func thing(_ id: Int, tiny: Int8?, short: Int16) -> Thing {
    var thing = Thing(id: id, tiny: tiny, short: short)
    thing.flag = id % 2 == 0
    return thing
  }

  /// Returns the results of a filter over a few things, the number of evaluations, and the number
  /// that threw.
  private func found(_ predicate: Predicate<Thing>) throws -> (String, ResultStatistics) {
    let world = try FilterWorld(
      [
        thing(1, tiny: nil, short: 1), thing(2, tiny: nil, short: 2),
        thing(3, tiny: 0, short: 3), thing(4, tiny: 5, short: .max),
      ], [])
    let frozen = world.snapshot.frozen
    let compiled = try Filter(predicate).compiled(for: world.entity, in: frozen.catalog)
    let found = (1...4).filter { compiled.matches(world.row(.int($0)), in: frozen) }
    return (found.map { "\($0)" }.joined(separator: " "), compiled.statistics)
  }

  private func expect(
    _ predicate: Predicate<Thing>, _ expected: String, rows: Int, failures: Int,
    first: String? = nil, location: SourceLocation = #_sourceLocation
  ) throws {
    let (found, statistics) = try found(predicate)
    #expect(found == expected, sourceLocation: location)
    #expect(
      statistics
        == ResultStatistics(
          evaluatedRows: rows, failedEvaluations: failures, firstFailure: first),
      sourceLocation: location)
  }

  private let unwrapped = "Found nil when unwrapping value of type 'Optional<Int8>'"

  @Test func `a predicate without evaluated conditions evaluates no rows`() throws {
    try expect(#Predicate { $0.short > 1 }, "2 3 4", rows: 0, failures: 0)
  }

  @Test func `evaluated conditions run last and only if the result is open`() throws {
    try expect(#Predicate { $0.size > 9 && $0.flag }, "", rows: 2, failures: 0)
    try expect(#Predicate { $0.size >= 0 || $0.flag }, "1 2 3 4", rows: 2, failures: 0)
    try expect(
      #Predicate { $0.size < 9 && ($0.size >= 0 && $0.flag) }, "2 4", rows: 2, failures: 0)
  }

  @Test func `a row with several evaluated conditions is counted once`() throws {
    try expect(#Predicate { $0.size >= 0 && $0.name.count == 0 }, "1 2 3 4", rows: 4, failures: 0)
  }

  @Test func `a condition that throws matches no row, negated or not`() throws {
    try expect(
      #Predicate { $0.tiny! + 1 > 1 }, "4", rows: 4, failures: 2, first: unwrapped)
    try expect(
      #Predicate { !($0.tiny! + 1 > 1) }, "3", rows: 4, failures: 2, first: unwrapped)
    try expect(
      #Predicate { !(!($0.tiny! + 1 > 1)) }, "4", rows: 4, failures: 2, first: unwrapped)
    try expect(
      #Predicate { !($0.tiny! + 1 > 1 || $0.flag) }, "3", rows: 2, failures: 1, first: unwrapped)
  }

  @Test func `a row matches despite an error if the result does not depend on it`() throws {
    try expect(
      #Predicate { $0.tiny! + 1 > 1 || $0.size >= 0 }, "1 2 3 4", rows: 4, failures: 2,
      first: unwrapped)
    try expect(
      #Predicate { !($0.tiny! + 1 > 1 && $0.size > 9) }, "1 2 3 4", rows: 4, failures: 2,
      first: unwrapped)
  }

  @Test func `an evaluated condition throws where Swift would trap`() throws {
    let (one, two): (Int16, Int16) = (1, 2)
    let five: Int8 = 5
    try expect(
      #Predicate { $0.short + one > 2 }, "2 3", rows: 4, failures: 1,
      first: "32767 + 1 is out of range for Int16")
    try expect(
      #Predicate { $0.short * two - $0.short == 2 }, "2", rows: 4, failures: 1,
      first: "32767 * 2 is out of range for Int16")
    try expect(
      #Predicate { -$0.short - two < -4 }, "3", rows: 4, failures: 1,
      first: "-32767 - 2 is out of range for Int16")
    try expect(
      #Predicate { $0.tiny != nil && five / $0.tiny! == 1 }, "4", rows: 2, failures: 1,
      first: "5 / 0 divides by zero")
    try expect(
      #Predicate { $0.tiny != nil && five % $0.tiny! == 0 }, "4", rows: 2, failures: 1,
      first: "5 % 0 divides by zero")
  }

  @Test func `conditions are evaluated on rows of an earlier layout`() throws {
    struct Early: Record {
      var id = 0
      var name = ""
      static let schema = RecordSchema<Early>("E").attribute("name", at: \.name)
    }
    struct Late: Record {
      var id: Int8 = 0
      var more = 7
      var title = ""
      static let schema = RecordSchema<Late>("E").attribute("more", at: \.more)
        .attribute("title", at: \.title, renamedFrom: "name")
    }
    try TemporaryDirectory.with { directory in
      let store = try Store(at: directory.path("j"), records: Early.self)
      let context = store.makeContext()
      for (id, name) in [(1, "a"), (2, "ab"), (300, "ab")] {
        try context.insert(Early(id: id, name: name))
      }
      try context.saveAndWait()
      try store.closeAndWait()
      let later = try Store(at: directory.path("j"), records: Late.self)
      let frozen = later.snapshot.frozen
      let entity = try #require(frozen.catalog.index(of: "E"))
      let filter = Filter(#Predicate<Late> { $0.title.count + $0.more == 9 })
      let compiled = try filter.compiled(for: entity, in: frozen.catalog)
      let found = [1, 2, 300].filter {
        compiled.matches(
          frozen.reader.location(of: IdentifierBytes(.int($0)), in: entity), in: frozen)
      }
      #expect(found == [2])
      // No record of the type has the identifier of the last.
      #expect(
        compiled.statistics
          == ResultStatistics(
            evaluatedRows: 3, failedEvaluations: 1,
            firstFailure: "Late cannot represent the identifier of the row"))
      try later.closeAndWait()
    }
  }
}
