import DaybookTesting
import FoundationEssentials
import Testing

/// A table view requests the visible cells from its data source, and performs the user's actions.
@Suite struct `A table view on a screen` {
  /// A data source of words by their first letters, which records the requested cells.
  private final class Words: TableViewDataSource {
    var sections: [[String]]
    var asked: [String] = []

    init(_ words: String) {
      sections = words.split(separator: "/").map { $0.split(separator: " ").map(String.init) }
    }

    func numberOfSections(in tableView: TableView) -> Int { sections.count }

    func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int {
      sections[section].count
    }

    func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
      let word = sections[indexPath[0]][indexPath[1]]
      asked.append(word)
      return TableViewCell(word)
    }

    func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) -> String? {
      sections[section].first?.first.map { String($0) }
    }

    func sectionIndexTitles(for tableView: TableView) -> [String]? {
      sections.indices.compactMap { self.tableView(tableView, titleForHeaderInSection: $0) }
    }

    func tableView(
      _ tableView: TableView, moveRowAt sourceIndexPath: IndexPath,
      to destinationIndexPath: IndexPath
    ) {
      let word = sections[sourceIndexPath[0]].remove(at: sourceIndexPath[1])
      sections[destinationIndexPath[0]].insert(word, at: destinationIndexPath[1])
    }

    func takeAsked() -> [String] {
      defer { asked = [] }
      return asked
    }
  }

  /// A data source with only the required methods.
  private final class Plain: TableViewDataSource {
    func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int { 2 }

    func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
      TableViewCell("row \(indexPath[1])")
    }
  }

  private let words = Words("ape ant/bat bee bug/cat/dog")

  private func table(height: Int? = nil) -> TableView {
    let table = TableView(height: height)
    table.dataSource = words
    return table
  }

  private func path(_ section: Int, _ row: Int) -> IndexPath { IndexPath(indexes: [section, row]) }

  @Test func `a table view is empty until it has a data source`() {
    let table = TableView()
    #expect("\(table)" == "" && table.numberOfSections == 0)
    table.dataSource = words
    #expect("\(table)" == "[a]\n  ape\n  ant\n[b]\n  bat\n  bee\n  bug\n[c]\n  cat\n[d]\n  dog")
    #expect(table.numberOfSections == 4 && table.numberOfRows(inSection: 1) == 3)
    #expect(table.indexTitles == ["a", "b", "c", "d"])
  }

  @Test func `a table view has one section and no header or index by default`() {
    let source = Plain()
    let table = TableView()
    table.dataSource = source
    #expect("\(table)" == "  row 0\n  row 1")
    #expect(table.indexTitles == [] && table.scroll(toIndexTitle: "r") == nil)
    table.dragRow(at: path(0, 0), to: path(0, 1))
    #expect("\(table)" == "  row 1\n  row 0")
  }

  @Test func `a table view requests only the visible cells, each once`() {
    let table = table(height: 3)
    #expect(words.takeAsked() == ["ape", "ant", "bat"])
    #expect("\(table)" == "[a]\n  ape\n  ant\n[b]\n  bat")
    #expect(table.indexPathsForVisibleRows == [path(0, 0), path(0, 1), path(1, 0)])
    #expect(table.cellForRow(at: path(1, 1)) == nil)
    table.scroll(by: 2)
    #expect(words.takeAsked() == ["bee", "bug"])
    #expect("\(table)" == "[b]\n  bat\n  bee\n  bug")
    // Scrolling ends at the last row and at the first row.
    table.scroll(by: 100)
    #expect(words.takeAsked() == ["cat", "dog"])
    table.scroll(by: -100)
    #expect(words.takeAsked() == ["ape", "ant", "bat"])
  }

  @Test func `a table view scrolls to a row and to an index title`() {
    let table = table(height: 2)
    table.scrollToRow(at: path(1, 1))
    #expect("\(table)" == "[b]\n  bee\n  bug")
    #expect(table.scroll(toIndexTitle: "c") == 2)
    #expect("\(table)" == "[c]\n  cat\n[d]\n  dog")
    #expect(table.scroll(toIndexTitle: "z") == nil)
    #expect("\(table)" == "[c]\n  cat\n[d]\n  dog")
  }

  @Test func `a table view accepts updates of invisible rows`() throws {
    let table = table(height: 2)
    words.sections = [["ape", "ant"], ["bat", "bug", "bumblebee"], ["dog"]]
    _ = words.takeAsked()
    try table.update {
      table.deleteRows(at: [path(1, 1)])
      table.insertRows(at: [path(1, 2)])
      table.deleteSections([2])
    }
    #expect(words.takeAsked() == [])
    #expect(table.indexTitles == ["a", "b", "d"])
    table.scrollToRow(at: path(1, 2))
    #expect("\(table)" == "[b]\n  bumblebee\n[d]\n  dog")
  }

  @Test func `a table view scrolls back when deleted rows leave space`() throws {
    let table = table(height: 2)
    table.scroll(by: 100)
    words.sections.removeLast()
    try table.update { table.deleteSections([3]) }
    #expect("\(table)" == "[b]\n  bug\n[c]\n  cat")
  }

  @Test func `a table view moves a dragged row and notifies its data source`() {
    let table = table()
    _ = words.takeAsked()
    table.dragRow(at: path(0, 0), to: path(1, 3))
    #expect(words.sections[..<2] == [["ant"], ["bat", "bee", "bug", "ape"]])
    #expect(table.sections.map(\.rows) == words.sections)
    #expect(words.takeAsked() == [])
  }
}
