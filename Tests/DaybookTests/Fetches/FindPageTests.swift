import Daybook
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

// The records of the page begin.
private struct City: Record {
  var id = ""
  var country = ""

  static let schema = RecordSchema<City>("City").attribute("country", at: \.country)
}

private struct Person: Record {
  var id = 0
  var name = ""
  var email: String?
  var city: Reference<City>?
  var boss: Reference<Person>?

  static let schema = RecordSchema<Person>("Person")
    .attribute("name", at: \.name).attribute("email", at: \.email).unique(\.email)
    .reference("city", at: \.city).reference("boss", at: \.boss, inverse: "staff")
}
// The records of the page end.

// The records with an index begin.
private struct Issue: Record, Codable {
  var id = 0
  var project = ""
  var created = Date()
  var title = ""

  static let schema = RecordSchema<Issue>("Issue")
    .attribute("project", at: \.project).attribute("created", at: \.created)
    .attribute("title", at: \.title)
    .indexed(\.project, \.created)
}
// The records with an index end.

/// A progress bar.
private final class Bar: Sendable {
  let shown = Mutex<[Double]>([])

  func show(_ fraction: Double) { shown.withLock { $0.append(fraction) } }
}

@Suite struct `The page on finding records` {
  private func store() async throws -> Store {
    let store = try Store.inMemory(records: City.self, Person.self)
    try await store.write { context in
      try context.insert(City(id: "Leeds", country: "UK"))
      try context.insert(City(id: "Ulm", country: "DE"))
      try context.insert(
        Person(id: 1, name: "Ada", email: "ada@b.org", city: Reference("Leeds")))
      try context.insert(
        Person(
          id: 2, name: "Bo", email: "bo@b.org", city: Reference("Ulm"), boss: Reference(1)))
      try context.insert(Person(id: 3, name: "Cy", boss: Reference(2)))
    }
    try await store.write { context in try context.delete(Person.self, id: 3) }
    try await store.write { context in
      try context.insert(Person(id: 3, name: "Cy", boss: Reference(2)))
    }
    return store
  }

