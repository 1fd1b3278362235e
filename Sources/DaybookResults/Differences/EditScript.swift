import DaybookJournal
import DaybookStore

/// The edits that lead from one moment of a list to another, as places: exact, and with as few moves as possible.
///
/// ``ListDifference`` contains one, and documents the rules. A section is its index, and a row its path and its slot.
/// Names and identifiers are read from the two moments when a program needs them.
package struct EditScript: Sendable {
  /// A row of one moment.
  package struct Row: Hashable, Sendable {
    package var path: RowPath
    /// The slot of the record in the state of that moment.
    package var slot: UInt32
  }

  /// A row that both moments show.
  package struct Pair: Hashable, Sendable {
    package var old: Row
    package var new: Row
    /// A Boolean value that indicates whether values that the list reads changed.
    package var isContentChanged: Bool

    fileprivate var inverse: Pair {
      Pair(old: new, new: old, isContentChanged: isContentChanged)
    }
  }

  package let before: ResultSnapshot
  package let after: ResultSnapshot
  /// The indexes of deleted sections before, descending.
  package internal(set) var deletedSections: [Int] = []
  /// The indexes of inserted sections after, ascending.
  package internal(set) var insertedSections: [Int] = []
  /// The deleted rows before, by descending path.
  package internal(set) var deleted: [Row] = []
  /// The inserted rows after, by ascending path.
  package internal(set) var inserted: [Row] = []
  /// The moved rows, by ascending new path.
  package internal(set) var moved: [Pair] = []
  /// The moves that are reported as a deletion and an insertion instead of in ``moved``; see ``batchSafe``.
  package internal(set) var splitMoves: [Pair] = []
  /// The rows whose values changed and that did not move, by ascending new path.
  package internal(set) var updated: [Pair] = []
  /// The transactions that made the edits, in order; none if they are not known, as between any two moments.
  package var causes: [DifferenceCause] = []

  init(_ before: ResultSnapshot, to after: ResultSnapshot) {
    self.before = before
    self.after = after
  }

  /// A Boolean value that indicates whether nothing changed that can be seen.
  package var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty
      && moved.isEmpty && updated.isEmpty
  }

  /// The edits that lead back, without causes.
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

  /// The edits with each move out of a deleted section or into an inserted one as a deletion and an insertion.
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

  /// The rows after whose values changed, moved or not, in order.
  ///
  /// - Complexity: O(*k* log *k*)
  package var changedRows: [Row] {
    ((moved + splitMoves).filter(\.isContentChanged) + updated).map(\.new)
      .sorted { $0.path < $1.path }
  }
}

/// A transaction that a difference comes from.
public struct DifferenceCause: Sendable {
  /// The kind of boundary.
  public let origin: StoreTransaction.Origin
  /// The number of the transaction; nil for changes that are not saved, or if several were merged.
  public let sequence: SequenceNumber?
  /// The time of the transaction, likewise.
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
