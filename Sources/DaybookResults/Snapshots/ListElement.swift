import DaybookStore

/// An element of a flattened list: a section, or one of the rows that follow it.
///
/// A list with a section key flattens to its sections in order, each followed by its rows. A list
/// without a section key flattens to its rows. All elements of a flattened list are different.
public enum ListElement<ID: Hashable & Sendable>: Hashable, Sendable {
  /// A section, by its identity.
  case section(SectionIdentifier)
  /// A row, by the identifier of its record.
  case row(ID)
}

extension ListElement: CustomStringConvertible {
  /// The description of the section, or the identifier of the row, as in `row 7`.
  public var description: String {
    switch self {
    case .section(let identifier): "\(identifier)"
    case .row(let id): "row \(id)"
    }
  }
}

extension ResultSnapshot {
  /// A Boolean value that indicates whether the list has a section key.
  package var hasSections: Bool { plan.appendSection != nil }

  /// The number of elements of the flattened list.
  var elementCount: Int { hasSections ? count + sectionCount : count }

  /// Returns the number of shown rows before a path.
  package func offset(of path: RowPath) -> Int { rank(at: path) - visible.lowerBound }

  /// Returns the offset of a row in the flattened list.
  func elementOffset(of path: RowPath) -> Int {
    hasSections ? offset(of: path) + path.section + 1 : offset(of: path)
  }

  /// Returns the offset of a section in the flattened list.
  func elementOffset(ofSection index: Int) -> Int {
    ranks(ofSection: index).lowerBound - visible.lowerBound + index
  }
}
