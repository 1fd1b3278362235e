import Daybook
import DaybookTesting
import TestSupport
import Testing

// The record of the examples, as on the page:

// The record begins.
private struct Person: Record {
  var id = 0
  var name = ""
  var age: Int?
  var home: Reference<Address>?

  static let schema = RecordSchema<Person>("Person", renamedFrom: "Contact")
    .attribute("name", at: \.name)
    .attribute("age", at: \.age, converting: { (text: String) in Int(text) })
    .reference("home", at: \.home)
    .removed("first", "last", "street", "city")
}
// The record ends.

private struct Address: Record, Equatable {
  var id = 0
  var street = ""
  var city = ""
  static let schema = RecordSchema<Address>("Address")
    .attribute("street", at: \.street).attribute("city", at: \.city)
}

/// The record of the older program.
private struct Contact: Record {
  var id = 0
  var first = ""
  var last = ""
  var age: String?
  var street: String?
  var city: String?
  static let schema = RecordSchema<Contact>("Contact")
    .attribute("first", at: \.first).attribute("last", at: \.last).attribute("age", at: \.age)
    .attribute("street", at: \.street).attribute("city", at: \.city)
}

@Suite struct `The page on migrations` {
  private static let page = "Sources/Daybook/Daybook.docc/Migrate.md"
  private static let parts = ["record", "steps", "older program", "compatible step"]

  @Test func `the examples on the page are those that run here`() throws {
    let page = try ProjectFiles.lines(Self.page)
    let source = try ProjectFiles.lines("Tests/DaybookTests/MigratePageTests.swift")
    var rest = page[...]
    for part in Self.parts {
      let code = try DocumentationPage.part(part, of: source).map {
        $0.replacing("output.print(", with: "print(").replacing("printed.print(", with: "print(")
      }
      let fence = try #require(rest.firstIndex(of: "```swift"), "no block for \(part)")
      let block = rest[(fence + 1)...].prefix { $0 != "```" }
      #expect(Array(block) == code, "\(part)")
      rest = rest[block.endIndex...]
    }
    #expect(!rest.contains("```swift"))
  }

  /// The lines that the examples print.
  private final class PrintedLines {
    var lines: [String] = []
    func print(_ value: Any) { lines += "\(value)".split(separator: "\n").map(String.init) }
  }

  @Test func `the examples on the page run and print what it says`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("people.daybook")
      let old = try Store(at: path, records: Contact.self)
      try await old.write { context in
        try context.insert(
          Contact(id: 1, first: "Ada", last: "King", age: "36", street: "Main", city: "Ems"))
        try context.insert(Contact(id: 2, first: "Bob", last: "Low"))
      }
      try await old.close()

      let output = PrintedLines()
      let newest = try await migrated(path, output: output)
      #expect(newest == ["Ada King", "Bob Low"])
      let printed = PrintedLines()
      // The older program begins.
      let older = try Store(at: path, records: Person.self, Address.self)
      printed.print(older.openingReport.newerVersion?.isReadOnly ?? false)
      do {
        try await older.write { try $0.delete(Person.self, id: 1) }
      } catch let error as StoreError {
        printed.print(error)
      }
      // The older program ends.
      try await older.close()
      let page = try ProjectFiles.lines(Self.page)
      let blocks = page.indices.filter { page[$0] == "```" && page[$0 - 1] == "" }
        .map { start in page[(start + 1)...].prefix { $0 != "```" }.joined(separator: " ") }
      let lines = printed.lines.map { $0.replacing(path, with: "people.daybook") }
      #expect(blocks == [output.lines, lines].map { $0.joined(separator: " ") })
    }
  }

  private func migrated(_ path: String, output: PrintedLines) async throws -> [String] {
    // The steps begins.
    let migrations = [
      Migration("join names", version: 1) { context in
        for person in try context.objects("Person") {
          guard case .string(let first)? = person["first"], case .string(let last)? = person["last"]
          else { continue }
          try context.setValue(
            .string("\(first) \(last)"), forKey: "name", of: "Person", id: person.id)
        }
      },
      Migration("split addresses", version: 2) { context in
        for person in try context.objects("Person") {
          guard let street = person["street"], let city = person["city"],
            ![street, city].contains(.null)
          else { continue }
          try context.insert("Address", id: person.id, values: ["street": street, "city": city])
          try context.setValue(
            .reference(person.id), forKey: "home", of: "Person", id: person.id)
        }
      },
    ]
    let store = try Store(
      at: path, records: Person.self, Address.self, migrations: migrations)
    output.print(store.openingReport)
    // The steps ends.
    #expect(store.schemaVersion == 2)
    #expect(
      try store.snapshot.objects(Address.self) == [Address(id: 1, street: "Main", city: "Ems")])
    #expect(try store.snapshot.object(Person.self, id: 1)?.home == Reference(1))
    #expect(try store.snapshot.object(Person.self, id: 1)?.age == 36)
    #expect(try store.snapshot(at: 1).objects(Person.self).map(\.id) == [1, 2])
    let names = try store.fetch(
      ListRequest<Person>(sortedBy: [.ascending(\.name)])
    ).map(\.name)
    try await store.close()
    return names
  }

  @Test func `programs of a lower version continue to write after a compatible step`() async throws
  {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("people.daybook")
      let first = Migration("start", version: 2) { _ in }
      let old = try Store(
        at: path, records: Person.self, Address.self, migrations: [first])
      try await old.write { try $0.insert(Person(id: 1, name: " Ada  King ")) }
      try await old.close()
      // The compatible step begins.
      let tidy = Migration("trim names", version: 3, compatible: true) { context in
        for person in try context.objects("Person") {
          guard case .string(let name)? = person["name"] else { continue }
          let words = name.split(separator: " ").joined(separator: " ")
          try context.setValue(.string(words), forKey: "name", of: "Person", id: person.id)
        }
      }
      // The compatible step ends.
      let new = try Store(
        at: path, records: Person.self, Address.self, migrations: [first, tidy])
      #expect(try new.snapshot.object(Person.self, id: 1)?.name == "Ada King")
      try await new.close()
      let again = try Store(
        at: path, records: Person.self, Address.self, migrations: [first])
      try await again.write { try $0.delete(Person.self, id: 1) }
      #expect(try again.schemaVersion == 3 && again.snapshot.count(of: Person.self) == 0)
      try await again.close()
    }
  }
}
