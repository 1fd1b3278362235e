import DaybookStore

/// What is shown after a difference, for views that find out themselves what has moved: sections and
/// rows by identifiers that are unique, and the rows that have other values, which such a view could
/// not find out.
package struct DiffableSnapshot: Sendable {
  /// What is shown.
  package let snapshot: ResultSnapshot
  /// The rows that were shown before and have other values, moved or not, in their order.
  package let changedIdentifiers: [RecordIdentifier]

  /// The sections, in order.
  ///
  /// - Complexity: O(*sections* log *n*)
  package var sectionIdentifiers: [SectionIdentifier] {
    (0..<snapshot.sectionCount).map { snapshot.identifier(ofSection: $0) }
  }

  /// The rows of a section, by its place, in order.
  ///
  /// - Complexity: O(log *n* and the section's rows)
  package func rowIdentifiers(inSection index: Int) -> [RecordIdentifier] {
    snapshot.identifiers(inSection: index)
  }
}

extension Difference {
  /// What is shown after it, for views that find out themselves what has moved.
  ///
  /// - Complexity: O(*k* log *k*)
  package var diffable: DiffableSnapshot {
    DiffableSnapshot(snapshot: after, changedIdentifiers: changedIdentifiers)
  }
}
