import DaybookJournal
import DaybookStore

/// The edits that change one snapshot of a list into a second snapshot, by position: exact, and
/// with as few moves as possible.
///
/// A ``ListDifference`` wraps an edit script and documents the rules. The script identifies a
/// section by its index, and a row by its path and its slot. Names and identifiers are read from
/// the two snapshots when a program needs them.
package struct EditScript: Sendable {
  /// A row of one of the snapshots.
  package struct Row: Hashable, Sendable {
    package var path: RowPath
    /// The slot of the record in the state of that snapshot.
    package var slot: UInt32
  }

  /// A row that both snapshots show.
  package struct Pair: Hashable, Sendable {
    package var old: Row
    package var new: Row
    /// A Boolean value that indicates whether values changed: values of the record, or values that
    /// the request reads through its references.
    package var isContentChanged: Bool

    fileprivate var inverse: Pair {
      Pair(old: new, new: old, isContentChanged: isContentChanged)
    }
  }

  package let before: ResultSnapshot
  package let after: ResultSnapshot
  /// The indexes of the deleted sections in the snapshot before, descending.
  package internal(set) var deletedSections: [Int] = []
  /// The indexes of the inserted sections in the snapshot after, ascending.
  package internal(set) var insertedSections: [Int] = []
  /// The deleted rows, by descending path in the snapshot before.
  package internal(set) var deleted: [Row] = []
  /// The inserted rows, by ascending path in the snapshot after.
  package internal(set) var inserted: [Row] = []
  /// The moved rows, by ascending new path.
  package internal(set) var moved: [Pair] = []
  /// The moves that ``batchSafe`` has replaced by a deletion and an insertion. These moves are not
  /// in ``moved``.
  package internal(set) var splitMoves: [Pair] = []
  /// The rows with changed values that did not move, by ascending new path.
  package internal(set) var updated: [Pair] = []
  /// The transactions that caused the edits, in order; empty if they are not known, as for two
  /// arbitrary snapshots.
  package var causes: [DifferenceCause] = []

  init(_ before: ResultSnapshot, to after: ResultSnapshot) {
    self.before = before
    self.after = after
  }

  /// A Boolean value that indicates whether there are no visible changes: neither of rows nor of
  /// totals.
  package var isEmpty: Bool { isWithoutRows && !changesTotalsAlone }

  /// A Boolean value that indicates whether there are no changes of rows and sections.
  package var isWithoutRows: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty
      && moved.isEmpty && updated.isEmpty
  }

  /// Returns whether totals changed although no rows did. These are totals of rows outside of the
  /// window, or those of a different request.
  private var changesTotalsAlone: Bool {
    guard let totals = after.plan.totals else { return false }
    return before.plan.totals?.measures != totals.measures || before.allTotals != after.allTotals
  }

  /// The edits in the opposite direction, without causes.
  ///
  /// - Complexity: O(*k* log *k*)
  package var inverse: EditScript {
    var inverse = EditScript(after, to: before)
    inverse.deletedSections = insertedSections.reversed()
    inverse.insertedSections = deletedSections.reversed()
    inverse.deleted = inserted.reversed()
    inverse.inserted = deleted.reversed()
    inverse.moved = moved.map(\.inverse).sorted { $0.new.path < $1.new.path }
    inverse.splitMoves = splitMoves.map(\.inverse)
    inverse.updated = updated.map(\.inverse).sorted { $0.new.path < $1.new.path }
    return inverse
  }

  /// The same edits, with a deletion and an insertion instead of each move out of a deleted section
  /// or into an inserted section.
  ///
  /// - Complexity: O(*k* log *k*)
  package var batchSafe: EditScript {
    let dead = Set(deletedSections)
    let new = Set(insertedSections)
    var safe = self
    safe.moved = []
    for pair in moved {
      guard dead.contains(pair.old.path.section) || new.contains(pair.new.path.section) else {
        safe.moved.append(pair)
        continue
      }
      safe.splitMoves.append(pair)
      safe.deleted.append(pair.old)
      safe.inserted.append(pair.new)
    }
    safe.deleted.sort { $0.path > $1.path }
    safe.inserted.sort { $0.path < $1.path }
    return safe
  }

  /// The rows with changed values, moved or not, in the order of the snapshot after.
  ///
  /// - Complexity: O(*k* log *k*)
  package var changedRows: [Row] {
    ((moved + splitMoves).filter(\.isContentChanged) + updated).map(\.new)
      .sorted { $0.path < $1.path }
  }
}

