import Daybook
import FoundationEssentials
import TestSupport
import Testing

/// The lines that the example prints.
private final class Printed {
  nonisolated(unsafe) static var lines: [String] = []
}

private func print(_ line: Any) { Printed.lines.append("\(line)") }

// The example's record and delegate, as the pages have them.

// The record begins.
private struct Bank: Record {
  var id = 0
  var name = ""
  var state = ""

  static let schema = RecordSchema<Bank>("Bank")
    .attribute("name", at: \.name)
    .attribute("state", at: \.state)
}
// The record ends.

// The delegate begins.
private final class BankList: FetchedResultsDifferenceDelegate {
  func controller(
    _ controller: FetchedResultsController<Bank>,
    didChangeContentWith difference: ListDifference<Bank>
  ) {
    for section in difference.insertedSections { print("new section \(section.name)") }
    for row in difference.moved { print("bank \(row.id): \(row.indexPath) to \(row.newIndexPath)") }
    for section in difference.deletedSections { print("deleted section \(section.name)") }
  }
}
// The delegate ends.

// The examples print into one place, so one of them runs at a time.
@Suite(.serialized) struct `Examples in the README and on pages` {
  /// A part of this file between two marks.
  private func part(_ name: String, indented: Int) throws -> [String] {
    let source = try ProjectFiles.lines("Tests/DaybookTests/ProgramPageTests.swift")
    let start = try #require(source.firstIndex { $0.hasSuffix("// The \(name) begins.") })
    let end = try #require(source.firstIndex { $0.hasSuffix("// The \(name) ends.") })
    return source[(start + 1)..<end].map { line in
      let line = String(line.dropFirst(indented))
      return line.hasPrefix("private ") ? String(line.dropFirst(8)) : line
    }
  }

