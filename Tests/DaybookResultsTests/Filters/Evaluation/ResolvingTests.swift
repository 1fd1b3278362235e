import DaybookResults
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `A filter for an entity that it does not fit` {
  private let world: FilterWorld

  init() throws { world = try FilterWorld([Thing(id: 1)], [Place(id: "p1")]) }

  private func complaint(_ text: String) -> String {
    do throws(FilterError) {
      let filter = try Filter(text)
      _ = try filter.compiled(for: world.entity, in: world.snapshot.frozen.catalog)
      return "compiled"
    } catch {
      return "\(error.column.map { "\($0): " } ?? "")\(error.sentence)"
    }
  }

  @Test func `names the nearest attribute for one that there is not`() {
    #expect(
      complaint("nmae == 'x'") == "1: Thing has no attribute 'nmae'. 'name' is the nearest.")
    #expect(
      complaint("id == 1 AND place.nam == 'x'")
        == "19: Place has no attribute 'nam'. 'name' is the nearest.")
    #expect(complaint("ID == 1") == "1: Thing has no attribute 'ID'. 'id' is the nearest.")
    #expect(
      complaint("colour == 1") == """
        1: Thing has no attribute 'colour'. It has id, flag, flagOrNot, tiny, short, middle, long, \
        natural and 17 more.
        """)
    #expect(
      complaint("ANY friends.place.hieght == 1")
        == "19: Place has no attribute 'hieght'. 'height' is the nearest.")
  }

  @Test func `says where a path can lead no further`() {
    #expect(
      complaint("name.first == 1")
        == "6: name of Thing (string) leads to no record, and names follow it.")
    #expect(
      complaint("id.first == 1")
        == "4: id of Thing (int) leads to no record, and names follow it.")
    #expect(
      complaint("ANY words.first == 1")
        == "11: words of Thing ([string]) leads to no record, and names follow it.")
  }

  @Test func `asks how many of several values are meant`() {
    let several = "has several values: ANY, ALL or NONE stands before it, or .@count behind it."
    #expect(complaint("words == 'x'") == "1: words \(several)")
    #expect(complaint("friends.name == 'x'") == "1: friends.name \(several)")
    #expect(complaint("name == places.name") == "9: places.name \(several)")
    #expect(complaint("ANY words == words") == "14: words \(several)")
    #expect(
      complaint("friends.words.@count > 1") == "9: one name of a path may have several "
        + "values, and friends and words both have.")
    #expect(complaint("friends.name.@count > 1") == "1: friends \(several)")
    #expect(
      complaint("ANY name == 'x'")
        == "5: ANY is asked of several values, and name (string) has one.")
    #expect(complaint("ALL 1 == 1") == "5: ALL is asked of several values, and 1 has one.")
    #expect(
      complaint("name.@count > 1") == "1: @count is asked of several values, and name has one.")
    #expect(
      complaint("ANY friends.friends.name == 'x'")
        == "13: one name of a path may have several values, and friends and friends both have.")
  }

  @Test func `compares only what is of a kind`() {
    #expect(complaint("long == 'x'") == #"9: long (int64) is not compared with "x"."#)
    #expect(complaint("name == 5") == "9: name (string) is not compared with 5.")
    #expect(complaint("5 == name") == "1: name (string) is not compared with 5.")
    #expect(complaint("flag == 1") == "9: flag (bool) is not compared with 1.")
    #expect(complaint("moment > 5") == "10: moment (date) is not compared with 5.")
    #expect(complaint("place == 5") == "10: place (ref:Place) is not compared with 5.")
    #expect(complaint("friend == 'x'") == #"11: friend (ref:Thing) is not compared with "x"."#)
    #expect(complaint("id IN {1, 'x'}") == #"7: id (int) is not compared with "x"."#)
    #expect(complaint("name == long") == "9: name (string) is not compared with long (int64).")
    #expect(
      complaint("friends.@count == 'x'")
        == #"19: friends.@count (a number) is not compared with "x"."#)
    #expect(
      complaint("ANY numbers > name") == "15: numbers (int32) is not compared with name (string).")
    #expect(complaint("1 == 'x'") == #"6: 1 is not compared with "x"."#)
    #expect(complaint("1 IN {1, 'x'}") == #"6: 1 is not compared with "x"."#)
  }

  @Test func `reads texts as values, or says why it cannot`() {
    #expect(
      complaint("moment > '2011-13-01'")
        == #"10: "2011-13-01" is no date: months are 01 to 12, not 13."#)
    #expect(
      complaint("mark == 'x'")
        == #"9: "x" is no uuid: expected a digit of a UUID, 0 to 9 or A to F, found 'x'."#)
    #expect(
      complaint("bytes == 'A'")
        == "10: \"A\" is no data: base64 has groups of four characters, padded with '='; "
        + "this has 1."
    )
    #expect(
      complaint("exact == 'x'")
        == #"10: "x" is no decimal: expected a digit of a number, found 'x'."#)
  }

  @Test func `asks of texts what is for texts`() {
    #expect(
      complaint("long BEGINSWITH '5'") == "1: BEGINSWITH is for texts, and long (int64) is none.")
    #expect(complaint("name LIKE 5") == "11: LIKE is for texts, and 5 is none.")
    #expect(complaint("flag ==[c] true") == "1: ==[c] is for texts, and flag (bool) is none.")
    #expect(complaint("long IN[cd] {1}") == "1: IN[cd] is for texts, and long (int64) is none.")
    #expect(
      complaint("name LIKE note") == "11: a pattern is a constant, and note (string) is none.")
    #expect(
      complaint("'x' MATCHES name") == "13: a pattern is a constant, and name (string) is none.")
  }

  @Test func `has lists where they belong`() {
    #expect(complaint("long IN 5") == "9: a list was expected, and 5 stands there.")
    #expect(
      complaint("long IN short") == "9: a list was expected, and short (int16) stands there.")
    #expect(complaint("long == {5}") == "9: one value was expected, and a list stands there.")
    #expect(complaint("{5} == long") == "1: one value was expected, and a list stands there.")
    #expect(
      complaint("long BETWEEN {5}")
        == "14: a list of two values was expected, and a list of 1 stands there.")
    #expect(
      complaint("long BETWEEN 5") == "14: a list of two values was expected, and 5 stands there.")
  }

  @Test func `names the column of a pattern that cannot be read`() {
    #expect(
      complaint("name MATCHES 'a(b'") == #"14: the pattern "a(b", column 2: '(' is not closed."#)
  }

  @Test func `is refused if it nests deeper than a text could`() throws {
    let filter = try (0..<300).reduce(Filter("id == 1")) { filter, _ in !filter }
    let error = #expect(throws: FilterError.self) {
      _ = try filter.compiled(for: world.entity, in: world.snapshot.frozen.catalog)
    }
    #expect(
      error?.sentence
        == "parentheses and NOT may stand in each other 202 deep, and this is deeper.")
  }

  @Test func `knows no entity behind a reference`() throws {
    struct Lost: Record {
      var id = 0
      var thing: Reference<Thing>?
      static let schema = RecordSchema<Lost>("Lost").reference(
        "thing", at: \.thing, onDelete: .none)
    }
    let store = try Store.inMemory(types: [Thing.self, Place.self, Lost.self])
    var catalog = Catalog()
    let definition = try #require(store.snapshot.entities.first { $0.name == "Lost" })
    _ = catalog.add(Layout(number: 1, of: definition))
    let error = #expect(throws: FilterError.self) {
      _ = try Filter("thing.name == 'x'").compiled(for: 0, in: catalog)
    }
    #expect(error.map { "\($0)" } == "filter, column 7: there is no entity Thing.")
    _ = try Filter("thing == 5").compiled(for: 0, in: catalog)
  }
}

