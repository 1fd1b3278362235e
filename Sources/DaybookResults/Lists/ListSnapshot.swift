import DaybookStore

/// The content of a list, for views that compute moves themselves: sections and rows as identifiers
/// that are unique in the list.
///
/// A snapshot is an immutable value. Creating one takes constant time, plus the time to list the
/// changed rows.
public struct ListSnapshot<R: FetchableRecord>: Sendable {
  /// The records, in order.
  public let objects: FetchedObjects<R>
  /// The rows that the list also showed before the change, with different values; in order. A view
  /// that compares only identifiers would not find them.
  public let changedIdentifiers: [R.ID]

  /// Creates a snapshot of a list without a known predecessor: no rows are marked as changed.
  package init(_ objects: FetchedObjects<R>) {
    self.objects = objects
    changedIdentifiers = []
  }

  /// Creates a snapshot of the list after a difference.
  package init(after difference: ListDifference<R>) {
    objects = difference.after
    changedIdentifiers = difference.orderedChangedIdentifiers
  }

  // MARK: Sections

  /// The number of sections.
  public var numberOfSections: Int { objects.snapshot.sectionCount }

  /// The sections, in order. A section is identified by its exact value, because two sections can
  /// have the same name.
  ///
  /// - Complexity: O(*sections* log *n*)
  public var sectionIdentifiers: [SectionIdentifier] {
    (0..<numberOfSections).map { objects.snapshot.identifier(ofSection: $0) }
  }

  /// Returns the name of the section at an index.
  ///
  /// - Complexity: O(log *n*)
  public func name(ofSection index: Int) -> String { objects.snapshot.name(ofSection: index) }

  /// Returns the index of a section; nil if the list does not show it.
  ///
  /// - Complexity: O(log *n*); O(*sections* log *n*) for an identifier from a different request
  public func indexOfSection(_ identifier: SectionIdentifier) -> Int? {
    objects.snapshot.index(ofSection: identifier)
  }

  /// Returns the section that contains a row; nil if the list does not show the row.
  ///
  /// - Complexity: O(log *n*)
  public func sectionIdentifier(containing id: R.ID) -> SectionIdentifier? {
    objects.snapshot.path(of: id.recordIdentifier).map { path in
      objects.snapshot.identifier(ofSection: path.section)
    }
  }

  // MARK: Rows

  /// The number of rows.
  public var numberOfItems: Int { objects.count }

  /// The rows, in order, without sections.
  ///
  /// - Complexity: O(*n*)
  public var itemIdentifiers: [R.ID] { objects.identifiers }

  /// Returns the index of a row among all rows; nil if the list does not show it.
  ///
  /// - Complexity: O(log *n*)
  public func indexOfItem(_ id: R.ID) -> Int? {
    objects.snapshot.path(of: id.recordIdentifier).map { objects.snapshot.offset(of: $0) }
  }

  /// Returns the rows of the section at an index, in order.
  ///
  /// - Complexity: O(log *n* and the section's rows)
  public func itemIdentifiers(inSection index: Int) -> [R.ID] {
    objects.section(index).identifiers
  }

  /// Returns the rows of a section, in order; none if the list does not show the section.
  ///
  /// - Complexity: O(log *n* and the section's rows)
  public func itemIdentifiers(inSection identifier: SectionIdentifier) -> [R.ID] {
    indexOfSection(identifier).map { itemIdentifiers(inSection: $0) } ?? []
  }

  /// Returns the number of rows of the section at an index.
  ///
  /// - Complexity: O(log *n*)
  public func numberOfItems(inSection index: Int) -> Int { objects.section(index).count }

  /// Returns the number of rows of a section; 0 if the list does not show the section.
  ///
  /// - Complexity: O(log *n*)
  public func numberOfItems(inSection identifier: SectionIdentifier) -> Int {
    indexOfSection(identifier).map { numberOfItems(inSection: $0) } ?? 0
  }
}

extension ListSnapshot: CustomStringConvertible {
  /// The type and the counts, as in `ListSnapshot<Bank>: 3 rows in 2 sections, 1 changed`.
  public var description: String {
    let changed = changedIdentifiers.isEmpty ? "" : ", \(changedIdentifiers.count) changed"
    return "ListSnapshot<\(R.self)>: \(objects.snapshot.countsText)\(changed)"
  }
}