/// A transaction that caused a difference.
public struct DifferenceCause: Sendable {
  /// The kind of the change, such as an undo or a merge of saved changes.
  public let origin: StoreTransaction.Origin
  /// The number of the transaction; nil for unsaved changes, or if several transactions were
  /// merged.
  public let sequence: SequenceNumber?
  /// The time of the transaction; nil for unsaved changes, or if several transactions were merged.
  public let time: JournalTime?
  /// The author, the reason, and the other metadata of the transaction.
  public let metadata: TransactionMetadata

  package init(_ transaction: StoreTransaction) {
    self.init(
      origin: transaction.origin, sequence: transaction.sequence, time: transaction.time,
      metadata: transaction.metadata)
  }

  init(
    origin: StoreTransaction.Origin, sequence: SequenceNumber?, time: JournalTime?,
    metadata: TransactionMetadata
  ) {
    self.origin = origin
    self.sequence = sequence
    self.time = time
    self.metadata = metadata
  }
}

/// One call that a delegate of a list receives.
package enum ListCallback: Hashable, Sendable {
  case willChange
  /// A section was inserted, with its index in the snapshot after.
  case insertSection(Int)
  /// A section was deleted, with its index in the snapshot before.
  case deleteSection(Int)
  case delete(EditScript.Row)
  case insert(EditScript.Row)
  case move(EditScript.Pair)
  case update(EditScript.Pair)
  case didChange
}

/// The order of the notifications about sections and rows.
public enum CallbackOrder: Hashable, Sendable {
  /// Inserted sections, then rows, then deleted sections: the order that
  /// `NSFetchedResultsController` uses in practice.
  case observed
  /// All sections before all rows: the order that `NSFetchedResultsController` documents.
  case documented
}

extension EditScript {
  /// Returns the calls that report the edits, in one fixed order; none if there are no edits.
  ///
  /// The order for ``CallbackOrder/observed`` is:
  ///
  /// 1. Inserted sections, ascending by index.
  /// 2. Deleted rows, descending by old path; inserted rows, ascending by path; moved rows,
  ///    ascending by new path; updated rows, ascending by new path.
  /// 3. Deleted sections, descending by index.
  ///
  /// For ``CallbackOrder/documented`` the deleted sections precede the rows.
  ///
  /// - Complexity: O(*k*)
  package func callbacks(_ order: CallbackOrder = .observed) -> [ListCallback] {
    if isEmpty { return [] }
    var rows: [ListCallback] = deleted.map(ListCallback.delete)
    rows += inserted.map(ListCallback.insert)
    rows += moved.map(ListCallback.move)
    rows += updated.map(ListCallback.update)
    let inserts = insertedSections.map(ListCallback.insertSection)
    let deletes = deletedSections.map(ListCallback.deleteSection)
    let calls =
      switch order {
      case .observed: inserts + rows + deletes
      case .documented: inserts + deletes + rows
      }
    return [.willChange] + calls + [.didChange]
  }
}

extension EditScript {
  /// Creates the edits between any two snapshots of lists of one entity in one store. Either
  /// snapshot may be the earlier one.
  ///
  /// Two snapshots with one plan are compared by the records that differ between their states.
  /// Pages that the two states share are not read. Two snapshots with different plans, as after a
  /// change of a controller's request, are compared row by row: any shown row may have moved. The
  /// values that the new request reads decide whether a row has changed content.
  ///
  /// - Complexity: O(pages of changed records, and *k* log *n* for the *k* touched rows). With two
  ///   plans also O(records, and *n* log *n* for the *n* shown rows).
  package init(from before: ResultSnapshot, to after: ResultSnapshot) {
    precondition(
      before.plan.entity == after.plan.entity,
      "cannot compare a list of entity \(before.plan.entity) with one of \(after.plan.entity)")
    precondition(
      before.state.isOfSameStore(as: after.state), "cannot compare lists of two different stores")
    let records = ChangedRecords(
      of: after.plan.entities.sorted(), from: before.state, to: after.state)
    let touched = TouchedRows(records, plan: after.plan).rows
    guard before.plan === after.plan else {
      self = RefetchMaker(before, to: after, touched: touched).script
      return
    }
    let (old, new) = (before.search, after.search)
    var keys = RowKeys()
    var edits: [RowEdit] = []
    var (oldSections, newSections) = (
      KnownSections(after.plan, rowCount: touched.count),
      KnownSections(after.plan, rowCount: touched.count)
    )
    for row in touched {
      guard var edit = old.edit(row, next: after.state, keys: &keys, sections: &oldSections) else {
        continue
      }
      if let slot = edit.newSlot {
        let key = edit.isPlaced ? keys.new : keys.old
        edit.new = new.rank(of: key, slot: slot, in: newSections.ranks(of: key, by: new))
      }
      edits.append(edit)
    }
    self = DifferenceMaker(before, to: after, placed: PlacedRows(done: edits)).script
  }
}