  /// Compares the code blocks after a heading with parts of this file.
  private func compare(_ heading: String, with parts: [String]) throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Find.md")
    let source = try ProjectFiles.lines("Tests/DaybookTests/Fetches/FindPageTests.swift")
    let first = try #require(page.firstIndex(of: heading))
    let end = page[(first + 1)...].firstIndex { $0.hasPrefix("## ") } ?? page.endIndex
    var blocks: [[String]] = []
    var block: [String]?
    for line in page[first..<end] {
      if line == "```swift" {
        block = []
      } else if line == "```", let whole = block {
        blocks.append(whole)
        block = nil
      } else {
        block?.append(line)
      }
    }
    let expected = try parts.map { try DocumentationPage.part($0, of: source) }
    #expect(blocks == expected)
  }

  @Test func `the examples on the page find the records that the page says`() async throws {
    try compare("# Find records", with: ["records of the page"])
    try compare("## One record", with: ["calls for one record"])
    try compare("## Several records", with: ["calls for several records", "request"])
    try compare("## Paths through references", with: ["path"])
    try compare("## Paths through inverses", with: ["inverse"])
    try compare("## Counts, identifiers and values", with: ["counts"])
    try compare("## Earlier records, and unsaved ones", with: ["moments", "history"])
    try compare("## Without record types", with: ["names"])
    try compare("## Long searches", with: ["long search"])

    let store = try await store()
    let bar = Bar()
    var printed: [String] = []
    func print(_ parts: Any...) {
      printed.append(parts.map { "\($0)" }.joined(separator: " "))
    }
    // The calls for one record begin.
    let ada = try store.object(Person.self, id: 1)  // by its identifier
    let city = try store.object(ada?.city)  // by a reference
    let bo = try store.object(Person.self, where: \.email, is: "bo@b.org")  // by a unique value
    let last = try store.first(Person.self, sortedBy: [.descending(\.name)])
    let newcomer = try store.first(Person.self, where: \Person.email == nil)
    // The calls for one record end.
    #expect((ada?.name, city?.country, bo?.id, last?.id) == ("Ada", "UK", 2, 3))
    #expect(newcomer?.name == "Cy")

    // The calls for several records begin.
    let everyone = try store.fetch(Person.self)  // in the order of their creation
    let locals = try store.fetch(
      Person.self, where: Filter.at(\Person.city, at: \.country) == "UK",
      sortedBy: [.ascending(\.name)])
    let staff = try store.snapshot.records(referringTo: 1, by: \Person.boss)
    // The calls for several records end.
    #expect(everyone.map(\.id) == [1, 2, 3])
    #expect(locals.map(\.id) == [1])
    #expect(staff.map(\.id) == [2])

    // The request begins.
    let request = ListRequest<Person>(
      filter: \Person.email != nil, sortedBy: [.ascending(\.name)],
      sectionedBy: .by(\.city, at: \.country), limit: 100)
    let people = try store.fetch(request)
    let leader = try store.first(request)
    for section in try store.sections(request) { print(section.name, section.objects.map(\.name)) }
    // The request ends.
    #expect(people.map(\.id) == [2, 1])
    #expect(leader?.id == 2)
    #expect(printed == [#"DE ["Bo"]"#, #"UK ["Ada"]"#])

    // The path begins.
    let path = Filter.at(\Person.boss).at(\.city).at(\.country)
    let abroad = try store.fetch(Person.self, where: path != "UK", sortedBy: [.ascending(path)])
    // The path ends.
    #expect(abroad.map(\.id) == [1, 3])

    // The inverse begins.
    let reports = Filter.objects(\Person.boss)
    let leaders = try store.fetch(
      Person.self, where: reports.count > 0, sortedBy: [.descending(reports.count)])
    let bosses = try store.fetch(Person.self, where: reports.any.at(\.name) == "Bo")
    let again = try store.fetch(Person.self, where: Filter("ANY staff.name == 'Bo'"))
    // The inverse ends.
    #expect(leaders.map(\.id) == [1, 2])
    #expect(bosses.map(\.id) == [1] && again.map(\.id) == [1])

    // The counts begin.
    let count = try store.count(of: Person.self)
    let reachable = try store.count(of: Person.self, where: \Person.email != nil)
    let ids = try store.snapshot.fetchIdentifiers(request)
    let values = try store.snapshot.fetchValues(request, of: [.attribute(\.name)])
    // The counts end.
    #expect((count, reachable) == (3, 2))
    #expect(ids == [2, 1])
    #expect(values.map { $0[0] } == [.string("Bo"), .string("Ada")])

    // The moments begin.
    let before = try store.snapshot(at: store.snapshot.sequence - 1).fetch(Person.self)
    let yesterday = try store.snapshot(at: Date(timeIntervalSinceNow: -86_400)).count(
      of: Person.self)

    let context = store.makeContext()
    try context.insert(Person(id: 4, name: "Dee", email: "dee@b.org"))
    let dee = try context.object(Person.self, where: \.email, is: "dee@b.org")  // not saved yet
    // The moments end.
    #expect(before.map(\.id) == [1, 2])
    #expect(yesterday == 0)
    #expect(dee?.id == 4)
    #expect(try store.object(Person.self, where: \.email, is: "dee@b.org") == nil)

    try await store.write { context in try context.delete(Person.self, id: 3) }
    // The history begins.
    let old = try store.history(of: Person.self, id: 3).last?.old
    // The history ends.
    #expect(old?.name == "Cy")

    printed = []
    // The names begin.
    let person = try store.snapshot.object("Person", id: .int(1))
    print(person?["name"] ?? .null)
    let named = ListRequest(
      entity: "Person", filter: try Filter("name BEGINSWITH 'A'"),
      sortedBy: [.ascending(named: "name")])
    print(try store.fetch(named).map(\.id))
    // The names end.
    #expect(printed == ["\(AttributeValue.string("Ada"))", "[\(RecordIdentifier.int(1))]"])

    // The long search begins.
    let found = try await store.fetch(request) { progress in bar.show(progress.fraction) }
    // The long search ends.
    #expect(found.identifiers == [2, 1])
    #expect(bar.shown.withLock { $0.last } == 1)
  }
  @Test func `the examples on the page find records by an index`() throws {
    try compare(
      "## Find by an index",
      with: ["records with an index", "indexed fetch", "next page", "answer"])
    let store = try Store.inMemory(records: Issue.self)
    _ = try store.insertAndWait(
      contentsOf: (0..<60).map { number in
        Issue(
          id: number, project: number % 2 == 0 ? "Daybook" : "Other",
          created: Date(timeIntervalSinceReferenceDate: Double(number)), title: "\(number)")
      })
    var printed: [String] = []
    func print(_ part: Any) { printed.append("\(part)") }
    // The indexed fetch begin.
    let newest = ListRequest<Issue>(
      filter: \Issue.project == "Daybook", sortedBy: [.descending(\.created)], limit: 20)
    for issue in try store.fetch(newest) { print(issue.title) }
    print(try store.plan(for: newest))
    // index project, created of Issue: equality on project; 20 of 30 rows, in order
    // The indexed fetch end.
    #expect(printed.dropLast() == (0..<20).map { "\(58 - 2 * $0)" }[...])
    #expect(
      printed.last
        == "index project, created of Issue: equality on project; 20 of 30 rows, in order")
    // The next page begins.
    let page = try store.fetch(newest)
    let next = try store.fetch(newest.after(page.endPosition))
    // The next page ends.
    #expect(next.map(\.id) == (0..<10).map { 18 - 2 * $0 })
    // The answer begins.
    let answer = try JSONEncoder().encode(next)
    let link = try JSONEncoder().encode(next.endPosition)
    // The answer ends.
    let decoded = try JSONDecoder().decode([Issue].self, from: answer)
    #expect(decoded.map(\.id) == next.map(\.id) && decoded.map(\.title) == next.map(\.title))
    #expect(try JSONDecoder().decode(ListPosition.self, from: link) == next.endPosition)
    let none = try store.fetch(Issue.self, where: \Issue.project == "None")
    #expect(try JSONEncoder().encode(none) == Data("[]".utf8))
  }
}
