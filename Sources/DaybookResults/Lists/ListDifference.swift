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
  /// A transaction that the difference comes from.
  public typealias Cause = DifferenceCause

  /// A section that was deleted or inserted.
  public struct Section: Hashable, Sendable {
    /// The index of the section: before, if it was deleted; after, if it was inserted.
    public let index: Int
    /// The name of the section.
    public let name: String
  }

  /// A row that was deleted or inserted.
  public struct Row: Hashable, Sendable {
    package let path: RowPath
    /// The identifier of the record.
    public let id: R.ID

    /// The place of the row: before, if it was deleted; after, if it was inserted.
    public var indexPath: IndexPath { IndexPath(path) }
  }

  /// A row that is there before and after.
  public struct Change: Hashable, Sendable {
    package let old: RowPath
    package let new: RowPath
    /// The identifier of the record.
    public let id: R.ID
    /// A Boolean value that indicates whether values changed: those of the record, or those that the
    /// request reads through its references.
    public let isContentChanged: Bool

    /// The place of the row before.
    public var indexPath: IndexPath { IndexPath(old) }

    /// The place of the row after.
    public var newIndexPath: IndexPath { IndexPath(new) }
  }

  /// A section that only has another name.
  public struct RenamedSection: Hashable, Sendable {
    /// The section before.
    public let old: Section
    /// The section after.
    public let new: Section
  }

  /// The list before.
  public let before: FetchedObjects<R>
  /// The list after.
  public let after: FetchedObjects<R>
  /// The places that the difference consists of.
  package let script: EditScript
  /// A Boolean value that indicates whether the difference is what the transactions between two
  /// moments of the store did.
  private let isOfHistory: Bool

  /// - Parameter isOfHistory: Whether both lists are of saved records only.
  package init(
    _ script: EditScript, before: FetchedObjects<R>, after: FetchedObjects<R>,
    isOfHistory: Bool = false
  ) {
    self.script = script
    self.before = before
    self.after = after
    self.isOfHistory = isOfHistory
  }

  /// Creates a difference of two lists whose records nobody has read yet.
  package init(_ script: EditScript, batchSize: Int, isOfHistory: Bool) {
    self.init(
      script, before: FetchedObjects(script.before, batchSize: batchSize),
      after: FetchedObjects(script.after, batchSize: batchSize), isOfHistory: isOfHistory)
  }

  /// A Boolean value that indicates whether nothing happened that can be seen.
  public var isEmpty: Bool { script.isEmpty }

  /// The deleted sections, by descending index.
  public var deletedSections: [Section] { sections(script.deletedSections, of: before) }

  /// The inserted sections, by ascending index.
  public var insertedSections: [Section] { sections(script.insertedSections, of: after) }

  /// The deleted rows, by descending path.
  public var deleted: [Row] { rows(script.deleted, of: script.before) }

  /// The inserted rows, by ascending path.
  public var inserted: [Row] { rows(script.inserted, of: script.after) }

  /// The rows that changed their place among those that stay, or their section; by ascending new path.
  public var moved: [Change] { changes(script.moved) }

  /// The rows whose values changed, and whose place did not; by ascending new path.
  public var updated: [Change] { changes(script.updated) }

  /// The transactions that the difference comes from, in order.
  ///
  /// In a stream, and from one moment to a later one, these are all transactions in between, whether or
  /// not they changed the list. There are none where they are not known: from one moment to an earlier
  /// one, after a change of the request, and at the first boundary of which a delegate is notified.
  ///
  /// - Complexity: O(1); in a stream and between two moments O(*k*) in the changes of the transactions
  public var causes: [Cause] {
    guard isOfHistory else { return script.causes }
    let (old, new) = (script.before.state, script.after.state)
    guard old.sequence < new.sequence else { return [] }
    return (old.sequence.rawValue + 1...new.sequence.rawValue).compactMap { number in
      new.heading(of: number).map { heading in
        Cause(
          origin: .journal, sequence: SequenceNumber(number), time: heading.time,
          metadata: heading.metadata)
      }
    }
  }

  /// Returns the record of a row that is there before and after, as it was before.
  ///
  /// - Complexity: O(log *n*)
  public func oldObject(of change: Change) -> R { before.record(at: change.old) }

  /// Returns the record of a row that is there before and after, as it is after.
  ///
  /// - Complexity: O(log *n*)
  public func newObject(of change: Change) -> R { after.record(at: change.new) }

  /// The same difference, with moves out of deleted sections and into inserted ones as a deletion and
  /// an insertion: for views that cannot move rows so in one batch.
  ///
  /// - Complexity: O(*k* log *k*)
  public var batchSafe: ListDifference {
    ListDifference(script.batchSafe, before: before, after: after, isOfHistory: isOfHistory)
  }

  /// The difference from the list after to the list before.
  ///
  /// - Complexity: O(*k* log *k*)
  public var inverse: ListDifference {
    ListDifference(script.inverse, before: after, after: before)
  }

  // MARK: Names and identifiers

  private func sections(_ indexes: [Int], of objects: FetchedObjects<R>) -> [Section] {
    indexes.map { Section(index: $0, name: objects.snapshot.name(ofSection: $0)) }
  }

  // A record can have another slot in the state of a list than in the moment of the script that shows the same list:
  // a save renews slots where nothing looks different.

  private func rows(_ rows: [EditScript.Row], of moment: ResultSnapshot) -> [Row] {
    zip(rows, moment.identifiers(ofSlots: rows.map(\.slot), as: R.ID.self)).map { row, id in
      Row(path: row.path, id: id)
    }
  }

  private func changes(_ pairs: [EditScript.Pair]) -> [Change] {
    let ids = script.after.identifiers(ofSlots: pairs.map(\.new.slot), as: R.ID.self)
    return zip(pairs, ids).map { pair, id in
      Change(
        old: pair.old.path, new: pair.new.path, id: id, isContentChanged: pair.isContentChanged)
    }
  }
}

extension ListDifference: CustomStringConvertible {
  /// The numbers of sections and rows that changed, as in `1 sections new, 2 inserted`.
  public var description: String {
    let counts = [
      (script.deletedSections.count, "sections gone"),
      (script.insertedSections.count, "sections new"), (script.deleted.count, "deleted"),
      (script.inserted.count, "inserted"), (script.moved.count, "moved"),
      (script.updated.count, "updated"),
    ]
    let parts = counts.filter { $0.0 > 0 }.map { "\($1) \($0)" }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}
