import DaybookEssentials

/// An object that provides a ``TableView`` with the numbers of its sections and rows, and with
/// their content.
///
/// The methods have the same names as in `UITableViewDataSource`, so that the methods of a program
/// can be copied to a test. All methods except two have default implementations.
public protocol TableViewDataSource: AnyObject {
  /// Returns the number of sections; 1 by default.
  func numberOfSections(in tableView: TableView) -> Int

  /// Returns the number of rows in a section.
  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int

  /// Returns the cell of a row that appears on the screen.
  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell

  /// Returns the title above a section. The default is nil, which means no title.
  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) -> String?

  /// Returns the titles of the section index beside the table. The default is nil, which means no
  /// index.
  func sectionIndexTitles(for tableView: TableView) -> [String]?

  /// Returns the index of the section for a title of the section index. The default is the position
  /// of the title.
  func tableView(
    _ tableView: TableView, sectionForSectionIndexTitle title: String, at index: Int
  ) -> Int

  /// Informs the data source that the user dragged a row. The table has already moved the cell to
  /// the new path. The default implementation does nothing.
  func tableView(
    _ tableView: TableView, moveRowAt sourceIndexPath: IndexPath,
    to destinationIndexPath: IndexPath)
}

extension TableViewDataSource {
  /// Returns 1.
  public func numberOfSections(in tableView: TableView) -> Int { 1 }

  /// Returns nil.
  public func tableView(
    _ tableView: TableView, titleForHeaderInSection section: Int
  ) -> String? { nil }

  /// Returns nil.
  public func sectionIndexTitles(for tableView: TableView) -> [String]? { nil }

  /// Returns the position of the title.
  public func tableView(
    _ tableView: TableView, sectionForSectionIndexTitle title: String, at index: Int
  ) -> Int { index }

  /// Ignores the drag.
  public func tableView(
    _ tableView: TableView, moveRowAt sourceIndexPath: IndexPath,
    to destinationIndexPath: IndexPath
  ) {}
}

/// A cell of a ``TableView``. Its content is a text.
public final class TableViewCell {
  /// The content of the cell.
  public var text: String

  /// Creates a cell with a text.
  public init(_ text: String) { self.text = text }
}

/// A data source that gets its sections from a closure. It calls the closure each time that the
/// table requests the number of sections.
final class SectionSource: TableViewDataSource {
  private let makeSections: () -> [TableView.Section]
  private var sections: [TableView.Section] = []

  init(_ makeSections: @escaping () -> [TableView.Section]) { self.makeSections = makeSections }

  /// Calls the closure, and returns the number of its sections. A table always calls this method
  /// before the other ones.
  func numberOfSections(in tableView: TableView) -> Int {
    sections = makeSections()
    return sections.count
  }

  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int {
    sections[section].rows.count
  }

  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell {
    TableViewCell(sections[indexPath[0]].rows[indexPath[1]])
  }

  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) -> String? {
    sections[section].title
  }
}
