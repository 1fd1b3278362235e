import Daybook
import DaybookTesting
import TestSupport
import Testing

// The record begins.
struct Book: Record {
  var id = 0
  var title = ""
  var author: String?

  static let schema = RecordSchema<Book>("Book")
    .attribute("title", at: \.title).attribute("author", at: \.author)
    .searchable(\.title).searchable(\.author)
}
// The record ends.

@Suite struct `The page on searching texts` {
  private func open() async throws -> Store {
    let store = try Store.inMemory(records: Book.self)
    try await store.write { context in
      try context.insert(Book(id: 1, title: "Fußball und Ballett", author: "T. Tasse"))
      try context.insert(Book(id: 2, title: "Ballett"))
      try context.insert(Book(id: 3, title: "Der rote Ball"))
      try context.insert(Book(id: 4, title: "Ballspiele: Fußball"))
      try context.insert(Book(id: 5, title: "Tasse"))
    }
    try await store.write { context in
      try context.update(Book.self, id: 4) { $0.title = "Ball" }
      try context.update(Book.self, id: 5) { $0.title = "Tee" }
    }
    return store
  }

  @Test func `the examples find the books that the page says`() async throws {
    let store = try await open()
    // The matches begin.
    let found = try store.fetch(Book.self, where: .matches(\Book.title, words: "fus ball"))
    // The matches end.
    #expect(found.map(\.id) == [1])
    for (search, isFound) in [
      ("fus ball", true), ("FUSSBALL", true), ("ball spiele", false), ("b ba ball", true),
      ("-", true), ("", true),
    ] {
      let filter = Filter.matches(\Book.title, words: search) && \Book.id == 4
      #expect(try (store.snapshot(at: 1).count(of: Book.self, where: filter) == 1) == isFound)
    }

    // The text filter begins.
    let text = try Filter(#"title MATCHESWORDS "tasse" OR author MATCHESWORDS "tasse""#)
    let before = try store.snapshot(at: 1).fetch(Book.self, where: text)
    // The text filter ends.
    #expect(before.map(\.id) == [1, 5])
    #expect(try store.count(of: Book.self, where: text) == 1)

    // The best matches begin.
    let best = ListRequest<Book>(
      filter: .matches(\Book.title, words: "ball"),
      sortedBy: [.bestMatch(\.title, words: "ball")], limit: 20)
    let titles = try store.fetch(best).map(\.title)
    // Ball, Der rote Ball, Ballett, Fußball und Ballett
    // The best matches end.
    #expect(titles == ["Ball", "Der rote Ball", "Ballett", "Fußball und Ballett"])
    #expect(try store.first(best)?.id == 4)

    func print(_ plan: FetchPlan) { #expect("\(plan)" == "words in title of Book; 4 rows, sorted") }
    // The plan begins.
    print(try store.plan(for: best))
    // words in title of Book; 4 rows, sorted
    // The plan ends.
    #expect(try checkLaws(of: best, over: store) == 2)

    var printed: [[String]] = []
    func print(_ titles: [String]) { printed.append(titles) }
    // The live list begins.
    let results = try store.results(best)
    for await update in results {
      print(update.objects.map(\.title))
      if update.objects.count == 4 { break }
    }
    // The live list ends.
    #expect(printed == [titles])
  }

  @Test func `a ranked list of a context contains its unsaved changes`() async throws {
    let store = try await open()
    let context = store.makeContext()
    let request = ListRequest<Book>(
      filter: .matches(\Book.title, words: "ball"),
      sortedBy: [.bestMatch(\.title, words: "ball")])
    let list = FetchedResultsController(fetchRequest: request, context: context)
    try list.performFetch()
    try context.update(Book.self, id: 2) { $0.title = "ball" }
    try context.insert(Book(id: 6, title: "Die ball"))
    try context.delete(Book.self, id: 3)
    #expect(try context.fetch(request).map(\.id) == [2, 4, 6, 1])
    #expect(try context.first(request)?.id == 2)
    #expect(try store.fetch(request).map(\.id) == [4, 3, 2, 1])
  }

  @Test(arguments: [
    ("# Search texts", "record"), ("## Matches", "matches"), ("## Filters as text", "text filter"),
    ("## Best matches", "best matches"), ("## Live lists", "live list"),
    ("## Searchable attributes", "plan"),
  ]) func `the page on searching shows the code of these tests`(
    heading: String, part: String
  ) throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Search.md")
    let source = try ProjectFiles.lines("Tests/DaybookTests/Fetches/SearchPageTests.swift")
    let block = try DocumentationPage.block(
      "```swift", in: page, following: heading, from: "# Search texts")
    #expect(try block == DocumentationPage.part(part, of: source))
  }
}
