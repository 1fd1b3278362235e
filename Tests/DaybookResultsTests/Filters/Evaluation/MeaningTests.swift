import DaybookResults
import DaybookStore
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `The semantics of filters` {
  private func day(_ text: String) throws -> Date { try DateText.date(text) }

  @Test func `nil equals nil, and its order comparisons are false`() throws {
    let world = try FilterWorld([Thing(id: 1), Thing(id: 2, note: "PR")], [])
    #expect(try world.matches("note == nil") == [1])
    #expect(try world.matches("note != nil") == [2])
    #expect(try world.matches("note != 'PR'") == [1])
    #expect(try world.matches("NOT note == 'PR'") == [1])
    #expect(try world.matches("note < 'Z'") == [2])
    #expect(try world.matches("NOT note < 'Z'") == [1])
    #expect(try world.matches("note <= nil") == [])
    #expect(try world.matches("note LIKE '*'") == [2])
    #expect(try world.matches("note BEGINSWITH nil") == [])
    #expect(try world.matches("note IN {nil}") == [1])
    #expect(try world.matches("note IN {nil, 'PR'}") == [1, 2])
    #expect(try world.matches("note IN {}") == [])
    #expect(try world.matches("tiny BETWEEN {-1, 1}") == [])
    #expect(try world.matches("middle BETWEEN {nil, 1}") == [])
    #expect(try world.matches("words == nil AND words.@count == 0") == [1, 2])
    #expect(try world.matches("ALL words == 'x'") == [1, 2])
    #expect(try world.matches("ANY words == nil") == [])
  }

  @Test func `a path through a nil or dangling reference is nil`() throws {
    let world = try FilterWorld(
      [
        Thing(id: 1, place: Reference("p1"), friends: [Reference(2), Reference(9), Reference(3)]),
        Thing(id: 2, name: "b", place: Reference("p9"), friends: [Reference(9)]), Thing(id: 3),
      ], [Place(id: "p1", name: "x")])
    #expect(try world.matches("place == nil") == [2, 3])
    #expect(try world.matches("place == 'p1'") == [1])
    #expect(try world.matches("place == 'p9'") == [])
    #expect(try world.matches("place.name == nil") == [2, 3])
    #expect(try world.matches("place.name != 'y'") == [1, 2, 3])
    #expect(try world.matches("place.id == 'p9'") == [])
    #expect(try world.matches("friends.@count == 2") == [1])
    #expect(try world.matches("friends.@count == 0") == [2, 3])
    #expect(try world.matches("ANY friends == 2") == [1])
    #expect(try world.matches("ANY friends == 9") == [])
    #expect(try world.matches("9 IN friends") == [])
    #expect(try world.matches("ALL friends.name == 'b'") == [2, 3])
    #expect(try world.matches("NONE friends.name == 'b'") == [2, 3])
    #expect(try world.matches("ANY friends.place.name == nil") == [1])
    #expect(try world.matches("friends == nil") == [])
  }

  @Test func `numbers compare by value, whatever their types`() throws {
    let world = try FilterWorld(
      [
        Thing(
          id: 1, long: 1 << 53 + 1, natural: .max, single: 0.1, precise: 0x1p53,
          exact: Decimal(1) / 10),
        Thing(id: 2, long: .max, natural: 1 << 63, single: -0.0, precise: 0x1p63, exact: 5),
        Thing(id: 3, long: -1, natural: nil, single: .nan, precise: .nan, exact: .nan),
      ], [])
    #expect(try world.matches("long > precise") == [1])
    #expect(try world.matches("long < precise") == [2, 3])
    #expect(try world.matches("natural == precise") == [2])
    #expect(try world.matches("natural == 9223372036854775808.0") == [2])
    #expect(try world.matches("long == 9007199254740993.0") == [1])
    #expect(try world.matches("long < 9223372036854775807.5") == [1, 2, 3])
    #expect(try world.matches("single == 0.1") == [1])
    #expect(try world.matches("exact == 0.1") == [1])
    #expect(try world.matches("exact == %@", 0.1) == [])
    #expect(try world.matches("exact == single") == [3])
    #expect(try world.matches("single == 0") == [2])
    #expect(try world.matches("single IN {0, 'NaN'}") == [2, 3])
    #expect(try world.matches("precise == 'NaN' AND exact == 'NaN'") == [3])
    #expect(try world.matches("precise > 1e308") == [3])
    #expect(try world.matches("precise < 'Infinity'") == [1, 2])
    #expect(try world.matches("natural > -1") == [1, 2])
    #expect(try world.matches("long BETWEEN {-1, 9007199254740993}") == [1, 3])
  }

  @Test func `a comparison accepts a constant on either side`() throws {
    let world = try FilterWorld(
      [Thing(id: 4, name: "abc"), Thing(id: 5, name: "b"), Thing(id: 6)], [])
    let relations = [
      ("==", "==", [5]), ("!=", "!=", [4, 6]), ("<", ">", [4]), ("<=", ">=", [4, 5]),
      (">", "<", [6]), (">=", "<=", [5, 6]),
    ]
    for (relation, exchanged, expected) in relations {
      #expect(try world.matches("id \(relation) 5") == expected, "\(relation)")
      #expect(try world.matches("5 \(exchanged) id") == expected, "\(relation)")
      let isReflexive = ["==", "<=", ">="].contains(relation)
      #expect(try world.matches("id \(relation) id") == (isReflexive ? [4, 5, 6] : []))
    }
    #expect(try world.matches("name IN[c] {'A', 'B'}") == [5])
    #expect(try world.matches("id BETWEEN {1, 5}") == [4, 5])
    #expect(try world.matches("name MATCHES 'a.c' AND name LIKE 'a*'") == [4])
    #expect(try world.matches("name CONTAINS[c] 'BC' AND NOT name ENDSWITH nil") == [4])
    #expect(try world.matches("'abc' CONTAINS name") == [4, 5, 6])
  }

  @Test func `a string literal is parsed as the type of the other side`() throws {
    let mark = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000FF"))
    let world = try FilterWorld(
      [
        Thing(
          id: 1, moment: try day("2015-10-27"), mark: mark, bytes: Data([1, 2, 3]),
          link: URL(string: "https://a.b/c")),
        Thing(id: 2, exact: 5, moment: try day("2015-10-27T12:10:26Z")),
      ], [])
    #expect(try world.matches("moment == '2015-10-27'") == [1])
    #expect(try world.matches("moment > '2015-10-27T12:10:25'") == [2])
    #expect(try world.matches("moment == '2015-10-27T14:10:26+02:00'") == [2])
    #expect(try world.matches("moment == %@", try day("2015-10-27")) == [1])
    #expect(try world.matches("mark == '00000000-0000-0000-0000-0000000000ff'") == [1])
    #expect(try world.matches("mark == %@", mark) == [1])
    #expect(try world.matches("bytes == 'AQID'") == [1])
    #expect(try world.matches("bytes IN %@", [Data([1, 2, 3])]) == [1])
    #expect(try world.matches("link == 'https://a.b/c'") == [1])
    #expect(try world.matches("link BEGINSWITH 'https:'") == [1])
    #expect(try world.matches("exact == '5.00'") == [2])
    #expect(try world.matches("exact > '-Infinity'") == [2])
  }

  @Test func `filters compare strings by the scalars of their normal form`() throws {
    let names = ["caf\u{e9}", "cafe\u{301}", "CAFE", "STRASSE", "stra\u{df}e", "a*b", "a\nb"]
    let world = try FilterWorld(
      names.enumerated().map { Thing(id: $0.offset, name: $0.element) }, [])
    #expect(try world.matches("name == 'caf\u{e9}'") == [0, 1])
    #expect(try world.matches("name ==[c] 'caf\u{c9}'") == [0, 1])
    #expect(try world.matches("name ==[cd] 'cafe'") == [0, 1, 2])
    #expect(try world.matches("name ==[d] 'cafe'") == [0, 1])
    #expect(try world.matches("name !=[cd] 'cafe'") == [3, 4, 5, 6])
    #expect(try world.matches("name IN[c] {'strasse', 'A*B'}") == [3, 4, 5])
    #expect(try world.matches("name ENDSWITH '\u{301}'") == [])
    #expect(try world.matches("name CONTAINS 'f\u{e9}'") == [0, 1])
    #expect(try world.matches("name CONTAINS ''") == [0, 1, 2, 3, 4, 5, 6])
    #expect(try world.matches("name LIKE 'caf?'") == [0, 1])
    #expect(try world.matches(#"name LIKE 'a\\*b'"#) == [5])
    #expect(try world.matches("name LIKE 'a?b'") == [5, 6])
    #expect(try world.matches("name MATCHES 'a.b'") == [5])
    #expect(try world.matches("name MATCHES[c] 'STRASSE'") == [3, 4])
    #expect(try world.matches("name MATCHES[cd] '[A-F]+'") == [0, 1, 2])
    #expect(try world.matches("name < 'a'") == [2, 3])
    #expect(try world.matches("'strasse2' BEGINSWITH[c] name") == [3, 4])
  }

  @Test func `case folding of ASCII changes letters only`() throws {
    let scalars = (1..<128).compactMap { UnicodeScalar(UInt8($0)) }
    let world = try FilterWorld(
      scalars.enumerated().map { Thing(id: $0.offset, name: String($0.element)) }, [])
    for (place, scalar) in scalars.enumerated() {
      let folded = String(scalar).lowercased()
      let expected = scalars.indices.filter { String(scalars[$0]).lowercased() == folded }
      #expect(try world.matches("name ==[c] %@", String(scalar)) == expected, "\(place)")
    }
  }

  @Test func `a filter reads values that are stored outside their rows`() throws {
    let long = String(repeating: "n", count: 5_000)
    let world = try FilterWorld([Thing(id: 1, note: long + "x"), Thing(id: 2, note: long)], [])
    #expect(try world.matches("note ENDSWITH 'nx'") == [1])
    #expect(try world.matches("note == %@", long) == [2])
  }

  @Test func `a filter reads rows of an earlier layout as the newest layout`() throws {
    struct Early: Record {
      var id = 0
      var old: Int32 = 0
      static let schema = RecordSchema<Early>("E").attribute("old", at: \.old)
    }
    struct Late: Record {
      var id = 0
      var new: Int32 = 0
      var more = 7
      static let schema = RecordSchema<Late>("E").attribute("more", at: \.more)
        .attribute("new", at: \.new, renamedFrom: "old")
    }
    try TemporaryDirectory.with { directory in
      let store = try Store(at: directory.path("j"), records: Early.self)
      let context = store.makeContext()
      try context.insert(Early(id: 1, old: 5))
      try context.saveAndWait()
      try store.closeAndWait()
      let later = try Store(at: directory.path("j"), records: Late.self)
      let frozen = later.snapshot.frozen
      let entity = try #require(frozen.catalog.index(of: "E"))
      let row = frozen.reader.location(of: IdentifierBytes(.int(1)), in: entity)
      let filter = try Filter("new == 5 AND more == 7").compiled(for: entity, in: frozen.catalog)
      #expect(filter.matches(row, in: frozen))
      try later.closeAndWait()
    }
  }
}
