import FoundationEssentials

/// A table view without a screen: it shows sections of rows, takes updates in batches by the rules of
/// `UITableView`, and throws where that would end the program.
///
/// ```swift
/// let table = TableView { list }
/// try table.update {
///   table.deleteRows(at: [IndexPath(indexes: [0, 1])])
///   table.insertRows(at: [IndexPath(indexes: [2, 0])])
/// }
/// print(table)
/// ```
///
/// What it shows are cells that were made from what its source said when they came onto the screen, or
/// were reloaded. So it tells a program that forgets to say that a row has other values, too.
///
/// Within one batch, whatever the order of the calls: deletes and the places that rows move from are
/// those before the batch, inserts and the places that they move to are those after it; rows are taken
/// out, then sections, then sections are put in, then rows. Afterwards the source has to have as many
/// sections and rows as came of that.
public final class TableView {
  /// What a table shows, as its source has it.
  public struct Section: Hashable, Sendable {
    /// The header.
    public var title: String
    /// The text of each cell.
    public var rows: [String]

    /// A section.
    public init(title: String = "", rows: [String]) {
      self.title = title
      self.rows = rows
    }
  }

  private let source: () -> [Section]
  /// What is on the screen.
  public private(set) var sections: [Section]
  private var batch: TableBatch?

  /// A table that shows what its source has.
  ///
  /// - Parameter source: What the program would answer if the table asked it for everything.
  public init(_ source: @escaping () -> [Section]) {
    self.source = source
    sections = source()
  }

  /// Throws away what is shown, and shows what the source has.
  public func reloadData() { sections = source() }

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
    sections = try batch.applied(to: sections, source())
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

  // MARK: Cells

  /// Makes the cell of a row anew, as its program does when it sets the text of a cell that is on the
  /// screen; nothing if there is none at that path.
  ///
  /// - Parameter path: Where the cell stands on the screen: within a batch, where it was before.
  public func setCell(at path: IndexPath, to text: String) {
    guard path.count == 2, sections.indices.contains(path[0]),
      sections[path[0]].rows.indices.contains(path[1])
    else { return }
    sections[path[0]].rows[path[1]] = text
  }
}

extension TableView: CustomStringConvertible {
  /// Each section with its title in brackets, and its rows below it.
  public var description: String {
    sections.map { section in
      (["[\(section.title)]"] + section.rows.map { "  \($0)" }).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
