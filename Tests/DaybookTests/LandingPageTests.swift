import TestSupport
import Testing

@Suite struct `The landing page` {
  /// The pages by task: the module, and the name of the page.
  private static let tasks = [
    ("Daybook", "Define"), ("DaybookStore", "Relate"), ("Daybook", "Write"), ("Daybook", "Find"),
    ("Daybook", "Search"), ("Daybook", "Totals"), ("Daybook", "Observe"),
    ("Daybook", "Controllers"), ("Daybook", "Serve"), ("DaybookStore", "Undo"),
    ("Daybook", "TimeTravel"), ("Daybook", "Migrate"), ("DaybookTesting", "Test"),
    ("Daybook", "ComingFrom"), ("Daybook", "Porting"),
  ]

  @Test func `the landing page and the README link to the page of each task`() throws {
    let landing = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Daybook.md")
      .prefix { $0 != "## Topics" }.joined(separator: "\n")
    let readme = try ProjectFiles.lines("README.md").joined(separator: "\n")
    for (module, page) in Self.tasks {
      let path = "Sources/\(module)/\(module).docc/\(page).md"
      let link =
        switch module {
        case "Daybook": "<doc:\(page)>"
        // The documentation of this module is built later, so `doc:` cannot lead to it.
        case "DaybookTesting": path.replacing("Sources/", with: "(../../")
        default: "(doc:/\(module)/\(page))"
        }
      #expect(landing.contains(link), "the landing page does not link to \(page)")
      #expect(readme.contains("(\(path))"), "the README does not link to \(page)")
    }
  }

  @Test func `the landing page lists all pages of its module`() throws {
    let lines = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Daybook.md")
    for file in try ProjectFiles.names(in: "Sources/Daybook/Daybook.docc")
    where file.hasSuffix(".md") && file != "Daybook.md" {
      #expect(lines.contains("- <doc:\(file.dropLast(3))>"), "\(file) is not listed")
    }
  }
}
