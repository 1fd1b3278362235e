import TestSupport
import Testing

/// `Porting.md` contains code that runs, names that are declared, and all names of the original
/// documents.
@Suite struct `The page on porting` {
  private static func page() throws -> [String] {
    try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Porting.md")
  }

  // MARK: Code

  /// A part of a file between two marks.
  private struct Part {
    var file: String
    var name: String
    /// The number of columns by which the code is indented more than on the page.
    var indented = 0

    func lines() throws -> [String] {
      let source = try ProjectFiles.lines("Tests/DaybookTests/Porting/\(file).swift")
      let start = try #require(source.firstIndex { $0.hasSuffix("// The \(name) begins.") })
      let end = try #require(source.firstIndex { $0.hasSuffix("// The \(name) ends.") })
      return source[(start + 1)..<end].map { line in
        let line = String(line.dropFirst(indented))
        return line.hasPrefix("private ") ? String(line.dropFirst(8)) : line
      }
    }
  }

  private static let parts: [(heading: String, parts: [Part])] = [
    (
      "### A record, a store and a controller",
      [
        Part(file: "ItemPort", name: "item"),
        Part(file: "ItemPort", name: "opening", indented: 6),
        Part(file: "ItemPort", name: "creation", indented: 2),
      ]
    ),
    ("### A table's data source", [Part(file: "ItemPort", name: "source")]),
    ("### When changes become visible", [Part(file: "ItemPort", name: "same", indented: 6)]),
    ("### Updating a table from its delegate", [Part(file: "ItemPort", name: "delegate")]),
    (
      "### Rows that the user drags",
      [
        Part(file: "ChorePort", name: "dragging", indented: 2),
        Part(file: "ChorePort", name: "bypass", indented: 2),
      ]
    ),
    (
      "### DemoArcade: adding and deleting games",
      [Part(file: "GamePort", name: "game list", indented: 4)]
    ),
    (
      "### Failed banks: sorted by another record, read twenty at a time",
      [
        Part(file: "BankPort", name: "bank", indented: 2),
        Part(file: "BankPort", name: "fetch", indented: 4),
      ]
    ),
    (
      "### A food log: the newest hundred entries",
      [Part(file: "BankPort", name: "log", indented: 4)]
    ),
  ]

  /// The blocks of code in it, by their headings.
  private static func blocks() throws -> [(heading: String, lines: [String])] {
    var blocks: [(heading: String, lines: [String])] = []
    var heading = ""
    var isInside = false
    for line in try page() {
      if line == "```swift" {
        blocks.append((heading, []))
        isInside = true
      } else if line == "```" {
        isInside = false
      } else if isInside {
        blocks[blocks.count - 1].lines.append(line)
      } else if line.hasPrefix("#") {
        heading = line
      }
    }
    return blocks
  }

  @Test func `the porting page has running code beside the original`() throws {
    let blocks = try Self.blocks()
    #expect(blocks.map(\.heading) == Self.parts.flatMap { [$0.heading, $0.heading] })
    for (heading, parts) in Self.parts {
      let code = try parts.map { try $0.lines() }.joined(separator: [""])
      #expect(blocks.last { $0.heading == heading }?.lines == Array(code), "\(heading)")
    }
  }

  // MARK: Names

  private struct Row {
    var theirs: [String]
    var ours: [String]
    var verdict: String
  }

  /// Returns the parts of a text between backticks.
  private static func names(in text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }

