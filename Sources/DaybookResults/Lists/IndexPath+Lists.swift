import DaybookEssentials

#if !canImport(UIKit) && !canImport(AppKit)
  extension IndexPath {
    /// Creates the index path of a row, from its section and its position in that section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// Creates the index path of an item, from its section and its position in that section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The index of the section.
    public var section: Int { self[0] }

    /// The position of the row in its section.
    public var row: Int { self[1] }

    /// The position of the item in its section.
    public var item: Int { self[1] }
  }
#endif

extension IndexPath {
  package init(_ path: RowPath) { self.init(indexes: [path.section, path.row]) }

  /// The index path as a `RowPath`, a section and a row; nil unless the index path has two parts.
  package var rowPath: RowPath? { count == 2 ? RowPath(section: self[0], row: self[1]) : nil }
}
