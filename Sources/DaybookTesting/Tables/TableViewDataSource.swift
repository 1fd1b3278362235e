import DaybookEssentials

/// What a ``TableView`` asks its program: how much there is to show, and what it is.
///
/// The methods are those of `UITableViewDataSource`, so a program's own can be copied into a test. All
/// but two can be left out.
public protocol TableViewDataSource: AnyObject {
  /// How many sections there are; one unless it is given.
  func numberOfSections(in tableView: TableView) -> Int

  /// How many rows a section has.
  func tableView(_ tableView: TableView, numberOfRowsInSection section: Int) -> Int

  /// The cell of a row that comes onto the screen.
  func tableView(_ tableView: TableView, cellForRowAt indexPath: IndexPath) -> TableViewCell

  /// What stands above a section; nil for nothing, as it is unless it is given.
  func tableView(_ tableView: TableView, titleForHeaderInSection section: Int) -> String?

  /// What stands in the index beside the table; nil for no index, as it is unless it is given.
  func sectionIndexTitles(for tableView: TableView) -> [String]?

  /// The section that a title in the index leads to; that of the title's place unless it is given.
  func tableView(
    _ tableView: TableView, sectionForSectionIndexTitle title: String, at index: Int
  ) -> Int

  /// A person has dragged a row, which the table shows already; nothing unless it is given.
  func tableView(
    _ tableView: TableView, moveRowAt sourceIndexPath: IndexPath,
    to destinationIndexPath: IndexPath)
}

extension TableViewDataSource {
  /// One.
  public func numberOfSections(in tableView: TableView) -> Int { 1 }

  /// Nothing.
  public func tableView(
    _ tableView: TableView, titleForHeaderInSection section: Int
  ) -> String? { nil }

  /// No index.
  public func sectionIndexTitles(for tableView: TableView) -> [String]? { nil }

  /// The section of the title's place.
  public func tableView(
    _ tableView: TableView, sectionForSectionIndexTitle title: String, at index: Int
  ) -> Int { index }

  /// Nothing.
  public func tableView(
    _ tableView: TableView, moveRowAt sourceIndexPath: IndexPath,
    to destinationIndexPath: IndexPath
  ) {}
}

/// A cell of a ``TableView``: the text on it.
public final class TableViewCell {
  /// What it says.
  public var text: String

  /// A cell that says something.
  public init(_ text: String) { self.text = text }
}

/// Sections in a closure, as a source. The closure is called once whenever the table asks for everything.
final class SectionSource: TableViewDataSource {
  private let makeSections: () -> [TableView.Section]
  private var sections: [TableView.Section] = []

  init(_ makeSections: @escaping () -> [TableView.Section]) { self.makeSections = makeSections }

  /// Tables ask for this first.
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
