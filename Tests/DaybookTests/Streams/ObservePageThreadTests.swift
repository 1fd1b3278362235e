import Synchronization
import TestSupport
import Testing

// The declarations begin.
import Daybook

struct Errand: Record {
  var id = 0
  var title = ""
  var isDone = false

  static let schema = RecordSchema<Errand>("Errand")
    .attribute("title", at: \.title).attribute("isDone", at: \.isDone)
}

func openErrands(titled text: String = "") -> ListRequest<Errand> {
  ListRequest(
    filter: \Errand.isDone == false && Filter.at(\Errand.title).contains(text),
    sortedBy: [.ascending(\.title)])
}
// The declarations end.

// The delegate begins.
final class ErrandList: FetchedResultsDifferenceDelegate {
  let controller: FetchedResultsController<Errand>

  init(_ context: EditingContext) throws {
    controller = FetchedResultsController(fetchRequest: openErrands(), context: context)
    controller.delegate = self
    try controller.performFetch()
  }

  func controller(
    _ controller: FetchedResultsController<Errand>,
    didChangeContentWith difference: ListDifference<Errand>
  ) {
    print("list: \(difference)")
  }
}
// The delegate ends.

// The actor begins.
actor ErrandIndex {
  private(set) var titles: [String] = []

  init(_ store: Store) async throws {
    try store.results(openErrands()).forEach(on: self) { index, update in
      index.titles = update.objects.map(\.title)
    }
  }
}
// The actor ends.

private let printed = Mutex<[String]>([])

/// Records a line that the delegate of the page prints.
private func print(_ line: String) { printed.withLock { $0.append(line) } }

@Suite("The page on observing", .timeLimit(.minutes(5))) struct ObservePageThreadTests {
  private func open() async throws -> Store {
    let store = try Store.inMemory(records: Errand.self)
    try await store.write { context in
      try context.insert(Errand(id: 1, title: "Wash"))
      try context.insert(Errand(id: 2, title: "Cook"))
    }
    return store
  }

  @Test func `the example of a delegate shows unsaved changes`() async throws {
    let store = try await open()
    let context = store.makeContext()
    let list = try ErrandList(context)
    try context.update(Errand.self, id: 1) { $0.isDone = true }
    context.processPendingChanges()
    #expect(printed.withLock { $0 } == ["list: 1 row deleted"])
    #expect(list.controller.fetchedObjects?.map(\.title) == ["Cook"])
  }

  @Test func `the example of a stream searches`() async throws {
    let store = try await open()
    var texts: [String] = []
    func print(_ line: String) { texts.append(line) }
    // The stream begins.
    let results = try store.results(openErrands())
    for await update in results {
      if case .difference(let difference) = update { print("stream: \(difference)") }
      print("stream: \(update.objects.map(\.title))")
      if update.objects.count < 2 { break }
      try results.refetch(with: openErrands(titled: "Co"))  // usually from a search field
    }
    // The stream ends.
    #expect(
      texts == [
        #"stream: ["Cook", "Wash"]"#, "stream: 1 row deleted", #"stream: ["Cook"]"#,
      ])
  }

  @MainActor @Test func `the example of an observed list searches`() async throws {
    let store = try await open()
    // The observed list begins.
    let errands = try ObservedList(openErrands(), in: store)
    try errands.refetch(with: openErrands(titled: "Wa"))
    // The observed list ends.
    while errands.objects.count == 2 { await Task.yield() }
    #expect(errands.objects.map(\.title) == ["Wash"])
  }

  @Test func `the example of an actor has the titles of the list`() async throws {
    let store = try await open()
    let index = try await ErrandIndex(store)
    while await index.titles.isEmpty { await Task.yield() }
    try await store.write { context in try context.delete(Errand.self, id: 1) }
    while await index.titles.count == 2 { await Task.yield() }
    #expect(await index.titles == ["Cook"])
  }

  @Test(arguments: [
    ("# Observe a list", "declarations"), ("## Controllers and delegates", "delegate"),
    ("## Streams", "stream"), ("## Observed lists", "observed list"), ("## Actors", "actor"),
  ]) func `the page on observing shows the code of these tests`(
    heading: String, part: String
  ) throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Observe.md")
    let source = try ProjectFiles.lines(
      "Tests/DaybookTests/Streams/ObservePageThreadTests.swift")
    let block = try DocumentationPage.block(
      "```swift", in: page, following: heading, from: "# Observe a list")
    #expect(try block == DocumentationPage.part(part, of: source))
  }
}
