import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import TestSupport
import Testing

/// Programs that are nearly right do not compile, or draw a warning, as the page on porting says.
@Suite struct `Near misses of a port from Core Data` {
  private struct NearMiss {
    /// The first column of the page's row.
    var words: String
    var code: String
    /// A Boolean value that indicates whether the code is compiled alone, because errors of other
    /// code would hide its diagnostics.
    var isAlone = true
  }

  private static let preamble = """
    import Daybook
    import FoundationEssentials

    struct Bank: Record {
      var id = 0
      var name = ""
      static let schema = RecordSchema<Bank>("Bank").attribute("name", at: \\.name)
    }
    typealias Banks = FetchedResultsController<Bank>

    """

  /// A delegate without the required method.
  private static func delegate(_ method: String, attribute: String = "") -> String {
    "\(attribute)final class BankList: FetchedResultsControllerDelegate { \(method) {} }"
  }

  /// A delegate with the required method and another one, in an extension.
  private static func followed(by method: String) -> String {
    """
    final class BankList {}
    extension BankList: FetchedResultsControllerDelegate {
      func controllerDidChangeContent(_ controller: Banks) {}
      \(method) {}
    }
    """
  }

  private static func use(_ code: String, words: String? = nil) -> NearMiss {
    NearMiss(words: words ?? "`\(code)`", code: code, isAlone: false)
  }

  private static let misses = [
    NearMiss(
      words: "a delegate that only returns index titles",
      code: """
        final class BankList: FetchedResultsControllerDelegate {
          func controller(
            _ controller: Banks, sectionIndexTitleForSectionName name: String
          ) -> String? { name }
        }
        """),
    NearMiss(
      words: "a misspelled `controllerDidChangeContent`",
      code: delegate("func controllerDidChangedContent(_ controller: Banks)")),
    NearMiss(
      words: "`controllerDidChangeContent` with the argument label of Swift 2",
      code: delegate("func controllerDidChangeContent(controller: Banks)")),
    NearMiss(
      words: "only the method for a snapshot",
      code: delegate(
        "func controller(_ controller: Banks, didChangeContentWith snapshot: ListSnapshot<Bank>)")),
    NearMiss(
      words: "a delegate on the main actor, without `@MainActor` at its conformance",
      code: delegate(
        "func controllerDidChangeContent(_ controller: Banks)", attribute: "@MainActor ")),
    NearMiss(
      words: "a misspelled `controllerWillChangeContent`, in an extension",
      code: followed(by: "func controllerWillChangeContents(_ controller: Banks)")),
    NearMiss(
      words: "index paths that are not optional, in an extension",
      code: followed(
        by: """
          func controller(
            _ controller: Banks, didChange bank: Bank, at indexPath: IndexPath,
            for type: FetchedResultsChangeType, newIndexPath: IndexPath)
          """)),
    use("class BankList: NSFetchedResultsControllerDelegate {}"),
    use("var banks: NSFetchedResultsController<Bank>?"),
    use("var banks: NSFetchedResultsController<NSFetchRequestResult>?"),
    use("var section: NSFetchedResultsSectionInfo<Bank>?"),
    use("var change: NSFetchedResultsChangeType?"),
    use("var request: NSFetchRequest<Bank>?"),
    use("var result: (any NSFetchRequestResult)?"),
    use("var resultType: NSFetchRequestResultType?"),
    use("var request: NSAsynchronousFetchRequest<Bank>?"),
    use("var result: NSAsynchronousFetchResult<Bank>?"),
    use("var context: NSManagedObjectContext?"),
    use("class Bank: NSManagedObject {}"),
    use("var id: NSManagedObjectID?"),
    use("let container = NSPersistentContainer(name: \"Banks\")"),
    use("var entity: NSEntityDescription?"),
    use("var snapshot: NSDiffableDataSourceSnapshot<String, Int>?"),
    use(
      """
      Banks(fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, \
      cacheName: nil)
      """),
    use("banks.managedObjectContext"),
    use("Banks.deleteCache(withName: nil)"),
    use("banks.objectAtIndexPath(path)"),
    use("banks.indexPathForObject(bank)"),
    use("ListRequest<Bank>(entityName: \"Bank\")"),
    use("request.predicate"),
    use("request.sortDescriptors"),
    use("var other = request; other.sortDescriptors = [context]"),
    use("var other = request; other.predicate = context"),
    use("Bank.fetchRequest()"),
    use("request.fetchLimit"),
    use("request.fetchOffset"),
    use("request.fetchBatchSize"),
    use("bank.setValue(\"First\", forKey: \"name\")"),
    use("snapshot.sectionIdentifier(containingItem: 7)"),
  ]

  /// The first thing that the compiler says of each near miss.
  private func diagnostics() throws -> [String] {
    let together = Self.misses.filter { !$0.isAlone }
    var said = try Self.misses.filter(\.isAlone).map { miss in
      try diagnostics(of: miss.code).first?.text ?? "nothing"
    }
    // Each function has a line of its own, so that its diagnostics can be found by the line.
    let uses = together.enumerated().map { number, miss in
      "func use\(number)(_ banks: Banks, _ request: ListRequest<Bank>, _ bank: Bank, "
        + "_ context: EditingContext, _ path: IndexPath, _ snapshot: ListSnapshot<Bank>) { "
        + "\(miss.code) }"
    }
    let lines = try diagnostics(of: uses.joined(separator: "\n"))
    let first = Self.preamble.count { $0 == "\n" } + 1
    said += uses.indices.map { number in
      lines.first { $0.line == first + number && $0.text.hasPrefix("error") }?.text ?? "nothing"
    }
    return said
  }

  /// Returns the diagnostics of a program, in order, with the line numbers.
  private func diagnostics(of code: String) throws -> [(line: Int, text: String)] {
    try TemporaryDirectory.with { directory in
      let programs = FilePaths.split(try SystemDisk().resolve("/proc/self/exe")).directory
      let path = try directory.write(Array((Self.preamble + code + "\n").utf8), to: "program.swift")
      let command = """
        swiftc -typecheck -parse-as-library -swift-version 6 -diagnostic-style llvm \
        -module-cache-path '\(programs)/ModuleCache' -I '\(programs)/Modules' '\(path)' \
        </dev/null >'\(directory.path("said"))' 2>&1
        """
      guard let pipe = popen(command, "re") else { throw Surprise("swiftc: errno \(errno)") }
      pclose(pipe)
      let lines = String(decoding: try directory.bytes(of: "said"), as: UTF8.self).split(
        separator: "\n")
      return lines.compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 3)
        guard parts.count == 4, parts[0].hasSuffix("program.swift"), let number = Int(parts[1])
        else { return nil }
        let text = String(parts[3].dropFirst())
        return text.hasPrefix("note") ? nil : (number, text)
      }
    }
  }

  @Test func `the compiler says of each near miss what the page says`() throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Porting.md")
    let heading = try #require(page.firstIndex(of: "## What the compiler reports"))
    let table = page[heading...].dropFirst().prefix { !$0.hasPrefix("#") }
      .filter { $0.hasPrefix("| ") }
    let said = zip(Self.misses, try diagnostics()).map { "| \($0.words) | \($1) |" }
    #expect(Array(table.dropFirst(2)) == said, "\(said.joined(separator: "\n"))")
  }
}
