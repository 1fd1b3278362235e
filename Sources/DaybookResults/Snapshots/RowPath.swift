/// Where a row stands in a result: its section, and its place in that.
public struct RowPath: Hashable, Sendable, Comparable {
  /// The section's place among all.
  public var section: Int
  /// The row's place in the section.
  public var row: Int

  /// The place of a row.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Whether one row stands before another.
  public static func < (one: RowPath, other: RowPath) -> Bool {
    (one.section, one.row) < (other.section, other.row)
  }
}

extension RowPath: CustomStringConvertible {
  /// `[0, 3]`
  public var description: String { "[\(section), \(row)]" }
}
