import DaybookJournal
import DaybookResults
import DaybookStore
import Testing

@Suite struct `Value paths` {
  struct City: Record {
    var id = "?"
    var name = ""
    var note: String?
    static let schema = RecordSchema<City>("City").attribute("name", at: \.name).attribute(
      "note", at: \.note)
  }

  struct Person: Record {
    var id = 0
    var name = ""
    var home: Reference<City>?
    var boss: Reference<Person>?
    var visited: [Reference<City>] = []
    static let schema = RecordSchema<Person>("Person")
      .attribute("name", at: \.name).reference("home", at: \.home, whenTargetDeleted: .nullify)
      .reference(
        "boss", at: \.boss, whenTargetDeleted: .nullify
      )
      .references("visited", at: \.visited, whenTargetDeleted: .nullify)
  }

  private func snapshot() throws -> StoreSnapshot {
    let store = try Store.inMemory(types: [City.self, Person.self])
    let context = store.makeContext()
    let note = String(repeating: "n", count: 700)
    try context.insert(City(id: "w", name: "Wien", note: note))
    try context.insert(Person(id: 1, name: "one", home: Reference("w")))
    try context.insert(Person(id: 2, name: "two", home: Reference("x"), boss: Reference(1)))
    try context.insert(Person(id: 3, name: "three", boss: Reference(2)))
    try context.saveAndWait()
    return store.snapshot
  }

  private func text(_ path: [String], of id: Int, in snapshot: StoreSnapshot) throws -> String? {
    let frozen = snapshot.frozen
    let entity = try #require(frozen.catalog.index(of: "Person"))
    let found = try ValuePath(path, from: entity, in: frozen.catalog)
    let row = frozen.reader.location(of: IdentifierBytes(.int(Int64(id))), in: entity)
    return found.withBytes(of: row, in: frozen) { bytes -> String? in
      guard let bytes else { return nil }
      return RowText.text(bytes)
    }
  }

  @Test func `a path follows references to inline and external values`() throws {
    let snapshot = try snapshot()
    #expect(try text(["name"], of: 3, in: snapshot) == "three")
    #expect(try text(["home", "name"], of: 1, in: snapshot) == "Wien")
    #expect(try text(["home", "id"], of: 1, in: snapshot) == "w")
    #expect(try text(["boss", "home", "note"], of: 2, in: snapshot)?.count == 700)
    #expect(try text(["boss", "boss", "name"], of: 3, in: snapshot) == "one")
  }

  // Rule 11.
  @Test func `a path is nil where a reference is nil or dangles`() throws {
    let snapshot = try snapshot()
    #expect(try text(["home", "name"], of: 2, in: snapshot) == nil)
    #expect(try text(["home", "id"], of: 2, in: snapshot) == nil)
    #expect(try text(["home"], of: 2, in: snapshot) == "x")
    #expect(try text(["boss", "name"], of: 1, in: snapshot) == nil)
    #expect(try text(["boss", "home", "name"], of: 3, in: snapshot) == nil)
  }

  @Test func `the error of an invalid path names the position of the problem`() throws {
    let catalog = try snapshot().frozen.catalog
    let entity = try #require(catalog.index(of: "Person"))
    func problem(_ names: [String]) -> PathProblem? {
      do throws(PathProblem) {
        _ = try ValuePath(names, from: entity, in: catalog)
        return nil
      } catch { return error }
    }
    #expect(problem(["nam"]) == PathProblem(.noAttribute("nam", entity: "Person"), at: 0))
    #expect(problem(["home", "x"]) == PathProblem(.noAttribute("x", entity: "City"), at: 1))
    #expect(problem(["name", "x"]) == PathProblem(.noReference("name", entity: "Person"), at: 0))
    #expect(
      problem(["visited", "name"]) == PathProblem(.noReference("visited", entity: "Person"), at: 0))
    #expect(problem([]) == PathProblem(.empty, at: 0))
  }
}
