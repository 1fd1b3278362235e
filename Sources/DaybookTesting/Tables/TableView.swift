import DaybookEssentials

/// A table view without a screen: it shows sections of rows, takes updates in batches by the rules of
/// `UITableView`, and throws where that would end the program.
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
/// What it shows are cells that its source made when they came onto the screen, or were reloaded. So it
/// tells a program that forgets to say that a row has other values, too. A table of some height asks
/// for the cells that fit on it alone, and forgets those that are scrolled away.
///
/// Within one batch, whatever the order of the calls: deletes and the places that rows move from are
/// those before the batch, inserts and the places that they move to are those after it; rows are taken
/// out, then sections, then sections are put in, then rows. Afterwards the source has to have as many
/// sections and rows as came of that.
public final class TableView {
  /// A section as it is shown.
  public struct Section: Hashable, Sendable {
    /// The header; nil if there is none.
    public var title: String?
    /// The text of each cell.
    public var rows: [String]

    /// A section.
    public init(title: String? = nil, rows: [String]) {
      self.title = title
      self.rows = rows
    }
  }

  /// What the table asks for everything. It shows that at once.
  public weak var dataSource: (any TableViewDataSource)? {
    didSet { reloadData() }
  }
  /// How many rows fit on the screen; nil if all do.
  public let height: Int?
  /// What stands in the index beside the table.
  public private(set) var indexTitles: [String] = []

  /// The source of a table that was made with a closure.
  private let ownSource: SectionSource?
  /// The cell of each row; nil for those that are not on the screen.
  private var cells: [[TableViewCell?]] = []
  /// The header of each section on the screen.
  private var titles: [Int: String] = [:]
  /// How many rows are scrolled away above the screen.
  private var rowsAbove = 0
  private var batch: TableBatch?

  /// An empty table, until it has a source.
  ///
  /// - Parameter height: How many rows fit on the screen; nil if all do.
  public init(height: Int? = nil) {
    self.height = height
    ownSource = nil
  }

  /// A table that shows what a closure answers whenever it is asked.
  ///
  /// - Parameters:
  ///   - height: How many rows fit on the screen; nil if all do.
  ///   - source: What the program would answer if the table asked it for everything.
  public init(height: Int? = nil, source: @escaping () -> [Section]) {
    self.height = height
    let ownSource = SectionSource(source)
    self.ownSource = ownSource
    dataSource = ownSource
    reloadData()
  }

  /// Throws away what is shown, and shows what the source has.
  public func reloadData() {
    cells = rowCounts().map { [TableViewCell?](repeating: nil, count: $0) }
    layOut()
  }

  /// How many rows each section of the source has.
  private func rowCounts() -> [Int] {
    guard let dataSource else { return [] }
    return (0..<dataSource.numberOfSections(in: self)).map { section in
      dataSource.tableView(self, numberOfRowsInSection: section)
    }
  }

  // MARK: What is on the screen

  /// What is on the screen: sections with rows on it, or all of them if all fit.
  public var sections: [Section] {
    cells.indices.compactMap { section in
      let rows = cells[section].compactMap { $0?.text }
      return isOnScreen(section) ? Section(title: titles[section], rows: rows) : nil
    }
  }

  /// How many sections there are, on the screen and elsewhere.
  public var numberOfSections: Int { cells.count }

  /// How many rows a section has, on the screen and elsewhere.
  public func numberOfRows(inSection section: Int) -> Int { cells[section].count }

  /// The rows that are on the screen.
  public var indexPathsForVisibleRows: [IndexPath] {
    cells.indices.flatMap { section in
      cells[section].indices.filter { cells[section][$0] != nil }.map { row in
        IndexPath(indexes: [section, row])
      }
    }
  }

