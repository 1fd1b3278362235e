import Daybook
import TestSupport
import Testing

/// What the example prints, line by line.
private final class Printed {
  nonisolated(unsafe) static var lines: [String] = []
}

private func print(_ line: String) { Printed.lines.append(line) }

// The example's record and delegate, as the README has them.
private struct Bank: Record {
  var id = 0
  var name = ""
  var state = ""

  static let schema = Schema<Bank>("Bank")
    .attribute("name", \.name)
    .attribute("state", \.state)
}

// The delegate begins.
private final class BankList: FetchedResultsDifferenceDelegate {
  func controller(
    _ controller: FetchedResultsController<Bank>,
    didChangeContentWith difference: ListDifference<Bank>, flat: CollectionDifference<Int>?
  ) {
    for section in difference.insertedSections { print("new section \(section.name)") }
    for row in difference.moved { print("bank \(row.id): \(row.indexPath) to \(row.newIndexPath)") }
    for section in difference.deletedSections { print("section \(section.name) went") }
  }
}
// The delegate ends.

@Suite struct `The README on live lists` {
  private let heading = "## A live list in a program"

  @Test func `its example is the one that runs here, and prints what it says`() throws {
    let readme = try ProjectFiles.lines("README.md")
    let source = try ProjectFiles.lines("Tests/DaybookTests/ReadmeControllerTests.swift")
    func part(_ name: String, indented: Int) throws -> [String] {
      let start = try #require(source.firstIndex { $0.hasSuffix("// The \(name) begins.") })
      let end = try #require(source.firstIndex { $0.hasSuffix("// The \(name) ends.") })
      return source[(start + 1)..<end].map { line in
        let line = String(line.dropFirst(indented))
        return line.hasPrefix("private ") ? String(line.dropFirst(8)) : line
      }
    }
    let code =
      try ["import Daybook", ""] + part("delegate", indented: 0) + [""]
      + part("example", indented: 4)
    #expect(
      try DocumentationPage.block("```swift", in: readme, behind: heading, from: heading) == code)
    Printed.lines = []
    try runExample()
    #expect(
      try DocumentationPage.block("```", in: readme, behind: "prints", from: heading)
        == Printed.lines)
  }

  private func runExample() throws {
    let store = try Store.inMemory([Bank.self])
    let context = store.makeContext()
    for (id, name, state) in [(1, "First", "CA"), (2, "Second", "TX"), (3, "Third", "TX")] {
      try context.insert(Bank(id: id, name: name, state: state))
    }
    // The example begins.
    let controller = FetchedResultsController(
      fetchRequest: FetchRequest<Bank>(
        filter: \Bank.state != "PR", sortedBy: [.ascending(\Bank.name)],
        sectionedBy: .by(\Bank.state)),
      context: context)
    let list = BankList()
    controller.delegate = list
    try controller.performFetch()
    controller.sections?.forEach { section in
      print("\(section.name): \(section.objects.map(\.name))")
    }

    try context.update(Bank.self, 1) { $0.state = "NY" }  // nothing moves yet
    context.processPendingChanges()  // one boundary, one difference
    print("now \(controller.sectionIndexTitles)")
    // The example ends.
    withExtendedLifetime(list) {}
    try store.closeAndWait()
  }
}
