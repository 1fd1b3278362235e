import DaybookResults
import DaybookStore

/// What a list shows: sections and rows by identifiers that are unique in it, for views that find out
/// themselves what has moved.
///
/// A value that stays as it is, whatever happens to the list; taking it takes no time.
public struct ListSnapshot<R: Record>: Sendable {
  /// The records, in order.
  public let objects: FetchedObjects<R>
  /// The rows that were shown before and have other values now, in order: a view that compares
  /// identifiers would not find them.
  public let changedIdentifiers: [R.ID]

  init(_ objects: FetchedObjects<R>, changed: [RecordIdentifier] = []) {
    self.objects = objects
    changedIdentifiers = changed.map(ListDifference<R>.id)
  }

  /// How many sections there are.
  public var numberOfSections: Int { objects.snapshot.sectionCount }

  /// How many rows there are.
  public var numberOfItems: Int { objects.count }

  /// The sections, in order. A section is its exact value and not its name, which two may share.
  ///
  /// - Complexity: O(*sections* log *n*)
  public var sectionIdentifiers: [SectionIdentifier] {
    (0..<numberOfSections).map { objects.snapshot.identifier(ofSection: $0) }
  }

  /// What a section is called, by its place.
  ///
  /// - Complexity: O(log *n*)
  public func name(ofSection index: Int) -> String { objects.snapshot.name(ofSection: index) }

  /// The rows of a section, by its place, in order.
  ///
  /// - Complexity: O(log *n* and the section's rows)
  public func itemIdentifiers(inSection index: Int) -> [R.ID] {
    objects.section(index).identifiers
  }
}
