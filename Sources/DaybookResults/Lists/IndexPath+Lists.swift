import DaybookEssentials

#if !canImport(UIKit) && !canImport(AppKit)
  extension IndexPath {
    /// The place of a row: its section, and its place in that.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The place of an item: its section, and its place in that.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The section that it leads to.
    public var section: Int { self[0] }

    /// The place in the section.
    public var row: Int { self[1] }

    /// The place in the section.
    public var item: Int { self[1] }
  }
#endif

extension IndexPath {
  package init(_ path: RowPath) { self.init(indexes: [path.section, path.row]) }

  /// The same as a path of a list; nil unless it has two parts.
  package var rowPath: RowPath? { count == 2 ? RowPath(section: self[0], row: self[1]) : nil }
}
