import Daybook

/// The rows of an entity that match a filter, after any transaction of a journal.
struct MatchingRows {
  let journal: OpenJournal
  private let request: DynamicRequest
  /// The entities of the records that the filter reads through references.
  let referencedEntities: Set<String>
  /// The cursor that moves between the states of the search.
  ///
  /// The distances of a binary search halve. So all moves together pass each transaction about
  /// once.
  private let cursor: HistoryCursor

  /// - Throws: ``ToolError`` if the request has an error
  init(_ request: DynamicRequest, in journal: OpenJournal) throws {
    self.journal = journal
    self.request = request
    let snapshot = journal.store.snapshot
    (referencedEntities, cursor) = try journal.reading {
      (
        try snapshot.referencedEntities(of: request),
        try HistoryCursor(journal.store)
      )
    }
  }

  /// The number of the first transaction after which rows can exist. For a journal with a base, it
  /// is the number of the base.
  var earliest: UInt64 { max(journal.store.base.rawValue, 1) }
  /// The last transaction.
  var latest: UInt64 { journal.store.snapshot.sequence.rawValue }

  /// Returns whether at least one row matches after a transaction.
  func exist(after sequence: UInt64) throws -> Bool {
    try journal.reading { try state(after: sequence).count(for: request) > 0 }
  }

  /// Returns the identifiers of the matching rows, in order of creation.
  func identifiers(after sequence: UInt64) throws -> [RecordIdentifier] {
    try journal.reading { try state(after: sequence).fetchIdentifiers(request) }
  }

  private func state(after sequence: UInt64) throws -> StoreSnapshot {
    try cursor.move(to: SequenceNumber(sequence))
  }
}
