import Daybook
@_spi(Tools) import DaybookResults

/// The rows of a request that transactions changed. A transaction changed a row if it changed the
/// record, and the record matches the filter directly before or directly after the transaction.
///
/// The filter reads all values at that moment, also those of records that the row refers to. A
/// transaction that changes only such a record does not change the row.
struct ChangedRows {
  private let request: DynamicRequest
  private let walk: HistoryWalk

  /// - Throws: ``ToolError`` if the request has an error
  init(_ request: DynamicRequest, in journal: OpenJournal) throws {
    self.request = request
    let snapshot = journal.store.snapshot
    walk = try journal.reading {
      _ = try request.matching(among: [], in: snapshot)
      return try journal.store.walk(from: snapshot.sequence)
    }
  }

  /// Returns the identifiers of the rows that a transaction changed.
  ///
  /// - Complexity: O(*k* log *n*) for *k* changes since the transaction of the previous call
  func identifiers(
    changedBy transaction: StoreTransaction, isBase: Bool
  ) throws -> Set<RecordIdentifier> {
    guard let sequence = transaction.sequence else {
      preconditionFailure("a transaction of a journal has no number")
    }
    let ids = transaction.changes.filter { $0.entity == request.entity }.map(\.id)
    guard !ids.isEmpty else { return [] }
    let rows = try request.matching(among: ids, in: walk.move(to: sequence))
    // The history has no state before the base.
    if isBase { return rows }
    return rows.union(try request.matching(among: ids, in: walk.move(to: sequence - 1)))
  }
}
