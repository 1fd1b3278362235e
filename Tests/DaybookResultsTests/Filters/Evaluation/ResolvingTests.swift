import DaybookResults
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `Errors of a filter that does not fit its entity` {
  private let world: FilterWorld

  init() throws { world = try FilterWorld([Thing(id: 1)], [Place(id: "p1")]) }

  private func problem(_ text: String) -> String {
    do throws(FilterError) {
      let filter = try Filter(text)
      _ = try filter.compiled(for: world.entity, in: world.snapshot.frozen.catalog)
      return "compiled"
    } catch {
      return "\(error.column.map { "\($0): " } ?? "")\(error.sentence)"
    }
  }

  @Test func `the error for an unknown attribute suggests the nearest name`() {
    #expect(
      problem("nmae == 'x'") == "1: Thing has no attribute 'nmae'; did you mean 'name'?")
    #expect(
      problem("id == 1 AND place.nam == 'x'")
        == "19: Place has no attribute 'nam'; did you mean 'name'?")
    #expect(problem("ID == 1") == "1: Thing has no attribute 'ID'; did you mean 'id'?")
    #expect(
      problem("colour == 1") == """
        1: Thing has no attribute 'colour'. It has id, flag, flagOrNot, tiny, short, middle, long, \
        natural and 23 more.
        """)
    #expect(
      problem("ANY friends.place.hieght == 1")
        == "19: Place has no attribute 'hieght'; did you mean 'height'?")
  }

  @Test func `the error names the column where a path cannot continue`() {
    #expect(
      problem("name.first == 1")
        == "6: name of Thing is of type string; a name can only follow a reference.")
    #expect(
      problem("id.first == 1")
        == "4: id of Thing is of type int; a name can only follow a reference.")
    #expect(
      problem("ANY words.first == 1")
        == "11: words of Thing is of type [string]; a name can only follow a reference.")
  }

  @Test func `a path with several values requires ANY, ALL, NONE or a count`() {
    let several = "has several values; write ANY, ALL or NONE before it, or .@count after it."
    #expect(problem("words == 'x'") == "1: words \(several)")
    #expect(problem("friends.name == 'x'") == "1: friends.name \(several)")
    #expect(problem("name == places.name") == "9: places.name \(several)")
    #expect(problem("ANY words == words") == "14: words \(several)")
    #expect(
      problem("friends.words.@count > 1") == "9: only one name of a path can have "
        + "several values; friends and words both have.")
    #expect(problem("friends.name.@count > 1") == "1: friends \(several)")
    #expect(
      problem("ANY name == 'x'")
        == "5: ANY needs an attribute with several values; name (a string) is a single value.")
    #expect(
      problem("name.@count > 1")
        == "1: @count needs an attribute with several values; name is a single value.")
    #expect(
      problem("ANY friends.friends.name == 'x'")
        == "13: only one name of a path can have several values; friends and friends both have.")
  }

  @Test func `a filter rejects a comparison of incompatible types`() {
    #expect(problem("long == 'x'") == #"9: cannot compare long (an int64) with "x"."#)
    #expect(problem("name == 5") == "9: cannot compare name (a string) with 5.")
    #expect(problem("5 == name") == "1: cannot compare name (a string) with 5.")
    #expect(problem("flag == 1") == "9: cannot compare flag (a bool) with 1.")
    #expect(problem("moment > 5") == "10: cannot compare moment (a date) with 5.")
    #expect(problem("place == 5") == "10: cannot compare place (a reference to Place) with 5.")
    #expect(
      problem("friend == 'x'") == #"11: cannot compare friend (a reference to Thing) with "x"."#)
    #expect(problem("id IN {1, 'x'}") == #"7: cannot compare id (an int) with "x"."#)
    #expect(problem("name == long") == "9: cannot compare name (a string) with long (an int64).")
    #expect(
      problem("friends.@count == 'x'")
        == #"19: cannot compare friends.@count (a number) with "x"."#)
    #expect(
      problem("ANY numbers > name")
        == "15: cannot compare numbers (an int32) with name (a string).")
  }

  @Test func `a comparison of two constants is refused, with the attribute that it may mean`() {
    #expect(
      problem(#""name" == "x""#) == """
        1: "name" and "x" are both constants, because a text in quotation marks is a string. For the \
        attribute, write `name` in backquotes.
        """)
    #expect(
      problem("long > 1 AND 5 < 'place.height'") == """
        18: 5 and "place.height" are both constants, because a text in quotation marks is a string. \
        For the attribute, write place.height.
        """)
    #expect(
      problem("'nmae' == 'x'") == """
        1: "nmae" and "x" are both constants; a comparison needs an attribute.
        """)
    #expect(
      problem("NOT nil IN {nil}")
        == "5: nil and a list are both constants; a comparison needs an attribute.")
    #expect(
      problem("ALL 1 == 1") == "5: 1 and 1 are both constants; a comparison needs an attribute.")
    #expect(
      problem("'x' MATCHES '['")
        == #"1: "x" and "[" are both constants; a comparison needs an attribute."#)
  }

  @Test func `the errors write the names of attributes as filters do`() throws {
    var catalog = Catalog()
    let attributes = ["GICS Sector", "in", "a`b"].map {
      AttributeDefinition($0, type: .scalar(.string))
    }
    _ = catalog.add(
      Layout(
        number: 1, of: EntityDefinition("Company", identifiedBy: .string, attributes: attributes)))
    func problem(_ text: String) throws -> String {
      let filter = try Filter(text)
      let error = #expect(throws: FilterError.self) { _ = try filter.compiled(for: 0, in: catalog) }
      return error?.sentence ?? ""
    }
    #expect(
      try problem("GICSSector == 'x'")
        == "Company has no attribute 'GICSSector'; did you mean `GICS Sector`?")
    #expect(
      try problem("`Close Date` == 'x'")
        == "Company has no attribute 'Close Date'. It has id, `GICS Sector`, #in and #\"a`b\".")
    #expect(
      try problem("'GICS Sector' == 'Energy'") == """
        "GICS Sector" and "Energy" are both constants, because a text in quotation marks is a string. \
        For the attribute, write `GICS Sector` in backquotes.
        """)
    _ = try Filter("`GICS Sector` == 'Energy' AND #in != nil AND #'a`b' == ''")
      .compiled(for: 0, in: catalog)
  }

  @Test func `the error says why a string is not a valid value`() {
    #expect(
      problem("moment > '2011-13-01'")
        == #"10: "2011-13-01" is not a valid date value: months are 01 to 12, not 13."#)
    #expect(
      problem("mark == 'x'")
        == #"9: "x" is not a valid uuid value: expected a digit of a UUID, 0 to 9 or A to F, found 'x'."#
    )
    #expect(
      problem("bytes == 'A'")
        == "10: \"A\" is not a valid data value: base64 needs groups of four characters, padded with "
        + "'='; the length is 1."
    )
    #expect(
      problem("exact == 'x'")
        == #"10: "x" is not a valid decimal value: expected a digit of a number, found 'x'."#)
  }

  @Test func `a filter rejects string operators on other types`() {
    #expect(
      problem("long BEGINSWITH '5'")
        == "1: BEGINSWITH compares strings; long (an int64) is not a string.")
    #expect(problem("name LIKE 5") == "11: LIKE compares strings; 5 is not a string.")
    #expect(
      problem("flag ==[c] true") == "1: ==[c] compares strings; flag (a bool) is not a string.")
    #expect(
      problem("long IN[cd] {1}") == "1: IN[cd] compares strings; long (an int64) is not a string."
    )
    #expect(
      problem("name LIKE note") == "11: a pattern must be a constant; note (a string) is not one."
    )
    #expect(
      problem("'x' MATCHES name")
        == "13: a pattern must be a constant; name (a string) is not one.")
  }

  @Test func `a filter rejects a misplaced or missing list`() {
    #expect(problem("long IN 5") == "9: expected a list, found 5.")
    #expect(
      problem("long IN short") == "9: expected a list, found short (an int16).")
    #expect(problem("long == {5}") == "9: expected one value, found a list.")
    #expect(problem("{5} == long") == "1: expected one value, found a list.")
    #expect(
      problem("long BETWEEN {5}")
        == "14: expected a list of two values, found a list of 1.")
    #expect(
      problem("long BETWEEN 5") == "14: expected a list of two values, found 5.")
  }

  @Test func `the error names the column of an invalid pattern`() {
    #expect(
      problem("name MATCHES 'a(b'") == #"14: the pattern "a(b", column 2: '(' is not closed."#)
  }

  @Test func `compilation rejects a filter that is nested too deeply`() throws {
    let filter = try (0..<300).reduce(Filter("id == 1")) { filter, _ in !filter }
    let error = #expect(throws: FilterError.self) {
      _ = try filter.compiled(for: world.entity, in: world.snapshot.frozen.catalog)
    }
    #expect(
      error?.sentence
        == "parentheses and NOT are nested too deeply; the limit is 202 levels.")
  }

  @Test func `a filter path cannot read an unknown entity`() throws {
    struct Lost: Record {
      var id = 0
      var thing: Reference<Thing>?
      static let schema = RecordSchema<Lost>("Lost").reference(
        "thing", at: \.thing, whenTargetDeleted: .keep)
    }
    let store = try Store.inMemory(types: [Thing.self, Place.self, Lost.self])
    var catalog = Catalog()
    let definition = try #require(store.snapshot.entities.first { $0.name == "Lost" })
    _ = catalog.add(Layout(number: 1, of: definition))
    let error = #expect(throws: FilterError.self) {
      _ = try Filter("thing.name == 'x'").compiled(for: 0, in: catalog)
    }
    #expect(error.map { "\($0)" } == "filter, column 7: no entity 'Thing'.")
    _ = try Filter("thing == 5").compiled(for: 0, in: catalog)
  }
}

@Suite struct `The attributes that a filter reads` {
  @Test func `a compiled filter lists each path once with all its attributes`() throws {
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
