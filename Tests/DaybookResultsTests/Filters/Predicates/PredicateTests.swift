import DaybookResults
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `Filters from predicates` {
  private let world: FilterWorld
  private let things: [Thing]

  init() throws {
    world = try FilterWorld(seed: 11, count: 40)
    things = try world.snapshot.objects(Thing.self)
  }

  /// It is the filter of the text, and finds what the predicate itself is true for.
  private func expect(
    _ predicate: Predicate<Thing>, _ text: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let filter = Filter(predicate)
    #expect(filter == (try Filter(text)), sourceLocation: location)
    let expected = try things.filter { try predicate.evaluate($0) }.map {
      RecordIdentifier.int(Int64($0.id))
    }
    #expect(try world.matches(filter) == expected, sourceLocation: location)
  }

  @Test func `comparisons and logical operators of a predicate become filters`() throws {
    let least: Int64 = 5
    let moment = Date(timeIntervalSinceReferenceDate: 1)
    try expect(#Predicate { $0.name == "CA" && $0.long > least }, "name == 'CA' AND long > 5")
    try expect(#Predicate { $0.short != 5 || !($0.byte <= 1) }, "short != 5 OR NOT byte <= 1")
    try expect(#Predicate { $0.long < 5 || $0.long >= 6 }, "long < 5 OR long >= 6")
    try expect(#Predicate { $0.id == 7 }, "id == 7")
    try expect(#Predicate { $0.note == nil }, "note == nil")
    try expect(#Predicate { $0.note != "a" }, "note != 'a'")
    try expect(#Predicate { $0.moment == moment }, "moment == '2001-01-01T00:00:01Z'")
    try expect(#Predicate { $0.precise == 0.1 }, "precise == 0.1")
    try expect(#Predicate { $0.flag }, "flag == true")
    try expect(#Predicate { !$0.flag && true }, "NOT flag == true AND TRUEPREDICATE")
    try expect(#Predicate { ($0.name == "a") == false }, "NOT name == 'a'")
  }

  @Test func `string and array conditions of a predicate become filters`() throws {
    let names = ["a", "CA"]
    let five: Int32 = 5
    try expect(#Predicate { $0.name.contains("bb") }, "name CONTAINS 'bb'")
    try expect(#Predicate { $0.name.starts(with: "A") }, "name BEGINSWITH 'A'")
    try expect(#Predicate { $0.name.isEmpty }, "name == ''")
    try expect(#Predicate { names.contains($0.name) }, "name IN {'a', 'CA'}")
    try expect(#Predicate { $0.numbers.contains(5) }, "ANY numbers == 5")
    try expect(#Predicate { $0.numbers.contains { $0 > five } }, "ANY numbers > 5")
    try expect(#Predicate { $0.numbers.allSatisfy { five <= $0 } }, "ALL numbers >= 5")
    try expect(#Predicate { $0.numbers.isEmpty }, "numbers.@count == 0")
    try expect(#Predicate { $0.numbers.count > 1 }, "numbers.@count > 1")
  }

  @Test func `optional chaining in a predicate becomes nil comparisons`() throws {
    try expect(#Predicate { $0.note?.contains("a") == true }, "note != nil AND note CONTAINS 'a'")
    try expect(
      #Predicate { $0.note?.contains("a") == false }, "note != nil AND NOT note CONTAINS 'a'")
    try expect(
      #Predicate { $0.note?.contains("a") ?? true }, "note == nil OR note CONTAINS 'a'")
    try expect(#Predicate { $0.note?.isEmpty != true }, "NOT (note != nil AND note == '')")
    try expect(#Predicate { $0.flagOrNot ?? false }, "flagOrNot != nil AND flagOrNot == true")
    try expect(#Predicate { $0.tiny != nil && $0.tiny! > 1 }, "tiny != nil AND tiny > 1")
  }

  @Test func `a comparison of two captured values is true for all records or for none`() throws {
    let (showsAll, limit, name) = (true, 5, "a")
    let nothing: String? = nil
    let early = Date(timeIntervalSinceReferenceDate: 0)
    let late = Date(timeIntervalSinceReferenceDate: 0.5)
    let (numbers, place) = ([1, 2], Reference<Place>("p1"))
    let places = [Reference<Place>("p2")]
    try expect(#Predicate { showsAll || $0.flag }, "TRUEPREDICATE OR flag == true")
    try expect(#Predicate { $0.flag && limit > 7 }, "flag == true AND FALSEPREDICATE")
    try expect(#Predicate { _ in name == "a" }, "TRUEPREDICATE")
    try expect(#Predicate { _ in nothing != nil }, "FALSEPREDICATE")
    try expect(#Predicate { _ in early < late }, "TRUEPREDICATE")
    try expect(#Predicate { _ in numbers.contains(limit) }, "FALSEPREDICATE")
    try expect(#Predicate { _ in place == place }, "TRUEPREDICATE")
    try expect(#Predicate { _ in places.contains(place) }, "FALSEPREDICATE")
    try expect(#Predicate { _ in name.contains("b") }, "FALSEPREDICATE")
  }

  @Test func `a filter contains the captured values of its predicate`() throws {
    let thing = Thing(id: 3, name: "CA")
    let name = thing.name
    try expect(#Predicate { $0.name == name }, "name == 'CA'")
    let town = Town(name: "CA", area: Town.Area(size: 5))
    try expect(
      #Predicate { $0.name == town.name && $0.long == town.area.size }, "name == 'CA' AND long == 5"
    )
  }

  struct Town: Codable, Sendable {
    struct Area: Codable, Sendable { var size: Int64 }
    var name: String
    var area: Area
  }
}
