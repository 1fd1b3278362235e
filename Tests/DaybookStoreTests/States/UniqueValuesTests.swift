@_spi(Tools) import DaybookStore
import StoreTestSupport
import Testing

@Suite struct `Records with equal unique values` {
  /// Returns the slots with the same values as a record with the given ones.
  private func slots(
    _ state: FrozenState, of entity: String = "Person", list: Int,
    _ values: [String: AttributeValue]
  ) throws -> [UInt32] {
    let index = try #require(state.catalog.index(of: entity))
    let layout = state.catalog.newest(index)
    var buffer = RowBuffer()
    let ordered = layout.entity.attributes.map { values[$0.name] ?? .null }
    let id: RecordIdentifier = layout.entity.identifierKind == .int ? .int(99) : "someone"
    DynamicRecord(entity, id: id, values: ordered).append(layout, to: &buffer)
    return state.reader.slots(withSameValuesAs: buffer.bytes.span.bytes, of: index, list: list)
  }

  @Test func `strings in different Unicode spellings are equal unique values`() throws {
    let indexed = try IndexedStore()
    try indexed.save(
      .set("Person", "a", ["name": .string("Zo\u{EB}")]),
      .set("Person", "b", ["name": .string("Zoe")]),
      .set("Person", "c", ["name": .string("Zoe\u{308}")]))
    let state = indexed.frozen
    #expect(try slots(state, list: 0, ["name": .string("Zo\u{EB}")]) == [0, 2])
    #expect(try slots(state, list: 0, ["name": .string("Zoe\u{308}")]) == [0, 2])
    #expect(try slots(state, list: 0, ["name": .string("Zoe")]) == [1])
    #expect(try slots(state, list: 0, ["name": .string("zoe")]) == [])
  }

  @Test func `a record without one of the unique values is not indexed`() throws {
    let indexed = try IndexedStore()
    try indexed.save(
      .set("Person", "a", ["mate": .reference("x")]),
      .set("Person", "b", ["mate": .reference("x"), "team": .reference(.int(1))]))
    let state = indexed.frozen
    #expect(try slots(state, list: 1, ["mate": .reference("x")]) == [])
    let both: [String: AttributeValue] = ["mate": .reference("x"), "team": .reference(.int(1))]
    #expect(try slots(state, list: 1, both) == [1])
    #expect(try slots(state, list: 0, both) == [])
    #expect(state.state.unique.count == 1)
  }

  @Test func `unique values belong to their attributes`() throws {
    let indexed = try IndexedStore()
    try indexed.store.define(IndexedStore.entities(2))
    try indexed.save(
      .set("Person", "a", ["rank": .int(1), "name": .string("bc")]),
      .set("Person", "b", ["rank": .int(2), "name": .string("bc")]))
    let state = indexed.frozen
    #expect(try slots(state, list: 0, ["rank": .int(1), "name": .string("bc")]) == [0])
    #expect(try slots(state, list: 0, ["rank": .int(1), "name": .string("b")]) == [])
  }

  @Test func `a string stored outside its row is compared completely`() throws {
    let indexed = try IndexedStore()
    let long = String(repeating: "e\u{301}", count: 400)
    try indexed.save(
      .set("Person", "a", ["name": .string(long)]),
      .set("Person", "b", ["name": .string(long + "!")]))
    try indexed.save(.set("Person", "a", ["name": .string(long), "mate": .reference("b")]))
    let other = String(repeating: "\u{E9}", count: 400)
    #expect(try slots(indexed.frozen, list: 0, ["name": .string(other)]) == [0])
    #expect(try slots(indexed.frozen, list: 0, ["name": .string(other + "!")]) == [1])
    try indexed.save(.delete("Person", "a"))
    #expect(try slots(indexed.frozen, list: 0, ["name": .string(other)]) == [])
  }

  @Test func `unique values with colliding index words are distinguished`() throws {
    let pair = EntityDefinition(
      "Pair", identifiedBy: .string,
      attributes: [
        AttributeDefinition("x", type: .scalar(.int64)),
        AttributeDefinition("y", type: .scalar(.int64)),
      ], unique: [["x"], ["y"]])
    let indexed = try IndexedStore()
    try indexed.store.define([pair])
    let other = Collision.value(of: "y", like: 1, of: "x", in: "Pair")
    try indexed.save(
      .set("Pair", "a", ["x": .int(1), "y": .int(100)]),
      .set("Pair", "b", ["x": .int(2), "y": .int(other)]),
      .set("Pair", "c", ["x": .int(1), "y": .int(other)]))
    #expect(try slots(indexed.frozen, of: "Pair", list: 0, ["x": .int(1)]) == [0, 2])
    #expect(try slots(indexed.frozen, of: "Pair", list: 1, ["y": .int(other)]) == [1, 2])
    // The last record has the word twice, and therefore one pair for both lists.
    #expect(indexed.frozen.state.unique.count == 5)
    try indexed.save(.set("Pair", "c", ["x": .int(1)]))
    #expect(try slots(indexed.frozen, of: "Pair", list: 0, ["x": .int(1)]) == [0, 2])
    #expect(try slots(indexed.frozen, of: "Pair", list: 1, ["y": .int(other)]) == [1])
  }

  @Test func `unique lists of a newer layout are built from existing rows`() throws {
    var indexed = try IndexedStore()
    try indexed.save(
      .set("Person", "a", ["name": .string("n"), "team": .reference(.int(1))]),
      .set("Person", "b", ["name": .string("m"), "team": .reference(.int(1))]),
      .set("Team", .int(1), ["title": .string("t")]))
    let old = indexed.frozen
    try indexed.store.define(IndexedStore.entities(1))
    // Records older than the rank attribute have its default.
    #expect(
      try slots(indexed.frozen, list: 0, ["rank": .int(3), "team": .reference(.int(1))]) == [0, 1])
    #expect(try slots(indexed.frozen, list: 1, ["name": .string("m")]) == [1])
    #expect(try slots(indexed.frozen, of: "Team", list: 0, ["title": .string("t")]) == [0])
    #expect(indexed.frozen.state.unique.count == 5)
    #expect(old.state.unique.count == 2)
    #expect(try slots(old, list: 0, ["name": .string("m")]) == [1])
    try indexed.reopen(version: 2)
    #expect(
      try slots(indexed.frozen, list: 0, ["rank": .int(4), "name": .string("n")]) == [0])
    #expect(indexed.frozen.state.unique.count == 2)
  }

  @Test func `a layout with unchanged unique lists keeps their index`() throws {
    let indexed = try IndexedStore()
    try indexed.save(.set("Person", "a", ["name": .string("n")]))
    let before = indexed.frozen.state.unique
    var entities = IndexedStore.entities(0)
    entities[0].attributes.append(AttributeDefinition("more", type: .scalar(.bool)))
    try indexed.store.define(entities)
    #expect(indexed.frozen.state.unique == before)
  }

  @Test func `reading a missing unique list traps`() async {
    await #expect(processExitsWith: .failure) {
      let indexed = try IndexedStore()
      let state = indexed.frozen
      let layout = state.catalog.newest(2)
      var buffer = RowBuffer()
      DynamicRecord("Badge", id: .uuid(Unique().id), values: [.null]).append(layout, to: &buffer)
      _ = state.reader.slots(withSameValuesAs: buffer.bytes.span.bytes, of: 2, list: 0)
    }
  }
}
