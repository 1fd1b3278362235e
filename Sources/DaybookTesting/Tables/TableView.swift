import DaybookEssentials

/// A table view without a screen. It shows sections of rows, accepts updates in batches by the
/// rules of `UITableView`, and throws an error where `UITableView` would end the program.
///
/// ```swift
/// let table = TableView()
/// table.dataSource = list
/// try table.update {
///   table.deleteRows(at: [IndexPath(indexes: [0, 1])])
///   table.insertRows(at: [IndexPath(indexes: [2, 0])])
/// }
/// print(table)
/// ```
///
/// The table shows cells that its data source created when they appeared on the screen, or when
/// they were reloaded. So a test also detects a program that does not report changed values. A
/// table with a height requests only the cells that fit on the screen, and discards those that are
/// scrolled off the screen.
///
/// Within one batch, the order of the calls does not matter:
///
/// - Paths of deletions, and source paths of moves, refer to the table before the batch.
/// - Paths of insertions, and target paths of moves, refer to the table after the batch.
/// - Rows are removed first, then sections are removed, then sections are inserted, then rows.
/// - The data source must then report exactly the resulting numbers of sections and rows.
public final class TableView {
  /// A section as the table shows it.
  public struct Section: Hashable, Sendable {
    /// The title in the header; nil if the section has no header.
    public var title: String?
    /// The text of each cell.
    public var rows: [String]

    /// Creates a section.
    public init(title: String? = nil, rows: [String]) {
      self.title = title
      self.rows = rows
    }
  }

  /// The data source of the table. When it is set, the table shows its content.
  public weak var dataSource: (any TableViewDataSource)? {
    didSet { reloadData() }
  }
  /// The number of rows that fit on the screen; nil if all rows fit.
  public let height: Int?
  /// The titles in the section index beside the table.
  public private(set) var indexTitles: [String] = []

  /// The data source of a table that was created with a closure.
  private let ownSource: SectionSource?
  /// The cell of each row; nil for rows that are not on the screen.
  private var cells: [[TableViewCell?]] = []
  /// The header of each section on the screen.
  private var titles: [Int: String] = [:]
  /// The number of rows that are scrolled off above the screen.
  private var rowsAbove = 0
  private var batch: TableBatch?

  /// Creates a table that is empty until it has a data source.
  ///
  /// - Parameter height: The number of rows that fit on the screen; nil if all rows fit.
  public init(height: Int? = nil) {
    self.height = height
    ownSource = nil
  }

  /// Creates a table that shows the sections that a closure returns.
  ///
  /// - Parameters:
  ///   - height: The number of rows that fit on the screen; nil if all rows fit.
  ///   - source: Returns the present content. The table calls it each time it requests all its
  ///     content.
  public init(height: Int? = nil, source: @escaping () -> [Section]) {
    self.height = height
    let ownSource = SectionSource(source)
    self.ownSource = ownSource
    dataSource = ownSource
    reloadData()
  }

  /// Discards all cells, and shows the present content of the data source.
  public func reloadData() {
    cells = rowCounts().map { [TableViewCell?](repeating: nil, count: $0) }
    layOut()
  }

  /// Returns the number of rows in each section of the data source.
  private func rowCounts() -> [Int] {
    guard let dataSource else { return [] }
    return (0..<dataSource.numberOfSections(in: self)).map { section in
      dataSource.tableView(self, numberOfRowsInSection: section)
    }
  }

  // MARK: Screen

  /// The sections on the screen: those with visible rows, or all sections if the table has no
  /// height.
  public var sections: [Section] {
    cells.indices.compactMap { section in
      let rows = cells[section].compactMap { $0?.text }
      return isOnScreen(section) ? Section(title: titles[section], rows: rows) : nil
    }
  }

  /// The number of sections, on and off the screen.
  public var numberOfSections: Int { cells.count }

  /// Returns the number of rows in a section, on and off the screen.
  public func numberOfRows(inSection section: Int) -> Int { cells[section].count }

  /// The index paths of the rows on the screen.
  public var indexPathsForVisibleRows: [IndexPath] {
    cells.indices.flatMap { section in
      cells[section].indices.filter { cells[section][$0] != nil }.map { row in
        IndexPath(indexes: [section, row])
      }
    }
  }

  /// Returns the cell of a row; nil if the row is not on the screen, or does not exist.
  ///
  /// - Parameter path: The path of the row. Within a batch it is the path before the batch.
  public func cellForRow(at path: IndexPath) -> TableViewCell? {
    guard path.count == 2, cells.indices.contains(path[0]),
      cells[path[0]].indices.contains(path[1])
    else { return nil }
    return cells[path[0]][path[1]]
  }

  private func isOnScreen(_ section: Int) -> Bool {
    height == nil || cells[section].contains { $0 != nil }
  }

