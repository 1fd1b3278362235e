import DaybookEssentials
import DaybookJournal
import DaybookStore

/// The exact changes of a list between two moments, with as few moves as possible.
///
/// The following steps turn the list before into the list after:
///
/// 1. Remove the deleted rows and the moved rows at their old paths.
/// 2. Remove the deleted sections at their old indexes.
/// 3. Insert the inserted sections at their new indexes.
/// 4. Insert the inserted rows and the moved rows at their new paths.
///
/// A row is not reported if its index path changes only because other rows are inserted or deleted.
public struct ListDifference<R: FetchableRecord>: Sendable {
  /// A transaction that caused the difference.
  public typealias Cause = DifferenceCause

  /// A section that was deleted or inserted.
  public struct Section: Hashable, Sendable {
    /// The index of the section: in the list before if it was deleted, in the list after if it was
    /// inserted.
    public let index: Int
    /// The name of the section.
    public let name: String
  }

  /// A row that was deleted or inserted.
  public struct Row: Hashable, Sendable {
    package let path: RowPath
    /// The identifier of the record.
    public let id: R.ID
    /// A Boolean value that indicates whether the row was deleted, so that its path is in the list
    /// before. Equality ignores this field.
    fileprivate let isDeleted: Bool

    /// The index path of the row: in the list before if it was deleted, in the list after if it was
    /// inserted.
    public var indexPath: IndexPath { IndexPath(path) }

    /// Returns whether two rows have the same index path and record.
    public static func == (one: Row, other: Row) -> Bool {
      one.path == other.path && one.id == other.id
    }

    /// Hashes the index path and the identifier.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(path)
      hasher.combine(id)
    }
  }

  /// A row that is in the list before and after.
  public struct Change: Hashable, Sendable {
    package let old: RowPath
    package let new: RowPath
    /// The identifier of the record.
    public let id: R.ID
    /// A Boolean value that indicates whether values changed: values of the record, or values that
    /// the request reads through its references.
    public let isContentChanged: Bool

    /// The index path of the row in the list before.
    public var indexPath: IndexPath { IndexPath(old) }

    /// The index path of the row in the list after.
    public var newIndexPath: IndexPath { IndexPath(new) }
  }

  /// A section that has the same rows under a new name.
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
  /// The edits by position. The other properties are computed from them when they are read.
  package let script: EditScript
  /// A Boolean value that indicates whether ``causes`` are the transactions of the store between
  /// the two moments.
  private let isOfHistory: Bool

  /// - Parameter isOfHistory: A Boolean value that indicates whether both lists show saved records
  ///   only. The causes are then read from the journal.
  package init(
    _ script: EditScript, before: FetchedObjects<R>, after: FetchedObjects<R>,
    isOfHistory: Bool = false
  ) {
    self.script = script
    self.before = before
    self.after = after
    self.isOfHistory = isOfHistory
  }

  /// Creates a difference of two lists with records that have not been read yet.
  package init(_ script: EditScript, batchSize: Int, isOfHistory: Bool) {
    self.init(
      script, before: FetchedObjects(script.before, batchSize: batchSize),
      after: FetchedObjects(script.after, batchSize: batchSize), isOfHistory: isOfHistory)
  }

  /// A Boolean value that indicates whether there are no visible changes, neither of rows nor of
  /// totals.
  public var isEmpty: Bool { script.isEmpty }

  /// The deleted sections, by descending index.
  public var deletedSections: [Section] { sections(script.deletedSections, of: before) }

  /// The inserted sections, by ascending index.
  public var insertedSections: [Section] { sections(script.insertedSections, of: after) }

  /// The deleted rows, by descending path.
  public var deleted: [Row] { rows(script.deleted, of: script.before, areDeleted: true) }

  /// The inserted rows, by ascending path.
  public var inserted: [Row] { rows(script.inserted, of: script.after, areDeleted: false) }

  /// The rows that changed their section, or their position relative to the rows that did not move;
  /// by ascending new path.
  public var moved: [Change] { changes(script.moved) }

  /// The rows with changed values that did not change their position; by ascending new path.
  public var updated: [Change] { changes(script.updated) }

  /// The transactions that caused the difference, in order.
  ///
  /// In a stream, and in a difference between two snapshots, these are all transactions between the
  /// two moments, also those that did not change the list. The array is empty if the transactions
  /// are not known:
  ///
  /// - in a difference from one moment to an earlier moment,
  /// - after a change of the request,
  /// - in the first notification of a delegate that was set after the fetch.
  ///
  /// - Complexity: O(1); in a stream and between two moments O(*k*) in the changes of the
  ///   transactions
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

  /// Returns the record of a row that was deleted or inserted. A deleted record has its values
  /// before the change, an inserted record its values after the change.
  ///
  /// ```swift
  /// for row in difference.deleted { print("\(difference.object(of: row).name) was removed") }
  /// ```
  ///
  /// - Parameter row: One of the rows of ``deleted`` or ``inserted`` of this difference.
  /// - Complexity: O(log *n*)
  public func object(of row: Row) -> R { (row.isDeleted ? before : after).record(at: row.path) }

  /// Returns the record of a row that both lists show, with its values before.
  ///
  /// - Complexity: O(log *n*)
  public func oldObject(of change: Change) -> R { before.record(at: change.old) }

  /// Returns the record of a row that both lists show, with its values after.
  ///
  /// - Complexity: O(log *n*)
  public func newObject(of change: Change) -> R { after.record(at: change.new) }

  /// The difference in a form for views that cannot move a row out of a deleted section, or into an
  /// inserted section, within one batch. Each of these moves is reported as a deletion and an
  /// insertion.
  ///
  /// - Complexity: O(*k* log *k*)
  public var batchSafe: ListDifference {
    ListDifference(script.batchSafe, before: before, after: after, isOfHistory: isOfHistory)
  }

  /// The difference from ``after`` to ``before``.
  ///
  /// - Complexity: O(*k* log *k*)
  public var inverse: ListDifference {
    ListDifference(script.inverse, before: after, after: before)
  }

  // MARK: Names and identifiers

  private func sections(_ indexes: [Int], of objects: FetchedObjects<R>) -> [Section] {
    indexes.map { Section(index: $0, name: objects.snapshot.name(ofSection: $0)) }
  }

  // Names and identifiers are read from the two snapshots of the script, because the script's slots
  // are valid in these snapshots only. `before` and `after` can be lists of other states with the
  // same rows: a save can change the slots of records although the list looks the same.

  private func rows(
    _ rows: [EditScript.Row], of moment: ResultSnapshot, areDeleted: Bool
  ) -> [Row] {
    zip(rows, moment.identifiers(ofSlots: rows.map(\.slot), as: R.ID.self)).map { row, id in
      Row(path: row.path, id: id, isDeleted: areDeleted)
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
  /// The numbers of changed sections and rows, as in `1 section inserted, 2 rows inserted`.
  public var description: String {
    let counts = [
      (script.deletedSections.count, "section", "deleted"),
      (script.insertedSections.count, "section", "inserted"),
      (script.deleted.count, "row", "deleted"), (script.inserted.count, "row", "inserted"),
      (script.moved.count, "row", "moved"), (script.updated.count, "row", "updated"),
    ]
    let parts = counts.filter { $0.0 > 0 }.map { count, noun, verb in
      "\(count) \(noun)\(count == 1 ? "" : "s") \(verb)"
    }
    if parts.isEmpty { return isEmpty ? "nothing" : "totals changed" }
    return parts.joined(separator: ", ")
  }
}