  private static func rows() throws -> [Row] {
    // The table of near misses has another form.
    let tables = try page().prefix { $0 != "## What the compiler reports" }
    return try tables.filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|")
      try #require(cells.count == 3, "\(line)")
      return Row(
        theirs: names(in: cells[0]), ours: names(in: cells[1]),
        verdict: String(cells[2].dropFirst().dropLast()))
    }
  }

  @Test func `the porting page describes each name in one sentence`() throws {
    for row in try Self.rows() {
      let first = row.verdict.prefix { $0.isLetter }
      #expect(["Same", "Fixed", "Different", "Missing"].contains(first), "\(row)")
      #expect((first == "Missing") == row.ours.isEmpty, "\(row)")
      #expect(row.verdict.last == "." && !row.verdict.contains(". "), "\(row)")
    }
  }

  @Test func `the porting page uses declared names only`() throws {
    let declarations = try Declarations(of: [
      "DaybookJournal", "DaybookStore", "DaybookResults", "Daybook", "DaybookTesting",
    ])
    for name in try Self.rows().flatMap(\.ours) {
      #expect(declarations.contains(name), "\(name)")
    }
    for name in ["fetchLimit", "performFetch(_:)", "save()now", "ListRequest.fetchLimit"] {
      #expect(!declarations.contains(name))
    }
  }

  @Test func `the porting page has every name of the class`() throws {
    let names = """
      NSFetchedResultsController performFetch() fetchRequest managedObjectContext delegate cacheName
      init(fetchRequest:managedObjectContext:sectionNameKeyPath:cacheName:) sectionNameKeyPath
      deleteCache(withName:) fetchedObjects object(at:) indexPath(forObject:) sections
      section(forSectionIndexTitle:at:) sectionIndexTitle(forSectionName:) sectionIndexTitles
      NSFetchedResultsControllerDelegate NSFetchedResultsSectionInfo NSFetchRequestResultType
      NSFetchedResultsChangeType NSFetchRequest NSFetchRequestResult NSAsynchronousFetchRequest
      NSAsynchronousFetchResult NSSortDescriptor NSManagedObjectContext processPendingChanges()
      reset() reloadData() setValue(_:forKey:) viewContext name numberOfObjects UITableView IndexPath
      NSObject NSObjectProtocol CVarArg CustomStringConvertible CustomDebugStringConvertible Equatable
      Hashable predicate sortDescriptors
      """
    try hasAll(names)
  }

  @Test func `the porting page has every name of the delegate`() throws {
    let names = """
      NSFetchedResultsControllerDelegate controllerWillChangeContent(_:)
      controller(_:didChange:at:for:newIndexPath:) controller(_:didChange:atSectionIndex:for:)
      controllerDidChangeContent(_:) controller(_:didChangeContentWith:) NSDiffableDataSourceSnapshot
      CollectionDifference NSManagedObjectID controller(_:sectionIndexTitleForSectionName:)
      NSFetchedResultsChangeType NSFetchedResultsSectionInfo NSFetchRequestResultType
      NSFetchRequestResult NSObjectProtocol insert delete move update beginUpdates() endUpdates()
      moveRow(at:to:) IndexSet IndexPath
      """
    try hasAll(names)
  }

  @Test func `the porting page has the names of related types`() throws {
    let names = """
      fetchLimit fetchOffset fetchBatchSize resultType propertiesToFetch returnsDistinctResults
      NSPredicate NSManagedObject NSPersistentContainer save() rollback() undo() redo() perform(_:)
      performAndWait(_:) hasChanges insertedObjects updatedObjects deletedObjects mergePolicy indexTitle
      objects
      """
    try hasAll(names)
  }

  @Test func `the page on porting has the selectors of Objective-C and of Swift 2`() throws {
    let names = """
      initWithFetchRequest:managedObjectContext:sectionNameKeyPath:cacheName: performFetch:
      objectAtIndexPath: objectAtIndexPath(_:) numberOfObjects controllerWillChangeContent:
      controllerDidChangeContent: controller:didChangeSection:atIndex:forChangeType:
      controller:didChangeObject:atIndexPath:forChangeType:newIndexPath:
      controller(_:didChangeSection:atIndex:forChangeType:)
      controller(_:didChangeObject:atIndexPath:forChangeType:newIndexPath:)
      NSFetchedResultsChangeInsert NSFetchedResultsChangeDelete NSFetchedResultsChangeUpdate
      NSFetchedResultsChangeMove entityForName:inManagedObjectContext: setEntity: init(entityName:)
      initWithKey:ascending: init(key:ascending:) setSortDescriptors: setFetchBatchSize:
      init(format:) numberOfSectionsInTableView(_:) tableView:numberOfRowsInSection:
      tableView:cellForRowAtIndexPath: tableView(_:cellForRowAtIndexPath:)
      tableView(_:titleForHeaderInSection:) tableView(_:commitEditingStyle:forRowAtIndexPath:)
      dequeueReusableCellWithIdentifier: dequeueReusableCellWithIdentifier(_:forIndexPath:)
      cellForRowAtIndexPath: cellForRowAtIndexPath(_:) insertSections:withRowAnimation:
      insertSections(_:withRowAnimation:) deleteSections:withRowAnimation:
      deleteSections(_:withRowAnimation:) insertRowsAtIndexPaths:withRowAnimation:
      insertRowsAtIndexPaths(_:withRowAnimation:) deleteRowsAtIndexPaths:withRowAnimation:
      deleteRowsAtIndexPaths(_:withRowAnimation:)
      """
    try hasAll(names)
  }

  private func hasAll(_ names: String) throws {
    let known = Set(try Self.rows().flatMap(\.theirs))
    for name in names.split(whereSeparator: \.isWhitespace) {
      #expect(known.contains(String(name)), "\(name)")
    }
  }
}
