import Daybook
import FoundationEssentials
import TestSupport
import Testing

// The record of the examples, as on the page:

// The record begins.
private struct Person: Record {
  var id = UUID()
  var name = ""
  var email: String?
  var city = ""
  var visits = 0

  static let schema = RecordSchema<Person>("Person")
    .attribute("name", at: \.name)
    .attribute("email", at: \.email)
    .attribute("city", at: \.city)
    .attribute("visits", at: \.visits)
    .unique(\.email)
    .unique(\.name, \.city)
}
// The record ends.

@Suite struct `The page on writing` {
  /// The examples of the page in its order, by the names of their parts in this file.
  private static let parts = [
    "record", "write", "context", "insertion", "insertion with conflicts", "update by a closure",
    "update from the original", "update by value", "upsert", "upsert by a list", "deletion",
    "changes of matching records", "policy", "policy for unique values", "cancellation",
  ]

  @Test func `the examples on the page are those that run here`() throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Write.md")
    let source = try ProjectFiles.lines("Tests/DaybookTests/WritePageTests.swift")
    var rest = page[...]
    for part in Self.parts {
      let code = try DocumentationPage.part(part, of: source)
      let fence = try #require(rest.firstIndex(of: "```swift"), "no block for \(part)")
      let block = rest[(fence + 1)...].prefix { $0 != "```" }
      #expect(Array(block) == code, "\(part)")
      rest = rest[block.endIndex...]
    }
    #expect(!rest.contains("```swift"))
  }

  @MainActor @Test func `the examples on the page run`() async throws {
    let store = try Store.inMemory(records: Person.self)
    // The write begins.
    let ada = Person(name: "Ada", email: "ada@example.com", city: "London")
    let count = try await store.write { context in
      try context.insert(ada)
      return try context.count(of: Person.self)
    }
    // The write ends.
    #expect(count == 1)

    // The context begins.
    let context = store.makeContext()
    try context.update(Person.self, id: ada.id) { $0.city = "Paris" }
    context.processPendingChanges()  // a boundary: lists show the change
    try await context.save()  // durable
    // The context ends.
    #expect(try store.snapshot.object(Person.self, id: ada.id)?.city == "Paris")

    // The insertion begins.
    try context.insert(Person(name: "Bob"))
    try context.insert(contentsOf: [Person(name: "Eve"), Person(name: "Joe")])
    // The insertion ends.
    let downloaded = [Person(name: "Ann"), Person(name: "Bob"), Person(email: "ada@example.com")]
    // The insertion with conflicts begins.
    try context.insert(contentsOf: downloaded, onConflict: .skip)
    // The insertion with conflicts ends.
    #expect(try context.objects(Person.self).map(\.name) == ["Ada", "Bob", "Eve", "Joe", "Ann"])

    // The update by a closure begins.
    let visits = try context.update(Person.self, id: ada.id) { person in
      person.visits += 1
      return person.visits
    }
    // The update by a closure ends.
    #expect(visits == 1)

    // The update from the original begins.
    let original = try context.object(Person.self, id: ada.id)!
    var edited = original
    edited.name = "Ada Lovelace"
    try context.update(edited, from: original)
    // The update from the original ends.
    // The update by value begins.
    try context.update(edited)
    // The update by value ends.
    let updated = try #require(try context.object(Person.self, id: ada.id))
    #expect(updated.name == "Ada Lovelace" && updated.visits == 1)

    // The upsert begins.
    try context.upsert(ada)
    // The upsert ends.
    // The upsert by a list begins.
    let id = try context.upsert(Person(name: "Ada", email: "ada@example.com"), by: \.email)
    let bob = try context.upsert(Person(name: "Bob", city: "Rome"), by: \.name, \.city)
    // The upsert by a list ends.
    #expect(id == ada.id)
    #expect(try context.count(of: Person.self) == 6)
    try await context.save()

    // The deletion begins.
    try context.delete(ada)
    try context.delete(Person.self, id: bob)
    // The deletion ends.
    #expect(try context.count(of: Person.self) == 4)
    try await context.save()

    for name in ["Kim", "Lee"] {
      try context.insert(Person(name: name, city: "Rome", visits: 1))
    }
    // The changes of matching records begins.
    let moved = try context.update(Person.self, where: \Person.city == "Rome") { $0.city = "Milan" }
    let deleted = try context.delete(
      Person.self, where: \Person.visits == 0 && \Person.email == nil)
    // The changes of matching records ends.
    #expect(moved == 2 && deleted == 4)
    #expect(try context.objects(Person.self).map(\.city) == ["Milan", "Milan"])
    try await context.save()
    try await showConflict(context)
    try await showUniqueConflict(context)
    try await showCancellation(context)
  }

  /// Runs the example of the merge policy. Another context has changed the same attributes.
  @MainActor private func showConflict(_ context: EditingContext) async throws {
    let other = context.store.makeContext()
    try other.update(Person.self, where: .always) { $0.city = "Turin" }
    try context.update(Person.self, where: .always) { $0.city = "Genoa" }
    try await other.save()
    // The policy begins.
    context.mergePolicy = .contextWins
    try await context.save()
    // The policy ends.
    #expect(try context.store.snapshot.objects(Person.self).map(\.city) == ["Genoa", "Genoa"])
  }

  /// Runs the example of the policy for unique conflicts. A record with the same email exists.
  @MainActor private func showUniqueConflict(_ context: EditingContext) async throws {
    let ada = Person(name: "Ada", email: "ada@example.com", city: "London")
    try context.insert(ada)
    try await context.save()
    // The policy for unique values begins.
    context.uniqueConflictPolicy = .update
    try context.insert(Person(name: "Ada", email: "ada@example.com", city: "Rome"))
    try await context.save()
    let moved = try context.object(Person.self, where: \.email, is: "ada@example.com")
    // The policy for unique values ends.
    #expect(moved?.id == ada.id && moved?.city == "Rome")
    #expect(try context.count(of: Person.self) == 3)
  }

  /// Runs the example of a cancelled save.
  @MainActor private func showCancellation(_ context: EditingContext) async throws {
    try context.insert(Person(name: "Max"))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      // The cancellation begins.
      do throws(StoreError) {
        try await context.save()
      } catch {
        guard error.reason == .cancelled else { throw error }
        try context.rollback()  // or save later
      }
      // The cancellation ends.
    }
    try await task.value
    #expect(try !context.hasChanges && context.count(of: Person.self) == 3)
  }
}
