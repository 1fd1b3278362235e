import DaybookEssentials
import DaybookJournal
import DaybookStore

/// What happened to a list between two moments: exact, and with as few moves as there can be.
///
/// Taking from the list before the rows that were deleted and those that moved, at their paths before,
/// and the sections that were deleted; then putting in the sections that were inserted, and the rows
/// that were inserted and those that moved, at their paths after, gives the list after. Rows that only
/// shift because others come or go are in none of the lists.
public struct ListDifference<R: FetchableRecord>: Sendable {
  /// A section that came or went.
  public struct Section: Hashable, Sendable {
    /// Its place: before, if it went; after, if it came.
    public var index: Int
    /// What it is called.
    public var name: String
  }

  /// A row that came or went.
  public struct Row: Hashable, Sendable {
    /// Its place: before, if it went; after, if it came.
    public var indexPath: IndexPath
    /// Which record it is.
    public var id: R.ID
  }

  /// A row that is there before and after.
  public struct Change: Hashable, Sendable {
    /// Its place before.
    public var indexPath: IndexPath
    /// Its place after.
    public var newIndexPath: IndexPath
    /// Which record it is.
    public var id: R.ID
    /// Whether it has other values: its own, or those that the request reads through its references.
    public var isContentChanged: Bool
  }

  /// A transaction of which a difference came.
  public struct Cause: Sendable {
    /// What kind of boundary it was.
    public var origin: StoreTransaction.Origin
    /// Its number; nil for changes that are not saved, or if several were merged.
    public var sequence: SequenceNumber?
    /// Its time, likewise.
    public var time: JournalTime?
    /// Its author, its reason, and what else was said about it.
    public var metadata: TransactionMetadata
  }

  /// The list before.
  public let before: FetchedObjects<R>
  /// The list after.
  public let after: FetchedObjects<R>
  package let difference: Difference
  /// Whether it is what the transactions between two moments of the store did.
  private let isOfHistory: Bool

  /// - Parameter isOfHistory: Whether the list is one of saved records, before and after.
  package init(
    _ difference: Difference, before: FetchedObjects<R>, after: FetchedObjects<R>,
    isOfHistory: Bool = false
  ) {
    self.difference = difference
    self.before = before
    self.after = after
    self.isOfHistory = isOfHistory
  }

  /// Whether nothing happened that can be seen.
  public var isEmpty: Bool { difference.isEmpty }

  /// Sections that went, by descending place.
  public var deletedSections: [Section] {
    difference.deletedSections.map { Section(index: $0.index, name: $0.name) }
  }

  /// Sections that came, by ascending place.
  public var insertedSections: [Section] {
    difference.insertedSections.map { Section(index: $0.index, name: $0.name) }
  }

  /// A section that only has another name now.
  public struct RenamedSection: Hashable, Sendable {
    /// Its place and name before.
    public let old: Section
    /// Its place and name after.
    public let new: Section
  }

  /// A second reading of sections that went and came: those of which all rows, and no others, are in a new
  /// one, in the same order. They stand among the deleted and the inserted as well, and their rows moved.
  ///
  /// - Complexity: O(*k* log *n*)
  public var renamedSections: [RenamedSection] {
    difference.renamedSections.map { renamed in
      RenamedSection(
        old: Section(index: renamed.old, name: renamed.oldName),
        new: Section(index: renamed.new, name: renamed.newName))
    }
  }

  /// Rows that went, by descending path.
  public var deleted: [Row] { difference.deleted.map(ListDifference.row) }

  /// Rows that came, by ascending path.
  public var inserted: [Row] { difference.inserted.map(ListDifference.row) }

  /// Rows that changed their place among those that stay, or their section; by ascending new path.
  public var moved: [Change] { difference.moved.map(ListDifference.change) }

  /// Rows whose values changed, and whose place did not; by ascending new path.
  public var updated: [Change] { difference.updated.map(ListDifference.change) }

  /// What brought it about, in order. In a stream, and from one moment to a later one, that are all
  /// transactions in between, whether or not they had to do with the list. There are none where that is
  /// not known: from one moment to an earlier one, behind a change of the request, and at the first
  /// boundary that a delegate hears.
  ///
  /// - Complexity: O(1); where it is made of the transactions in between, O(*k*) in their changes
  public var causes: [Cause] {
    guard isOfHistory else {
      return difference.causes.map {
        Cause(origin: $0.origin, sequence: $0.sequence, time: $0.time, metadata: $0.metadata)
      }
    }
    let (old, new) = (before.snapshot.state, after.snapshot.state)
    guard old.sequence < new.sequence else { return [] }
    return (old.sequence.rawValue + 1...new.sequence.rawValue).compactMap { number in
      new.heading(of: number).map { heading in
        Cause(
          origin: .journal, sequence: SequenceNumber(number), time: heading.time,
          metadata: heading.metadata)
      }
    }
  }

