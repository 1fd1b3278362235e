import Daybook

/// A list at a moment of the journal, with the columns to print. Extensions print it as a table, as
/// CSV or as JSON.
struct ShownList {
  let columns: ListColumns
  /// The number of the transaction after which the list has these rows.
  let sequence: UInt64
  let objects: ListObjects
  let isSectioned: Bool
  /// A Boolean value that indicates whether the request has a limit or an offset.
  let isWindowed: Bool

  /// - Throws: ``RequestError`` or ``StoreError`` if the list cannot be fetched; ``ToolError`` if a
  ///   column does not exist
  init(_ request: DynamicRequest, columns: String?, in snapshot: StoreSnapshot) throws {
    let objects = try snapshot.fetchAndWait(request) { progress in
      Progress.shared.show(
        "sorting \(request.entity)", done: UInt64(progress.examinedRowCount),
        of: UInt64(progress.rowCount), in: .things("rows"))
    }
    try self.init(objects, columns: columns, of: request, in: snapshot)
  }

  /// Creates a list from fetched records, and checks its columns.
  init(
    _ objects: ListObjects, columns: String?, of request: DynamicRequest, in snapshot: StoreSnapshot
  ) throws {
    let columns = try ListColumns(columns, of: request, in: snapshot)
    _ = try columns.rows(of: objects, in: 0..<0)
    self.init(objects, after: snapshot.sequence, columns: columns, of: request)
  }

  /// Creates a list from fetched records.
  init(
    _ objects: ListObjects, after sequence: SequenceNumber, columns: ListColumns,
    of request: DynamicRequest
  ) {
    self.objects = objects
    self.columns = columns
    isSectioned = request.sectioning != nil
    isWindowed = request.limit != nil || request.offset > 0
    self.sequence = sequence.rawValue
  }

  var entity: EntityDefinition { columns.entity }

  /// The names of the columns after the identifier.
  var columnNames: [String] { columns.names }

  /// The identifier of a row, and its values in the columns.
  struct Row {
    var id: RecordIdentifier
    var values: [AttributeValue]
  }

  /// The number of rows that are read at a time. The number is small, because values can be large.
  private static let pieceCount = 64

  /// Calls a closure with the rows of a section, in order.
  func forEachRow(
    in section: FetchedResultsSectionInfo<DynamicRecord>, _ body: (Row) throws -> Void
  ) throws {
    let count = section.numberOfObjects
    for first in stride(from: 0, to: count, by: ShownList.pieceCount) {
      let piece = first..<min(first + ShownList.pieceCount, count)
      for row in try columns.rows(of: section.objects, in: piece) { try body(row) }
    }
  }
}