@Suite struct `What a filter tells that it reads` {
  @Test func `is each path once, with every attribute on its way`() throws {
    let world = try FilterWorld([], [])
    let catalog = world.snapshot.frozen.catalog
    let filter = try Filter(
      "long > 1 AND long < 5 AND place.owner.name == 'x' AND ANY friends.place.name == 'x'"
        + " AND friend != nil AND places.@count > 0 AND ALL numbers > 0 AND id != 5")
    let compiled = try filter.compiled(for: world.entity, in: catalog)
    func name(_ entity: Int, _ attribute: Int?) -> String {
      let definition = catalog.newest(entity).entity
      return "\(definition.name).\(attribute.map { definition.attributes[$0].name } ?? "id")"
    }
    let lines = compiled.reads.map { read in
      let steps = read.steps.map { "\(name($0.entity, $0.attribute))\($0.isToMany ? "*" : "") > " }
      let resolved = read.resolvedEntity.map { " > \(catalog.names[$0])" } ?? ""
      return "\(read.names.joined(separator: ".")): \(steps.joined())"
        + "\(name(read.entity, read.attribute))\(resolved)"
    }
    #expect(
      lines.joined(separator: "\n") == """
        long: Thing.long
        place.owner.name: Thing.place > Place.owner > Thing.name
        friends.place.name: Thing.friends* > Thing.place > Place.name
        friend: Thing.friend > Thing
        places: Thing.places* > Place.id
        numbers: Thing.numbers
        id: Thing.id
        """)
  }
}