  /// The cell of a row; nil if it is not on the screen, or not there.
  ///
  /// - Parameter path: Where the cell stands on the screen: within a batch, where it was before.
  public func cellForRow(at path: IndexPath) -> TableViewCell? {
    guard path.count == 2, cells.indices.contains(path[0]),
      cells[path[0]].indices.contains(path[1])
    else { return nil }
    return cells[path[0]][path[1]]
  }

  private func isOnScreen(_ section: Int) -> Bool {
    height == nil || cells[section].contains { $0 != nil }
  }

  /// Asks for the cells that are on the screen and not made yet, and forgets the others.
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

  /// Ends a batch of updates: all of them are made at once.
  ///
  /// - Throws: ``TableViewError``, and then it shows what it showed before
  public func endUpdates() throws(TableViewError) {
    guard let batch else { preconditionFailure("a batch of updates ended that never began") }
    self.batch = nil
    cells = try batch.applied(to: cells, rowCounts: rowCounts())
    layOut()
  }

  /// Makes updates in one batch.
  ///
  /// - Throws: ``TableViewError``, and then it shows what it showed before
  public func update(_ body: () -> Void) throws(TableViewError) {
    beginUpdates()
    body()
    try endUpdates()
  }

  /// Sections come, at their places after the batch.
  public func insertSections(_ indexes: [Int]) { change { $0.insertedSections += indexes } }

  /// Sections go, from their places before the batch.
  public func deleteSections(_ indexes: [Int]) { change { $0.deletedSections += indexes } }

  /// Rows come, at their paths after the batch.
  public func insertRows(at paths: [IndexPath]) { change { $0.inserted += paths } }

  /// Rows go, from their paths before the batch.
  public func deleteRows(at paths: [IndexPath]) { change { $0.deleted += paths } }

  /// Rows have other values, at their paths before the batch.
  public func reloadRows(at paths: [IndexPath]) { change { $0.reloaded += paths } }

  /// A row goes from its path before the batch to its path after. Its cell stays as it is.
  public func moveRow(at path: IndexPath, to newPath: IndexPath) {
    change { $0.moved.append((path, newPath)) }
  }

  private func change(_ body: (inout TableBatch) -> Void) {
    guard var batch else { preconditionFailure("an update outside a batch") }
    body(&batch)
    self.batch = batch
  }

  // MARK: What a person does

  /// Scrolls until a row stands at the top of the screen, or as near to it as it can.
  public func scrollToRow(at path: IndexPath) {
    scroll(by: cells[..<path[0]].reduce(path[1]) { $0 + $1.count } - rowsAbove)
  }

  /// Scrolls so many rows down, or up if they are negative, but not beyond the first and the last row.
  public func scroll(by rowCount: Int) {
    rowsAbove += rowCount
    layOut()
  }

  /// Touches a title in the index, and so scrolls to the section that the source says it leads to.
  ///
  /// - Returns: That section; nil if the title is not in the index, or there is no source.
  @discardableResult
  public func scroll(toIndexTitle title: String) -> Int? {
    guard let index = indexTitles.firstIndex(of: title), let dataSource else { return nil }
    let section = dataSource.tableView(self, sectionForSectionIndexTitle: title, at: index)
    scrollToRow(at: IndexPath(indexes: [section, 0]))
    return section
  }

  /// Drags a row to another place: its cell moves at once, without a batch, and the source is told.
  ///
  /// - Parameter newPath: Where the row stands when it has been taken out and put in again.
  public func dragRow(at path: IndexPath, to newPath: IndexPath) {
    precondition(batch == nil, "a row is dragged within a batch of updates")
    let cell = cells[path[0]].remove(at: path[1])
    cells[newPath[0]].insert(cell, at: newPath[1])
    dataSource?.tableView(self, moveRowAt: path, to: newPath)
  }
}

extension TableView: CustomStringConvertible {
  /// Each section on the screen with its title in brackets, if it has one, and its rows below that.
  public var description: String {
    sections.map { section in
      ((section.title.map { ["[\($0)]"] } ?? []) + section.rows.map { "  \($0)" })
        .joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
