import DaybookResults
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `Predicates without an equivalent filter` {
  private let world: FilterWorld
  private let things: [Thing]

  init() throws {
    world = try FilterWorld(seed: 12, count: 60)
    things = try world.snapshot.objects(Thing.self)
  }

  /// It is called so, and finds what the predicate itself is true for, which is some and not all.
  private func expect(
    _ predicate: Predicate<Thing>, _ text: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let filter = Filter(predicate)
    #expect("\(filter)" == text, sourceLocation: location)
    #expect(filter.evaluatesPredicates, sourceLocation: location)
    let expected = try things.filter { try predicate.evaluate($0) }.map {
      RecordIdentifier.int(Int64($0.id))
    }
    #expect(try world.matches(filter) == expected, sourceLocation: location)
    #expect(!expected.isEmpty && expected.count < things.count, sourceLocation: location)
  }

  private func text(_ obstacle: String) -> String { "<predicate of Thing, with \(obstacle)>" }

  @Test func `an unsupported predicate is evaluated on the record`() throws {
    let (low, high): (Int8, Int8) = (0, 5)
    let some: [Int32] = [5]
    let stems = ["a": 1, "CA": 2]
    let zero: Int8 = 0
    try expect(#Predicate { $0.short + 1 > 5 }, text("Arithmetic"))
    try expect(#Predicate { $0.name.count > 2 }, text("KeyPath"))
    try expect(#Predicate { $0.size > 5 }, text("KeyPath"))
    try expect(#Predicate { ($0.tiny ?? zero) >= 1 }, text("NilCoalesce"))
    try expect(#Predicate { ($0.flag ? 1 : 2) == 1 }, text("Conditional"))
    try expect(#Predicate { (low...high).contains($0.tiny ?? -1) }, text("RangeExpressionContains"))
    try expect(#Predicate { stems[$0.name] == 2 }, text("DictionaryKeySubscript"))
    try expect(#Predicate { $0.name.contains(/[bB]+a/) }, text("StringContainsRegex"))
    try expect(#Predicate { ($0.flag) == ($0.name == "a") }, text("Equal"))
    try expect(#Predicate { $0.numbers == some }, text("KeyPath"))
    try expect(#Predicate { $0.numbers.first == 5 }, text("KeyPath"))
    try expect(#Predicate { $0.words?.count == 0 }, text("OptionalFlatMap"))
    try expect(#Predicate { $0.tiny.flatMap { _ in 5 } == 5 }, text("OptionalFlatMap"))
    try expect(
      #Predicate { thing in thing.tiny.flatMap { _ in thing.byte } == 5 }, text("OptionalFlatMap"))
  }

  @Test func `a predicate with a closure is evaluated as a whole`() throws {
    let seven: Int32 = 7
    try expect(
      #Predicate { $0.numbers.contains { $0 >= 5 && $0 < seven } }, text("Conjunction"))
    try expect(
      #Predicate { thing in thing.numbers.contains { $0 == 5 || thing.flag } },
      text("Disjunction"))
    try expect(#Predicate { $0.bytes?.contains(0x61) == true }, text("SequenceContains"))
    try expect(#Predicate { $0.name.utf8.allSatisfy { $0 != 97 } }, text("SequenceAllSatisfy"))
    try expect(
      #Predicate { thing in thing.friends.contains { $0.id == 5 } }, text("KeyPath"))
  }

  @Test func `only the unsupported part of a predicate is evaluated`() throws {
    let part = text("Arithmetic")
    try expect(
      #Predicate { $0.flag && $0.short + 1 > 5 && $0.name != "a" },
      #"flag == true AND \#(part) AND name != "a""#)
    try expect(
      #Predicate { !($0.short + 1 > 5 || $0.flag) && $0.byte < 5 },
      "NOT (\(part) OR flag == true) AND byte < 5")
    try expect(
      #Predicate { ($0.short + 1 > 5 && $0.flag) == false },
      "NOT (\(part) AND flag == true)")
    try expect(
      #Predicate { $0.short + 1 > 5 || $0.name.count > 2 },
      "\(part) OR \(text("KeyPath"))")
  }

  @Test func `an enumeration in a predicate has its own order`() throws {
    let store = try Store.inMemory(types: [Grade.self])
    let context = store.makeContext()
    for (id, level) in Grade.Level.allCases.enumerated() {
      try context.insert(Grade(id: id, level: level))
    }
    try context.saveAndWait()
    let middle = Grade.Level.fair
    let frozen = store.snapshot.frozen
    func matches(_ predicate: Predicate<Grade>) throws -> [Int] {
      let compiled = try Filter(predicate).compiled(for: 0, in: frozen.catalog)
      return (0..<3).filter {
        compiled.matches(
          frozen.reader.location(of: IdentifierBytes(.int(Int64($0))), in: 0), in: frozen)
      }
    }
    #expect(try matches(#Predicate { $0.level < middle }) == [0])
    #expect(try matches(#Predicate { $0.level == middle }) == [1])
  }

  struct Grade: Record {
    enum Level: String, Codable, Sendable, CaseIterable, ScalarRepresentable, Comparable {
      // Not as the alphabet has them.
      case good, fair, bad
      static func < (one: Level, other: Level) -> Bool {
        guard let place = allCases.firstIndex(of: one) else { return false }
        return place < allCases.firstIndex(of: other) ?? 0
      }
    }
    var id = 0
    var level = Level.bad
    var cache = 0
    static let schema = RecordSchema<Grade>("Grade").attribute("level", at: \.level)
  }

  @Test func `an evaluated predicate equals only its copies and cannot be parsed`() throws {
    let predicate = #Predicate<Thing> { $0.short + 1 > 5 }
    let filter = Filter(predicate)
    let copy = filter
    #expect(filter == copy && Set([filter, copy, !(!filter)]).count == 2)
    #expect(filter != Filter(predicate))
    #expect(throws: FilterError.self) { try Filter(filter.description) }
    #expect(throws: FilterError.self) { try Filter((!filter).description) }
    #expect((filter && \Thing.flag == true).evaluatesPredicates && (!filter).evaluatesPredicates)
    #expect(!Filter(#Predicate<Thing> { $0.short > 5 }).evaluatesPredicates)
  }

  @Test func `an evaluated predicate reads only its record`() throws {
    let filter = Filter(#Predicate<Thing> { $0.place?.id.count == 2 && $0.flag })
    let catalog = world.snapshot.frozen.catalog
    let compiled = try filter.compiled(for: world.entity, in: catalog)
    #expect(compiled.reads.map(\.names) == [["flag"]])
    try expect(
      #Predicate { $0.place?.id.count == 2 && $0.flag },
      "\(text("KeyPath")) AND flag == true")
  }
}

@Suite struct `Predicates on rows of another type` {
  private func problem(_ filter: Filter, _ types: [any Record.Type]) throws -> String {
    let store = try Store.inMemory(types: types)
    let request = ListRequest<Thing>(filter: filter, sortedBy: [.ascending(named: "id")])
    do throws(RequestError) {
      _ = try request.plan(store.snapshot.frozen.catalog)
      return "nothing"
    } catch { return "\(error)" }
  }

  @Test func `a request rejects a predicate of another type`() throws {
    let places = Filter(#Predicate<Place> { $0.tags.count + 1 > 2 })
    let sentence =
      "filter: a predicate is evaluated on Place, but the store was not opened with it for Thing."
    #expect(try problem(places, [Thing.self, Place.self]) == sentence)
    #expect(try problem(\Thing.flag == true && !places, [Thing.self, Place.self]) == sentence)
    #expect(
      try problem(Filter(#Predicate<Thing> { $0.size > 1 }), [Thing.self, Place.self])
        == "nothing")
  }

  @Test func `a filter rejects a stored property that is not an attribute`() throws {
    typealias Grade = `Predicates without an equivalent filter`.Grade
    let store = try Store.inMemory(types: [Grade.self])
    let error = #expect(throws: FilterError.self) {
      try Filter(#Predicate<Grade> { $0.cache == 1 })
        .compiled(for: 0, in: store.snapshot.frozen.catalog)
    }
    #expect(
      error?.sentence == #"Grade has no attribute '\Grade.cache'. It has id and level."#)
  }
}
