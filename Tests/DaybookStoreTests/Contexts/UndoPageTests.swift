import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `The page on undo` {
  private struct Card: Record {
    var id = 0
    var title = ""
    var column = ""
    static let schema = RecordSchema<Card>("Card")
      .attribute("title", at: \.title).attribute("column", at: \.column)
  }

  @Test func `the example on the undo page runs and prints its output`() async throws {
    let heading = "# Undo and revert"
    let page = try ProjectFiles.lines("Sources/DaybookStore/DaybookStore.docc/Undo.md")
    let source = try ProjectFiles.lines("Tests/DaybookStoreTests/Contexts/UndoPageTests.swift")
    let start = try #require(source.firstIndex { $0.hasSuffix("// The example begins.") })
    let end = try #require(source.firstIndex { $0.hasSuffix("// The example ends.") })
    let code = source[(start + 1)..<end].map { String($0.dropFirst(4)) }
    #expect(
      try DocumentationPage.block("```swift", in: page, following: heading, from: heading) == code)
    let printed = try await runExample()
    #expect(
      try DocumentationPage.block("```", in: page, following: "prints", from: heading) == printed)
  }

  /// Runs the example with a local `print` function.
  private func runExample() async throws -> [String] {
    var printed: [String] = []
    func print(_ line: Any) { printed.append("\(line)") }
    let store = try Store(
      at: "cards.daybook", types: [Card.self], options: .simulated(SimulatedDisk()))
    try await store.write { context in
      try context.insert(Card(id: 1, title: "Build", column: "todo"))
      try context.insert(Card(id: 2, title: "Test", column: "todo"))
    }
    // The example begins.
    let context = store.makeContext()
    context.undoLimit = 100

    try context.undoGroup("Move Card") {
      try context.update(Card.self, id: 1) { $0.column = "done" }
      context.processPendingChanges()  // two boundaries, one undo
      try context.update(Card.self, id: 2) { $0.column = "doing" }
    }
    print("Undo \(context.undoName ?? "")")
    try context.undo()
    print("Redo \(context.redoName ?? "")")
    try context.redo()
    let move = try await context.save()?.sequence ?? 0

    try context.update(Card.self, id: 2) { $0.title = "Test more" }
    try context.delete(Card.self, id: 1)
    try await context.save()

    do { try context.revert(move) } catch { print(error) }
    for conflict in try context.revert(move, conflicts: .keepLaterValues) {
      print("kept: \(conflict.id)")
    }
    for card in try context.objects(Card.self) { print("\(card.title): \(card.column)") }
    try await context.save()
    // The example ends.
    return printed
  }
}