  /// Holds a section of a page to the code that runs here, and to what that prints.
  private func hold(
    _ heading: String, of page: String, _ code: [String], _ run: () throws -> Void
  ) throws {
    let page = try ProjectFiles.lines(page)
    #expect(
      try DocumentationPage.block("```swift", in: page, following: heading, from: heading) == code)
    Printed.lines = []
    try run()
    #expect(
      try DocumentationPage.block("```", in: page, following: "prints", from: heading)
        == Printed.lines)
  }

  @Test func `the program of the README prints the lines that the README shows`() async throws {
    let page = try ProjectFiles.lines("README.md")
    let (heading, paragraph) = (
      "## Use it", "This is a complete program. Paste it into `main.swift` of an empty package."
    )
    let code =
      try ["import Daybook", ""] + part("record", indented: 0) + [""]
      + part("program", indented: 4).map { $0.replacing("at: path", with: "at: \"banks.daybook\"") }
    #expect(
      try DocumentationPage.block("```swift", in: page, following: paragraph, from: heading) == code
    )
    Printed.lines = []
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await runProgram(folder.appending(path: "banks.daybook").path)
    #expect(
      try DocumentationPage.block("```", in: page, following: "It prints", from: heading)
        == Printed.lines, "it prints \(Printed.lines)")
  }

  private func runProgram(_ path: String) async throws {
    // The program begins.
    let store = try Store(at: path, records: Bank.self)
    let byState = ListRequest<Bank>(
      sortedBy: [.ascending(\Bank.name)], sectionedBy: .by(\Bank.state))

    try await store.write { try $0.insert(Bank(id: 1, name: "First", state: "CA")) }  // durable
    try await store.write { try $0.insert(Bank(id: 2, name: "Second", state: "TX")) }
    try await store.write { try $0.update(Bank.self, id: 1) { $0.state = "TX" } }

    print(try store.snapshot.fetch(byState).map(\.name))
    print(try store.snapshot(at: 2).fetch(byState).map(\.state))  // after transaction 2
    print(try store.difference(of: byState, from: 2, to: 3))  // what transaction 3 changed
    try await store.close()
    // The program ends.
  }

  @Test func `the page on controllers has what runs here, and what it prints`() throws {
    try hold(
      "# Live lists in a program", of: "Sources/Daybook/Daybook.docc/Controllers.md",
      ["import Daybook", ""] + part("delegate", indented: 0) + [""] + part("example", indented: 4),
      runExample)
  }

  @Test func `the request by name on the page on controllers finds records`() async throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Controllers.md")
    let heading = "## Requests by name"
    #expect(
      try DocumentationPage.block("```swift", in: page, following: heading, from: heading)
        == part("request by name", indented: 4))
    let store = try Store.inMemory(records: Bank.self)
    try await store.write {
      try $0.insert(Bank(id: 1, name: "First", state: "CA"))
      try $0.insert(Bank(id: 2, name: "Second", state: "TX"))
    }
    // The request by name begins.
    let request = ListRequest(
      entity: "Bank", filter: try Filter("state == 'CA'"), sortedBy: [.ascending(named: "name")])
    for bank in try store.snapshot.fetch(request) { print(bank.id, bank.values) }
    // The request by name ends.
    #expect(try store.snapshot.fetch(request).map(\.id) == [.int(1)])
  }

  @Test func `the loop on the page on controllers shows a list by collection differences`()
    async throws
  {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Controllers.md")
    let heading = "## Differences of collections"
    #expect(
      try DocumentationPage.block("```swift", in: page, following: heading, from: heading)
        == part("loop", indented: 6))
    let store = try Store.inMemory(records: Bank.self)
    try await store.write { try $0.insert(Bank(id: 1, name: "First", state: "CA")) }
    let request = ListRequest<Bank>(
      sortedBy: [.ascending(\Bank.name)], sectionedBy: .by(\Bank.state))
    let loop = Task {
      var shown: [ListElement<Int>] = []
      var reloaded: Set<Int> = []
      func reload(_ ids: Set<Int>) { reloaded.formUnion(ids) }
      // The loop begins.
      for await update in try store.results(request) {
        if let difference = update.difference,
          let next = shown.applying(difference.elementDifference)
        {
          shown = next
          reload(difference.changedIdentifiers)
        } else {
          shown = update.objects.elements
        }
      }
      // The loop ends.
      return (shown, reloaded)
    }
    while store.publications.waiterCount == 0 { await Task.yield() }
    try await store.write { context in
      try context.update(Bank.self, id: 1) { $0.state = "TX" }
      try context.insert(Bank(id: 2, name: "Second", state: "CA"))
    }
    let now = try store.snapshot.fetch(request)
    try await store.close()
    let (shown, reloaded) = try await loop.value
    #expect(shown == now.elements && shown.count == 4)
    #expect(reloaded == [1])
  }

  @Test func `the page on time travel has the journey that is made here, and what it prints`()
    throws
  {
    try hold(
      "## An example", of: "Sources/Daybook/Daybook.docc/TimeTravel.md",
      part("journey", indented: 4), runJourney)
  }

  private func runJourney() throws {
    let store = try Store.inMemory(types: [Bank.self])
    let writer = store.makeContext()
    for (id, name, state) in [(1, "First", "CA"), (2, "Second", "TX"), (3, "Third", "TX")] {
      try writer.insert(Bank(id: id, name: name, state: state))
    }
    try writer.saveAndWait()
    try writer.update(Bank.self, id: 1) { $0.state = "NY" }
    try writer.saveAndWait()
    try writer.delete(Bank.self, id: 3)
    try writer.saveAndWait()
    let request = ListRequest<Bank>(
      sortedBy: [.ascending(\Bank.name)], sectionedBy: .by(\Bank.state))
    let list = BankList()
    // The journey begins.
    let context = try store.makeContext(at: 1)  // the state after transaction 1
    let controller = FetchedResultsController(fetchRequest: request, context: context)
    controller.delegate = list
    try controller.performFetch()
    print("\(controller.sections?.map(\.name) ?? [])")
    try context.travel(to: 3)  // one difference, for transactions 2 and 3
    print("\(controller.sections?.map(\.name) ?? [])")

    try context.update(Bank.self, id: 2) { $0.state = "WA" }  // an alternative past
    context.processPendingChanges()
    try context.rollback()

    print("\(try store.difference(of: request, from: 3, to: 1))")
    let replay = try store.replay(request)
    while let step = try replay.next() {
      print("\(step.transaction.sequence ?? 0): \(step.difference)")
    }
    // The journey ends.
    withExtendedLifetime(list) {}
    try store.closeAndWait()
  }

  private func runExample() throws {
    let store = try Store.inMemory(types: [Bank.self])
    let context = store.makeContext()
    for (id, name, state) in [(1, "First", "CA"), (2, "Second", "TX"), (3, "Third", "TX")] {
      try context.insert(Bank(id: id, name: name, state: state))
    }
    // The example begins.
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Bank>(
        filter: \Bank.state != "PR", sortedBy: [.ascending(\Bank.name)],
        sectionedBy: .by(\Bank.state)),
      context: context)
    let list = BankList()
    controller.delegate = list
    try controller.performFetch()
    controller.sections?.forEach { section in
      print("\(section.name): \(section.objects.map(\.name))")
    }

    try context.update(Bank.self, id: 1) { $0.state = "NY" }  // the list does not change yet
    context.processPendingChanges()  // one boundary, one difference
    print("now \(controller.sectionIndexTitles)")
    // The example ends.
    withExtendedLifetime(list) {}
    try store.closeAndWait()
  }
}
