@_spi(Tools) import DaybookStore
import StoreTestSupport
import Testing

@Suite struct `Referrers of a record` {
  /// Returns the referrers of a record, as `entity.attribute` and the slot.
  private func referrers(
    _ indexed: IndexedStore, of entity: String, _ id: RecordIdentifier
  ) throws -> [String] {
    try names(indexed.frozen, of: entity, id)
  }

  private func names(
    _ state: FrozenState, of entity: String, _ id: RecordIdentifier
  ) throws -> [String] {
    let index = try #require(state.catalog.index(of: entity))
    var names: [String] = []
    state.reader.forEachReferrer(of: EntityKey(index, id: id)) { entity, attribute, slot in
      let definition = state.catalog.newest(entity).entity
      names.append("\(definition.name).\(definition.attributes[attribute].name) \(slot)")
    }
    return names
  }

  @Test func `single and array references are found, once per attribute`() throws {
    let indexed = try IndexedStore()
    try indexed.save(
      .set(
        "Person", "a",
        [
          "mate": .reference("b"),
          "friends": .array([.reference("b"), .reference("c"), .reference("b")]),
        ]),
      .set("Person", "b", [:]),
      .set("Team", .int(1), ["members": .array([.reference("b")])]))
    #expect(
      try referrers(indexed, of: "Person", "b")
        == ["Person.mate 0", "Person.friends 0", "Team.members 0"])
    #expect(try referrers(indexed, of: "Person", "c") == ["Person.friends 0"])
    #expect(try referrers(indexed, of: "Person", "a") == [])
    // One pair for b in a, one for c in a, and one for b in the team.
    #expect(indexed.frozen.state.references.count == 3)
  }

  @Test func `equal identifiers of different entities have different referrers`() throws {
    let indexed = try IndexedStore()
    try indexed.save(
      .set("Person", "1", ["team": .reference(.int(1)), "mate": .reference("1")]),
      .set("Team", .int(1), ["rivals": .array([.reference(.int(1))])]))
    #expect(try referrers(indexed, of: "Team", .int(1)) == ["Person.team 0", "Team.rivals 0"])
    #expect(try referrers(indexed, of: "Person", "1") == ["Person.mate 0"])
  }

  @Test func `an update moves only changed references, and a deletion removes all`() throws {
    let indexed = try IndexedStore()
    try indexed.save(
      .set("Person", "a", ["mate": .reference("x"), "friends": .array([.reference("y")])]))
    let first = indexed.frozen
    try indexed.save(
      .set("Person", "a", ["mate": .reference("z"), "friends": .array([.reference("y")])]))
    #expect(try referrers(indexed, of: "Person", "x") == [])
    #expect(try referrers(indexed, of: "Person", "y") == ["Person.friends 0"])
    #expect(try referrers(indexed, of: "Person", "z") == ["Person.mate 0"])
    try indexed.save(.delete("Person", "a"))
    #expect(indexed.frozen.state.references.tree == PageTree())
    #expect(try names(first, of: "Person", "x") == ["Person.mate 0"])
    #expect(try names(first, of: "Person", "z") == [])
  }

  @Test func `an update of other attributes edits no page of the references`() throws {
    let indexed = try IndexedStore()
    try indexed.save(.set("Person", "a", ["name": .string("a"), "mate": .reference("x")]))
    let before = indexed.frozen.state.references
    try indexed.save(.set("Person", "a", ["name": .string("b"), "mate": .reference("x")]))
    #expect(indexed.frozen.state.references == before)
  }

  @Test func `references in an array stored outside its row are found`() throws {
    let indexed = try IndexedStore()
    let rivals = (0..<200).map { AttributeValue.reference(.int($0)) }
    try indexed.save(.set("Team", .int(7), ["rivals": .array(rivals)]))
    // The unchanged array is not written again, and remains in the first transaction.
    try indexed.save(
      .set("Team", .int(7), ["title": .string("new"), "rivals": .array(rivals)]))
    #expect(try referrers(indexed, of: "Team", .int(199)) == ["Team.rivals 0"])
    #expect(indexed.frozen.state.references.count == 200)
    try indexed.save(.delete("Team", .int(7)))
    #expect(indexed.frozen.state.references.count == 0)
  }

  @Test func `referrers of records with colliding index words are distinguished`() throws {
    let indexed = try IndexedStore()
    let badge = RecordIdentifier.uuid(Collision.badge(likeTeam: 1))
    try indexed.save(
      .set("Person", "a", ["team": .reference(.int(1))]),
      .set("Person", "b", ["badge": .reference(badge)]),
      .set("Person", "c", ["badge": .reference(badge), "team": .reference(.int(1))]))
    #expect(try referrers(indexed, of: "Team", .int(1)) == ["Person.team 0", "Person.team 2"])
    #expect(try referrers(indexed, of: "Badge", badge) == ["Person.badge 1", "Person.badge 2"])
    // The last record has the word twice and therefore one pair, which remains until both
    // references are removed.
    #expect(indexed.frozen.state.references.count == 3)
    try indexed.save(.set("Person", "c", ["team": .reference(.int(1))]))
    #expect(try referrers(indexed, of: "Team", .int(1)) == ["Person.team 0", "Person.team 2"])
    #expect(try referrers(indexed, of: "Badge", badge) == ["Person.badge 1"])
    try indexed.save(.set("Person", "c", [:]))
    #expect(indexed.frozen.state.references.count == 2)
  }

  @Test func `references in rows of older layouts are read with the newest layout`() throws {
    let indexed = try IndexedStore()
    try indexed.save(
      .set(
        "Person", "a",
        [
          "mate": .reference("x"), "friends": .array([.reference("x")]),
          "team": .reference(.int(1)),
        ]))
    try indexed.store.define(IndexedStore.entities(1))
    #expect(try referrers(indexed, of: "Person", "x") == ["Person.companions 0"])
    try indexed.store.define(IndexedStore.entities(2))
    #expect(try referrers(indexed, of: "Person", "x") == ["Person.pals 0", "Person.mate 0"])
    // The reference to a team has become an array, and only a converter could convert it.
    #expect(try referrers(indexed, of: "Team", .int(1)) == [])
  }

  @Test func `entities without references have no index pages`() throws {
    let indexed = try IndexedStore()
    try indexed.save(.set("Badge", .uuid(Unique().id), ["number": .int(1)]))
    let state = indexed.frozen.state
    #expect(state.references.tree == PageTree() && state.unique.tree == PageTree())
    let entity = try #require(indexed.frozen.catalog.index(of: "Badge"))
    #expect(!indexed.frozen.catalog.isIndexed(entity))
  }
}
