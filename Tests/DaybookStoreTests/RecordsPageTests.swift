import DaybookStore
import DaybookText
import FoundationEssentials
import TestSupport
import Testing

// The record of the example, as on the page:

// The record begins.
struct Bank: Record {
  var id = 0
  var name = ""
  var state = ""

  static let schema = RecordSchema<Bank>("Bank")
    .attribute("name", at: \.name)
    .attribute("state", at: \.state)
}
// The record ends.

@Suite struct `The page on records` {
  private let heading = "# Records in a program"

  /// A part of this file between two marks.
  private func part(_ name: String, indented: Int) throws -> [String] {
    let source = try ProjectFiles.lines("Tests/DaybookStoreTests/RecordsPageTests.swift")
    let start = try #require(source.firstIndex { $0.hasSuffix("// The \(name) begins.") })
    let end = try #require(source.firstIndex { $0.hasSuffix("// The \(name) ends.") })
    return source[(start + 1)..<end].map { String($0.dropFirst(indented)) }
  }

  @Test func `the example on the records page runs and prints its output`() async throws {
    let page = try ProjectFiles.lines("Sources/DaybookStore/DaybookStore.docc/Records.md")
    let code =
      try ["import DaybookStore", ""] + part("record", indented: 0) + [""]
      + part("example", indented: 4)
    #expect(
      try DocumentationPage.block("```swift", in: page, following: heading, from: heading) == code)

    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let printed = try await runExample(at: folder.appending(path: "banks.daybook").path)
    #expect(
      try DocumentationPage.block("```", in: page, following: "prints", from: heading) == printed)
  }

  /// Runs the example with a local `print` function.
  private func runExample(at path: String) async throws -> [String] {
    var printed: [String] = []
    func print(_ line: String) { printed.append(line) }
    // The example begins.
    let store = try Store(at: path, records: Bank.self)
    try await store.write { context in
      try context.insert(Bank(id: 1, name: "First", state: "CA"))
      try context.insert(Bank(id: 2, name: "Second", state: "TX"))
    }

    let before = store.snapshot
    let context = store.makeContext()
    let token = context.observe { event in
      guard case .transaction(let transaction) = event else { return }
      for change in transaction.changes { print("\(change.kind) \(change.id)") }
    }
    try context.update(Bank.self, id: 1) { $0.state = "NY" }
    try context.delete(Bank.self, id: 2)
    context.processPendingChanges()  // one boundary: the observer receives both
    let receipt = try await context.save()  // durable

    print("transaction \(receipt?.sequence ?? 0): \(try store.snapshot.count(of: Bank.self)) bank")
    print("before: \(try before.count(of: Bank.self)) banks")
    print("after transaction 1: \(try store.snapshot(at: 1).objects(Bank.self).map(\.state))")
    for version in try store.history(of: "Bank", id: .int(1)) {
      print("\(version.sequence) \(version.change.kind) \(version.change.changedAttributes)")
    }
    try await store.close()
    // The example ends.
    withExtendedLifetime(token) {}
    return printed
  }

  @Test func `the example of JSON on the records page encodes and decodes records`() async throws {
    struct Note: Record {
      var id = 0
      var title = ""
      var author: Reference<Author>?

      static let schema = RecordSchema<Note>("Note")
        .attribute("title", at: \.title).reference("author", at: \.author)
    }
    struct Author: Record {
      var id = ""

      static let schema = RecordSchema<Author>("Author")
    }
    let page = try ProjectFiles.lines("Sources/DaybookStore/DaybookStore.docc/Records.md")
    let heading = "## Records as JSON"
    #expect(
      try DocumentationPage.block("```swift", in: page, following: heading, from: heading)
        == part("JSON example", indented: 4))
    let store = try Store.inMemory(records: Note.self, Author.self)
    try await store.write { context in
      try context.insert(Author(id: "ada"))
      try context.insert(Note(id: 1, title: "Rain", author: Reference("ada")))
    }
    func print(_ value: AttributeValue) { #expect(value == .string("Rain")) }
    // The JSON example begins.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let notes = try store.snapshot.objects("Note")
    let json = try encoder.encode(notes)  // [{"author":"ada","id":1,"title":"Rain"}]

    let definition = store.snapshot.entities[0]
    let copies = try JSONDecoder().decode(
      [DynamicRecord].self, from: json, configuration: definition)
    print(copies[0]["title"] ?? .null)
    // The JSON example ends.
    #expect(copies == notes)
    #expect(
      String(decoding: json, as: UTF8.self) == #"[{"author":"ada","id":1,"title":"Rain"}]"#)
  }
}