  /// A row that is there before and after as it was before.
  ///
  /// - Complexity: O(log *n*)
  public func oldObject(of change: Change) -> R { before.record(at: change.indexPath) }

  /// A row that is there before and after as it is after.
  ///
  /// - Complexity: O(log *n*)
  public func newObject(of change: Change) -> R { after.record(at: change.newIndexPath) }

  /// What is another of a row that is there before and after: the names of its attributes, in the order
  /// of the schema, and then of what the request reads through its references, as `club.name`.
  ///
  /// - Complexity: O(log *n* and the row's attributes)
  public func changedKeys(of change: Change) -> [String] {
    guard let old = change.indexPath.rowPath, let new = change.newIndexPath.rowPath else {
      preconditionFailure("\(change) is of no list")
    }
    return difference.changedKeys(
      of: Difference.Pair(
        old: old, new: new, id: change.id.recordIdentifier,
        isContentChanged: change.isContentChanged))
  }

  /// The same, with what moves out of sections that go or into sections that come told as deleted and
  /// inserted: for views that cannot do that in one batch.
  public var batchSafe: ListDifference {
    ListDifference(difference.batchSafe, before: before, after: after, isOfHistory: isOfHistory)
  }

  /// What takes it back.
  public var inverse: ListDifference {
    ListDifference(difference.inverse, before: after, after: before)
  }

  private static func row(_ row: Difference.Row) -> Row {
    Row(indexPath: IndexPath(row.path), id: id(row.id))
  }

  private static func change(_ pair: Difference.Pair) -> Change {
    Change(
      indexPath: IndexPath(pair.old), newIndexPath: IndexPath(pair.new), id: id(pair.id),
      isContentChanged: pair.isContentChanged)
  }

  static func id(_ identifier: RecordIdentifier) -> R.ID {
    guard let id = R.ID(identifier) else {
      preconditionFailure("\(identifier) identifies no \(R.self)")
    }
    return id
  }
}

extension ListDifference: CustomStringConvertible {
  /// How many sections and rows came, went, moved and were updated: `sections gone 1, inserted 2`.
  public var description: String {
    let counts = [
      (difference.deletedSections.count, "sections gone"),
      (difference.insertedSections.count, "sections new"),
      (difference.deleted.count, "deleted"),
      (difference.inserted.count, "inserted"), (difference.moved.count, "moved"),
      (difference.updated.count, "updated"),
    ]
    let told = counts.filter { $0.0 > 0 }.map { "\($1) \($0)" }
    return told.isEmpty ? "nothing" : told.joined(separator: ", ")
  }
}

extension ListDifference {
  /// The change as a difference of two lists of identifiers, in list order; sections are left aside.
  ///
  /// Applying it to `before.identifiers` gives `after.identifiers`. It is as short as any, so it may move
  /// rows that ``moved`` does not contain. A row that moves is a removal and an insertion that are
  /// associated with each other. Rows of which only the content changed are in ``changedIdentifiers``.
  ///
  /// ```swift
  /// if let ids = ids.applying(difference.identifierDifference) { show(ids) }
  /// ```
  ///
  /// - Complexity: O(*k* log *n*) and the rows that move
  public var identifierDifference: CollectionDifference<R.ID> {
    difference.identifierDifference(ListDifference.id)
  }

  /// The change as a difference of two flattened lists: of the sections in order, each followed by its
  /// rows. A list without a section key has rows only.
  ///
  /// Applying it to `before.elements` gives `after.elements`. It is as short as any, so it may move rows
  /// that ``moved`` does not contain. A row or section that moves is a removal and an insertion that are
  /// associated with each other. Rows of which only the content changed are in ``changedIdentifiers``.
  ///
  /// - Complexity: O(*k* log² *n*) and the rows that move
  public var elementDifference: CollectionDifference<ListElement<R.ID>> {
    difference.elementDifference(ListDifference.id)
  }

  /// The identifiers of the rows that are in the list before and after and whose content changed, moved
  /// or not.
  ///
  /// - Complexity: O(*k*)
  public var changedIdentifiers: Set<R.ID> {
    Set(difference.changedIdentifiers.map(ListDifference.id))
  }
}