  /// Requests the missing cells on the screen, and discards the cells off the screen.
  private func layOut() {
    let count = cells.reduce(0) { $0 + $1.count }
    rowsAbove = max(0, min(rowsAbove, count - (height ?? count)))
    let onScreen = rowsAbove..<rowsAbove + (height ?? count)
    var place = 0
    for section in cells.indices {
      for row in cells[section].indices {
        if !onScreen.contains(place) {
          cells[section][row] = nil
        } else if cells[section][row] == nil {
          cells[section][row] = dataSource?.tableView(
            self, cellForRowAt: IndexPath(indexes: [section, row]))
        }
        place += 1
      }
    }
    titles = [:]
    for section in cells.indices where isOnScreen(section) {
      titles[section] = dataSource?.tableView(self, titleForHeaderInSection: section)
    }
    indexTitles = dataSource?.sectionIndexTitles(for: self) ?? []
  }

  // MARK: Updates

  /// Begins a batch of updates.
  public func beginUpdates() {
    precondition(batch == nil, "a batch of updates began within another")
    batch = TableBatch()
  }

  /// Ends a batch of updates, and performs all of them together.
  ///
  /// - Throws: ``TableViewError``; the table then shows the same content as before.
  public func endUpdates() throws(TableViewError) {
    guard let batch else { preconditionFailure("a batch of updates ended that never began") }
    self.batch = nil
    cells = try batch.applied(to: cells, rowCounts: rowCounts())
    layOut()
  }

  /// Performs updates in one batch.
  ///
  /// - Throws: ``TableViewError``; the table then shows the same content as before.
  public func update(_ body: () -> Void) throws(TableViewError) {
    beginUpdates()
    body()
    try endUpdates()
  }

  /// Inserts sections at their indexes after the batch.
  public func insertSections(_ indexes: [Int]) { change { $0.insertedSections += indexes } }

  /// Deletes sections at their indexes before the batch.
  public func deleteSections(_ indexes: [Int]) { change { $0.deletedSections += indexes } }

  /// Inserts rows at their paths after the batch.
  public func insertRows(at paths: [IndexPath]) { change { $0.inserted += paths } }

  /// Deletes rows at their paths before the batch.
  public func deleteRows(at paths: [IndexPath]) { change { $0.deleted += paths } }

  /// Reloads rows with changed values, at their paths before the batch.
  public func reloadRows(at paths: [IndexPath]) { change { $0.reloaded += paths } }

  /// Moves a row from its path before the batch to its path after the batch. Its cell is not
  /// reloaded.
  public func moveRow(at path: IndexPath, to newPath: IndexPath) {
    change { $0.moved.append((path, newPath)) }
  }

  private func change(_ body: (inout TableBatch) -> Void) {
    guard var batch else { preconditionFailure("an update outside a batch") }
    body(&batch)
    self.batch = batch
  }

  // MARK: User actions

  /// Scrolls until a row is at the top of the screen, or as near to the top as possible.
  public func scrollToRow(at path: IndexPath) {
    scroll(by: cells[..<path[0]].reduce(path[1]) { $0 + $1.count } - rowsAbove)
  }

  /// Scrolls down by a number of rows, or up if the number is negative. It stops at the first or
  /// last row.
  public func scroll(by rowCount: Int) {
    rowsAbove += rowCount
    layOut()
  }

  /// Scrolls to the section that a title of the section index leads to, as if the user tapped the
  /// title.
  ///
  /// - Returns: The index of the section; nil if the title is not in the index, or if there is no
  ///   data source.
  @discardableResult
  public func scroll(toIndexTitle title: String) -> Int? {
    guard let index = indexTitles.firstIndex(of: title), let dataSource else { return nil }
    let section = dataSource.tableView(self, sectionForSectionIndexTitle: title, at: index)
    scrollToRow(at: IndexPath(indexes: [section, 0]))
    return section
  }

  /// Moves a row as if the user dragged it: its cell moves at once, without a batch, and the data
  /// source is informed.
  ///
  /// - Parameters:
  ///   - path: The path of the row.
  ///   - newPath: The path of the row after it was removed and inserted again.
  public func dragRow(at path: IndexPath, to newPath: IndexPath) {
    precondition(batch == nil, "a row is dragged within a batch of updates")
    let cell = cells[path[0]].remove(at: path[1])
    cells[newPath[0]].insert(cell, at: newPath[1])
    dataSource?.tableView(self, moveRowAt: path, to: newPath)
  }
}

extension TableView: CustomStringConvertible {
  /// The sections on the screen: each with its title in brackets, if it has one, and its rows below
  /// it.
  public var description: String {
    sections.map(\.description).joined(separator: "\n")
  }
}

extension TableView.Section: CustomStringConvertible {
  /// The title in brackets, if the section has one, and the rows below it.
  public var description: String {
    ((title.map { ["[\($0)]"] } ?? []) + rows.map { "  \($0)" }).joined(separator: "\n")
  }
}
