import DaybookResults
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `Filters built with key paths` {
  private func expect(
    _ filter: Filter, _ text: String, _ arguments: any AttributeRepresentable...,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let read = try Filter(text, arguments: arguments.map { $0.attributeValue })
    #expect(filter == read, sourceLocation: location)
    #expect(filter.description == read.description, sourceLocation: location)
  }

  @Test func `a key path filter equals the parsed filter`() throws {
    let moment = Date(timeIntervalSinceReferenceDate: 0)
    try expect(\Thing.name == "CA" && \Thing.long > 5, "name == 'CA' AND long > 5")
    try expect(
      \Thing.name != "CA" || !(\Thing.long <= 5) && \Thing.tiny >= 3,
      "name != 'CA' OR NOT long <= 5 AND tiny >= 3")
    try expect(\Thing.note == nil || \Thing.note == "x", "note == nil OR note == 'x'")
    try expect(\Thing.id == 7, "id == 7")
    try expect(\Thing.flag == true, "flag == true")
    try expect(\Thing.precise < 0.1, "precise < 0.1")
    try expect(\Thing.single < 0.1, "single < 0.1")
    try expect(\Thing.exact == 5, "exact == 5")
    try expect(\Thing.moment > moment, "moment > %@", moment)
    try expect(\Thing.place == Reference("p1"), "place == 'p1'")
    try expect(\Thing.words == nil, "words == nil")
  }

  @Test func `key path filters follow references`() throws {
    try expect(Filter.at(\Thing.place, at: \.name) == "x", "place.name == 'x'")
    try expect(Filter.at(\Thing.place, at: \.name) == nil, "place.name == nil")
    try expect(Filter.at(\Thing.place, at: \.height) != 5, "place.height != 5")
    try expect(
      Filter.at(\Thing.place, at: \.owner).at(\.long) >= 5, "place.owner.long >= 5")
    try expect(Filter.at(\Thing.friend, at: \.id) == 5, "friend.id == 5")
  }

  @Test func `key path filters support ANY, ALL and NONE`() throws {
    try expect(Filter.any(of: \Thing.words) == "x", "ANY words == 'x'")
    try expect(Filter.all(of: \Thing.numbers) > 5, "ALL numbers > 5")
    try expect(Filter.none(of: \Thing.friends, at: \.name) == "x", "NONE friends.name == 'x'")
    try expect(Filter.any(of: \Thing.friends) == Reference(5), "ANY friends == 5")
    try expect(
      Filter.any(of: \Thing.friends, at: \.place).at(\.name) == "x", "ANY friends.place.name == 'x'"
    )
    try expect(Filter.count(of: \Thing.words) > 2, "words.@count > 2")
    try expect(Filter.at(\Thing.place, at: \.tags).count > 2, "place.tags.@count > 2")
    try expect(
      Filter.at(\Thing.place, at: \.tags).any.begins(with: "x"), "ANY place.tags BEGINSWITH 'x'")
  }

  @Test func `key path filters support strings, lists and other properties`() throws {
    let name = Filter.at(\Thing.name)
    try expect(name.begins(with: "x", options: .ignoringCase), "name BEGINSWITH[c] 'x'")
    try expect(name.ends(with: "x"), "name ENDSWITH 'x'")
    try expect(
      name.contains("x", options: [.ignoringCase, .ignoringDiacritics]), "name CONTAINS[cd] 'x'")
    try expect(name.isLike("x*"), "name LIKE 'x*'")
    try expect(name.matches("x.*"), "name MATCHES 'x.*'")
    try expect(name.isEqual(to: "x", options: .ignoringDiacritics), "name ==[d] 'x'")
    try expect(name.isOne(of: ["a", "b"], options: .ignoringCase), "name IN[c] {'a', 'b'}")
    try expect(Filter.at(\Thing.tiny).isOne(of: [1, nil]), "tiny IN {1, nil}")
    try expect(Filter.at(\Thing.long).isBetween(1, and: 5), "long BETWEEN {1, 5}")
    try expect(Filter.at(\Thing.long).isLess(than: Filter.at(\Thing.short)), "long < short")
    try expect(Filter.at(\Thing.long).isGreater(than: Filter.at(\Thing.short)), "long > short")
    try expect(Filter.at(\Thing.name).isEqual(to: Filter.at(\Thing.note)), "name == note")
  }

  @Test func `a path through an inverse equals the parsed path`() throws {
    func expect(_ filter: Filter, _ text: String) throws {
      #expect(try filter == Filter(text), "\(filter)")
    }
    let followers = Filter.objects(\Thing.friend)
    try expect(followers.count > 3, "followers.@count > 3")
    try expect(followers.all.at(\.name).begins(with: "x"), "ALL followers.name BEGINSWITH 'x'")
    try expect(followers.none.at(\.long) == 1, "NONE followers.long == 1")
    try expect(
      followers.any.object(\Place.keeper).at(\.name) == "x", "ANY followers.castle.name == 'x'")
    try expect(
      Filter.objects(\Thing.friends).any.at(\.id) == 1, "ANY fans.id == 1")
    try expect(Filter.object(\Place.keeper) == nil, "castle == nil")
    try expect(Filter.object(\Place.keeper).at(\.name) == "x", "castle.name == 'x'")
    try expect(
      Filter.object(\Place.keeper).objects(\Thing.place).count == 0, "castle.things.@count == 0")
    try expect(
      Filter.at(\Thing.friend).object(\Place.keeper).at(\.height) != nil,
      "friend.castle.height != nil")
    #expect(
      SortKey.descending(followers.count) == .descending(named: "followers.@count"))
    #expect("\(SortKey.descending(followers.count))" == "followers.@count:desc")
  }

  @Test func `evaluation rejects a key path that is not an attribute`() throws {
    let world = try FilterWorld([Thing(id: 1)], [])
    let error = #expect(throws: FilterError.self) { _ = try world.matches(\Thing.shout == "x") }
    #expect(
      error.map { "\($0)" } == """
        filter: Thing has no attribute '\\Thing.<computed>'. It has id, flag, flagOrNot, tiny, short, \
        middle, long, natural and 23 more.
        """)
  }

  @Test func `a key path filter and the parsed filter find the same rows`() throws {
    let world = try FilterWorld(seed: 5, count: 30)
    #expect(
      try world.matches(\Thing.precise == 0.1 || \Thing.single == 0.1)
        == world.matches(Filter("precise == 0.1 OR single == 0.1")))
    #expect(try world.matches(\Thing.precise == 0.1).count > 0)
    #expect(try world.matches(\Thing.single == 0.1).count > 0)
  }
}

extension Thing {
  fileprivate var shout: String { name.uppercased() }
}
