import DaybookEssentials

/// A table view without a screen, for tests. It contains sections of rows, and accepts batches of
/// updates by the rules of `UITableView`. If a batch breaks a rule, the table throws an error,
/// whereas `UITableView` would end the program.
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
/// The table requests the cell of a row when the row appears on the screen, and again when the row
/// is reloaded. Between these times it keeps the cell. So if a program changes a value and does not
/// reload the row, the test finds the old text. A table with a height requests only the cells that
/// fit on the screen, and discards cells that leave the screen.
///
/// Within one batch, the order of the calls does not matter:
///
/// - Paths of deletions, and source paths of moves, refer to the table before the batch.
/// - Paths of insertions, and target paths of moves, refer to the table after the batch.
/// - The table first removes rows, then removes sections, then inserts sections, and then inserts
///   rows.
/// - After the batch, the data source must return exactly the resulting numbers of sections and
///   rows.
public final class TableView {
  /// The content of a section: its title, and the texts of its cells.
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

  /// The data source of the table. Setting it reloads the table.
  public weak var dataSource: (any TableViewDataSource)? {
    didSet { reloadData() }
  }
  /// The number of rows that fit on the screen; nil if all rows fit.
  public let height: Int?
  /// The titles in the section index beside the table.
  public private(set) var indexTitles: [String] = []

  /// The data source of a table that was created with a closure.
  private let ownSource: SectionSource?
  /// The cells of all rows, by section; nil for rows that are not on the screen.
  private var cells: [[TableViewCell?]] = []
  /// The header of each section on the screen.
  private var titles: [Int: String] = [:]
  /// The number of rows above the screen.
  private var rowsAbove = 0
  private var batch: TableBatch?

  /// Creates an empty table. Set ``dataSource`` to fill it.
  ///
  /// - Parameter height: The number of rows that fit on the screen; nil if all rows fit.
  public init(height: Int? = nil) {
    self.height = height
    ownSource = nil
  }

  /// Creates a table with the sections that a closure returns.
  ///
  /// - Parameters:
  ///   - height: The number of rows that fit on the screen; nil if all rows fit.
  ///   - source: A closure that returns the present sections. When the table reads the numbers of
  ///     sections and rows, it calls the closure once.
  public init(height: Int? = nil, source: @escaping () -> [Section]) {
    self.height = height
    let ownSource = SectionSource(source)
    self.ownSource = ownSource
    dataSource = ownSource
    reloadData()
  }

  /// Discards all cells, and requests the present content from the data source.
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

  /// The sections on the screen. If the table has a height, only sections with visible rows are
  /// included.
  public var sections: [Section] {
    cells.indices.compactMap { section in
      let rows = cells[section].compactMap { $0?.text }
      return isOnScreen(section) ? Section(title: titles[section], rows: rows) : nil
    }
  }

  /// The number of all sections, also of sections that are not on the screen.
  public var numberOfSections: Int { cells.count }

  /// Returns the number of all rows in a section, also of rows that are not on the screen.
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
  /// - Parameter path: The path of the row. During a batch, it is the path before the batch.
  public func cellForRow(at path: IndexPath) -> TableViewCell? {
    guard path.count == 2, cells.indices.contains(path[0]),
      cells[path[0]].indices.contains(path[1])
    else { return nil }
    return cells[path[0]][path[1]]
  }

  private func isOnScreen(_ section: Int) -> Bool {
    height == nil || cells[section].contains { $0 != nil }
  }

  /// Requests the missing cells of rows on the screen, and discards the cells of all other rows.
  private func layOut() {
    let count = cells.reduce(0) { $0 + $1.count }
    rowsAbove = max(0, min(rowsAbove, count - (height ?? count)))
    let onScreen = rowsAbove..<rowsAbove + (height ?? count)
    var index = 0
    for section in cells.indices {
      for row in cells[section].indices {
        if !onScreen.contains(index) {
          cells[section][row] = nil
        } else if cells[section][row] == nil {
          cells[section][row] = dataSource?.tableView(
            self, cellForRowAt: IndexPath(indexes: [section, row]))
        }
        index += 1
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

  /// Ends a batch of updates, and performs all its updates together.
  ///
  /// - Throws: ``TableViewError`` if the batch breaks a rule. The table then has the same content
  ///   as before the batch.
  public func endUpdates() throws(TableViewError) {
    guard let batch else { preconditionFailure("a batch of updates ended that never began") }
    self.batch = nil
    cells = try batch.applied(to: cells, rowCounts: rowCounts())
    layOut()
  }

  /// Performs the updates of a closure in one batch.
  ///
  /// - Throws: ``TableViewError`` if the batch breaks a rule. The table then has the same content
  ///   as before the batch.
  public func update(_ body: () -> Void) throws(TableViewError) {
    beginUpdates()
    body()
    try endUpdates()
  }

  /// Inserts sections. The indexes are those after the batch.
  public func insertSections(_ indexes: [Int]) { change { $0.insertedSections += indexes } }

  /// Deletes sections. The indexes are those before the batch.
  public func deleteSections(_ indexes: [Int]) { change { $0.deletedSections += indexes } }

  /// Inserts rows. The paths are those after the batch.
  public func insertRows(at paths: [IndexPath]) { change { $0.inserted += paths } }

  /// Deletes rows. The paths are those before the batch.
  public func deleteRows(at paths: [IndexPath]) { change { $0.deleted += paths } }

  /// Reloads rows, because their values have changed. The paths are those before the batch.
  public func reloadRows(at paths: [IndexPath]) { change { $0.reloaded += paths } }

  /// Moves a row from its path before the batch to its path after the batch. The row keeps its
  /// cell, which is not reloaded.
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

  /// Scrolls down by a number of rows, or up if the number is negative. The table stops at the
  /// first or the last row.
  public func scroll(by rowCount: Int) {
    rowsAbove += rowCount
    layOut()
  }

  /// Scrolls to the section of a title in the section index, as if the user tapped the title.
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

  /// Moves a row as if the user dragged it. The cell of the row moves immediately, without a batch,
  /// and then the table informs the data source.
  ///
  /// - Parameters:
  ///   - path: The path of the row.
  ///   - newPath: The path of the row after the move.
  public func dragRow(at path: IndexPath, to newPath: IndexPath) {
    precondition(batch == nil, "a row is dragged within a batch of updates")
    let cell = cells[path[0]].remove(at: path[1])
    cells[newPath[0]].insert(cell, at: newPath[1])
    dataSource?.tableView(self, moveRowAt: path, to: newPath)
  }
}

extension TableView: CustomStringConvertible {
  /// The sections on the screen. Each section has a line with its title in brackets, if it has a
  /// title, and a line for each row.
  public var description: String {
    sections.map(\.description).joined(separator: "\n")
  }
}

extension TableView.Section: CustomStringConvertible {
  /// A line with the title in brackets, if the section has a title, and a line for each row.
  public var description: String {
    ((title.map { ["[\($0)]"] } ?? []) + rows.map { "  \($0)" }).joined(separator: "\n")
  }
}
