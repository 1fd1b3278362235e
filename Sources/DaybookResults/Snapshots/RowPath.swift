/// The position of a row in a list: the index of its section, and its position in that section.
public struct RowPath: Hashable, Sendable, Comparable {
  /// The index of the section.
  public var section: Int
  /// The position of the row in the section.
  public var row: Int

  /// Creates the path of a row from the index of its section and its position in that section.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Returns a Boolean value that indicates whether the first path precedes the second path in list
  /// order.
  public static func < (one: RowPath, other: RowPath) -> Bool {
    (one.section, one.row) < (other.section, other.row)
  }
}

extension RowPath: CustomStringConvertible {
  /// The section and the row, as in `[0, 3]`.
  public var description: String { "[\(section), \(row)]" }
}
