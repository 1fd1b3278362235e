import DaybookJournal
import DaybookStore

/// What happened to a result between two moments: exact, and with as few moves as there can be.
///
/// Taking from the first moment the rows that are deleted and those that move, at their paths before,
/// and the sections that are deleted; then putting in the sections that are inserted, and the rows that
/// are inserted and those that have moved, at their paths after, gives the second moment. Rows that
/// only shift because others come or go are in none of the lists.
package struct Difference: Sendable {
  /// A section that came or went.
  package struct Section: Hashable, Sendable {
    /// Its place: before, if it went; after, if it came.
    package var index: Int
    package var name: String

    package init(index: Int, name: String) {
      self.index = index
      self.name = name
    }
  }

  /// A row that came or went.
  package struct Row: Hashable, Sendable {
    /// Its place: before, if it went; after, if it came.
    package var path: RowPath
    package var id: RecordIdentifier

    package init(path: RowPath, id: RecordIdentifier) {
      self.path = path
      self.id = id
    }
  }

  /// A row that is there before and after.
  package struct Pair: Hashable, Sendable {
    package var old: RowPath
    package var new: RowPath
    package var id: RecordIdentifier
    /// Whether it has other values, its own or those that are read through its references.
    package var isContentChanged: Bool

    package init(old: RowPath, new: RowPath, id: RecordIdentifier, isContentChanged: Bool) {
      self.old = old
      self.new = new
      self.id = id
      self.isContentChanged = isContentChanged
    }
  }

  /// What was shown before.
  package let before: ResultSnapshot
  /// What is shown after.
  package let after: ResultSnapshot
  /// Sections that went, by descending place.
  package internal(set) var deletedSections: [Section] = []
  /// Sections that came, by ascending place.
  package internal(set) var insertedSections: [Section] = []
  /// Rows that went, by descending path.
  package internal(set) var deleted: [Row] = []
  /// Rows that came, by ascending path.
  package internal(set) var inserted: [Row] = []
  /// Rows that changed their place among those that stay, or their section; by ascending new path.
  package internal(set) var moved: [Pair] = []
  /// The moves that are reported as a deletion and an insertion instead of in ``moved``; see ``batchSafe``.
  package internal(set) var splitMoves: [Pair] = []
  /// What brought it about, in order; nothing if that is not known, as between any two moments.
  package var causes: [Cause] = []
  /// Rows whose values changed, and whose place did not; by ascending new path.
  package internal(set) var updated: [Pair] = []

  /// A transaction of which a difference came.
  package struct Cause: Sendable {
    package let origin: StoreTransaction.Origin
    /// Its number and time; nil for changes that are not saved.
    package let sequence: SequenceNumber?
    package let time: JournalTime?
    /// Its author, reason, and what else was said about it.
    package let metadata: TransactionMetadata

    package init(_ transaction: StoreTransaction) {
      origin = transaction.origin
      sequence = transaction.sequence
      time = transaction.time
      metadata = transaction.metadata
    }
  }

  init(_ before: ResultSnapshot, _ after: ResultSnapshot) {
    self.before = before
    self.after = after
  }

  /// Whether nothing happened that can be seen.
  package var isEmpty: Bool {
    deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty
      && moved.isEmpty && updated.isEmpty
  }
}
