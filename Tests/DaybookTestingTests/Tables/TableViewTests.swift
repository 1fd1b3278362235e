import DaybookTesting
import FoundationEssentials
import Testing

/// A table view without a screen has the rules of one with a screen.
@Suite struct `A table view` {
  private final class Source {
    var sections: [TableView.Section]

    init(_ sections: [TableView.Section]) { self.sections = sections }
  }

  private func section(_ title: String, _ rows: String...) -> TableView.Section {
    TableView.Section(title: title, rows: rows)
  }

  private func path(_ section: Int, _ row: Int) -> IndexPath { IndexPath(indexes: [section, row]) }

  private func table(
    _ sections: [TableView.Section]
  ) -> (table: TableView, source: Source) {
    let source = Source(sections)
    return (TableView { source.sections }, source)
  }

  /// Returns the error of a batch of updates, for a table of two sections.
  private func refusal(
    after sections: [TableView.Section]? = nil, _ updates: (TableView) -> Void
  ) -> String {
    let before = [section("A", "a", "b"), section("B", "c")]
    let (table, source) = table(before)
    if let sections { source.sections = sections }
    do {
      try table.update { updates(table) }
      return "nothing"
    } catch {
      #expect(table.sections == before)
      return "\(error)"
    }
  }

  @Test func `a batch has old paths for deletions and new paths for insertions`() throws {
    let (table, source) = table([section("A", "a", "b", "c"), section("B", "d")])
    source.sections = [section("New", "n"), section("A", "c", "x", "a")]
    try table.update {
      table.insertRows(at: [path(1, 1)])
      table.moveRow(at: path(0, 0), to: path(1, 2))
      table.deleteRows(at: [path(0, 1)])
      table.insertSections([0])
      table.deleteSections([1])
    }
    #expect(table.sections == source.sections)
    #expect("\(table)" == "[New]\n  n\n[A]\n  c\n  x\n  a")
  }

  @Test func `a table view keeps its cells until rows are reloaded`() throws {
    let (table, source) = table([section("A", "a", "b", "c")])
    source.sections = [section("A", "a2", "x", "b2", "c2")]
    try table.update {
      table.insertRows(at: [path(0, 1)])
      table.reloadRows(at: [path(0, 1)])
    }
    #expect(table.sections == [section("A", "a", "x", "b2", "c")])
    table.cellForRow(at: path(0, 0))?.text = "a2"
    #expect(table.cellForRow(at: path(3, 0)) == nil)
    #expect(table.sections == [section("A", "a2", "x", "b2", "c")])
    table.reloadData()
    #expect(table.sections == source.sections)
  }

  @Test func `a table view refuses batches with wrong counts or indexes`() {
    #expect(
      refusal { $0.insertRows(at: [path(0, 1)]) } == """
        invalid number of rows in section 0: the number of rows in an existing section after the \
        update (2) must be equal to the number of rows in it before the update (2), plus or minus \
        the number of rows inserted or deleted (1 inserted, 0 deleted) and plus or minus the number \
        of rows moved into or out of it (0 moved in, 0 moved out).
        """)
    #expect(
      refusal(after: [section("B", "c")]) { _ in } == """
        invalid number of sections: the number of sections after the update (1) must be equal to \
        the number of sections before the update (2), plus or minus the number of sections inserted \
        or deleted (0 inserted, 0 deleted).
        """)
    #expect(
      refusal { $0.deleteSections([2]) }
        == "section 2 is not there before the updates, of 2 sections.")
    #expect(
      refusal { $0.insertSections([5]) }
        == "section 5 is not there after the updates, of 2 sections.")
    #expect(
      refusal { $0.deleteRows(at: [path(1, 1)]) }
        == "row 1, 1 is not there before the updates, of 1 rows in the section.")
    #expect(
      refusal { $0.insertRows(at: [path(0, 2)]) }
        == "row 0, 2 is not there after the updates, of 2 rows in the section.")
  }

  @Test func `a table view refuses two updates of one row`() {
    #expect(
      refusal {
        $0.deleteRows(at: [path(0, 0)])
        $0.moveRow(at: path(0, 0), to: path(1, 0))
      } == "two updates in one batch are about row 0, 0.")
    #expect(
      refusal { $0.insertRows(at: [path(0, 0), path(0, 0)]) }
        == "two updates in one batch are about new row 0, 0.")
    #expect(
      refusal { $0.deleteSections([0, 0]) } == "two updates in one batch are about section 0.")
    #expect(
      refusal(after: [section("B", "c")]) { $0.insertSections([0, 0]) }
        == "two updates in one batch are about inserted section 0.")
  }

  @Test func `a table view refuses moves from deleted and into inserted sections`() {
    let after = [section("A", "a", "b", "c")]
    #expect(
      refusal(after: after) {
        $0.deleteSections([1])
        $0.moveRow(at: path(1, 0), to: path(0, 2))
      } == "cannot move an item from a deleted section (1).")
    #expect(
      refusal(after: [section("A", "a", "b"), section("B"), section("C", "c")]) {
        $0.insertSections([2])
        $0.moveRow(at: path(1, 0), to: path(2, 0))
      } == "cannot move an item into a newly inserted section (2).")
  }
}
