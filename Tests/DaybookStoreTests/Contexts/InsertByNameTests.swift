import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Inserts by name` {
  private struct Club: Record, Equatable {
    var id = 0
    var title = "unnamed"
    var seats: Int?
    var rank = 3
    var tags: [String] = []
    var home: Reference<Town>?
    static let schema = RecordSchema<Club>("Club").attribute("title", at: \.title)
      .attribute("seats", at: \.seats).attribute("rank", at: \.rank).attribute("tags", at: \.tags)
      .reference("home", at: \.home, inverse: "clubs")
  }

  private struct Town: Record {
    var id = ""
    static let schema = RecordSchema<Town>("Town")
  }

  private func context() throws -> EditingContext {
    try Store.inMemory(types: [Club.self, Town.self]).makeContext()
  }

  @Test func `attributes that are not named have their defaults`() throws {
    let context = try context()
    try context.insert("Club", id: .int(1), values: ["seats": .int(9), "title": .string("A")])
    try context.insert("Club", id: .int(2), values: ["home": .reference(.string("t"))])
    try context.insert("Club", id: .int(3), values: ["rank": .int(1), "seats": .null])
    try context.insert("Town", id: .string("t"), values: [:])
    try context.saveAndWait()
    #expect(
      try context.objects(Club.self) == [
        Club(id: 1, title: "A", seats: 9), Club(id: 2, home: Reference("t")), Club(id: 3, rank: 1),
      ])
    #expect(try context.objects(Town.self).map(\.id) == ["t"])
  }

  @Test func `an insert by name is refused with the wrong name or value`() throws {
    let context = try context()
    try context.insert(Club(id: 1))
    func refusal(
      _ entity: String, id: RecordIdentifier = .int(2), _ values: [String: AttributeValue] = [:]
    ) -> String {
      sentence { try context.insert(entity, id: id, values: values) }
    }
    let problems = [
      refusal("Clubs"), refusal("Club", ["titel": .string("A")]),
      refusal("Town", id: .string("t"), ["clubs": .null]), refusal("Club", ["rank": .string("A")]),
      refusal("Club", id: .string("x")), refusal("Club", id: .int(1)),
    ]
    #expect(
      problems == [
        "store in memory: no entity 'Clubs'.",
        "store in memory: Club has no attribute 'titel'.",
        "store in memory: Town.clubs is computed from its inverse Club.home. Set Club.home instead.",
        "store in memory: Club.rank needs a value of type int64.",
        "store in memory: Club.id needs a value of type int.",
        "store in memory: Club 1 already exists.",
      ])
    try context.saveAndWait()
    #expect(try context.objects("Club").count == 1)
  }

  @Test func `a step that inserts by name runs after the entity has got attributes`() throws {
    struct Guest: Record {
      var id = 0
      static let schema = RecordSchema<Guest>("Guest")
    }
    let disk = SimulatedDisk()
    let old = try Store(at: "j", types: [Guest.self], options: .simulated(disk))
    try old.insertAndWait(contentsOf: [Guest(id: 7)])
    try old.closeAndWait()
    // When the step was released, a club had only a title.
    let step = Migration("found a club", version: 1) { context in
      for guest in try context.objects("Guest") {
        try context.insert("Club", id: guest.id, values: ["title": .string("\(guest.id)")])
      }
    }
    let store = try Store(
      at: "j", types: [Guest.self, Club.self, Town.self], migrations: [step],
      options: .simulated(disk))
    #expect(try store.snapshot.objects(Club.self) == [Club(id: 7, title: "7")])
    try store.closeAndWait()
  }
}
