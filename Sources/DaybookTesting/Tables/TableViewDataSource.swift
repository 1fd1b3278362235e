import DaybookEssentials

/// An object that provides a ``TableView`` with the numbers of its sections and rows, and with
/// their content.
///
/// The methods are those of `UITableViewDataSource`, so a program's own methods can be copied into
/// a test. All but two of them have default implementations.
public protocol TableViewDataSource: AnyObject {
  /// Returns the number of sections; 1 by default.
  func numberOfSections(in tableView: TableView) -> Int

  /// Returns the number of rows in a section.
  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int

  /// Returns the cell of a row that appears on the screen.
  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell

  /// Returns the title above a section; nil, the default, for no title.
  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) -> String?

  /// Returns the titles of the section index beside the table; nil, the default, for no index.
  func sectionIndexTitles(for tableView: TableView) -> [String]?

  /// Returns the index of the section that an index title leads to; by default, the position of the
  /// title.
  func tableView(
    _ tableView: TableView, sectionForSectionIndexTitle title: String, at index: Int
  ) -> Int

  /// Informs the source that the user dragged a row. The table already shows the row at its new
  /// path. By default nothing happens.
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

/// A cell of a ``TableView``, which shows a text.
public final class TableViewCell {
  /// The text that the cell shows.
  public var text: String

  /// Creates a cell that shows a text.
  public init(_ text: String) { self.text = text }
}

/// A data source that uses a closure to create its sections. It calls the closure once each time
/// the table requests all its content.
final class SectionSource: TableViewDataSource {
  private let makeSections: () -> [TableView.Section]
  private var sections: [TableView.Section] = []

  init(_ makeSections: @escaping () -> [TableView.Section]) { self.makeSections = makeSections }

  /// Returns the number of sections, and calls the closure: tables call this method first.
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
