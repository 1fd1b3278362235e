import DaybookResults
import DaybookStore

/// A list at one moment, as it is printed: its rows by their identifiers and the values in some columns.
struct ShownList {
  let columns: ListColumns
  /// The last transaction in it.
  let sequence: UInt64
  let snapshot: ResultSnapshot
  let isSectioned: Bool

  init(
    _ request: ResultRequest, columns: String?, in frozen: FrozenState
  ) throws(ToolError) {
    do throws(RequestError) {
      let plan = try request.plan(frozen.catalog)
      let watch = LoadWatch { done, all in
        Progress.shared.tell("putting \(request.entity) in order", UInt64(done), of: UInt64(all))
      } isUnwanted: {
        false
      }
      guard
        let projection = Projection(plan, of: frozen, window: request.window, watchedBy: watch)
      else { preconditionFailure("a list that is always wanted was given up") }
      self.init(
        projection.snapshot,
        try ListColumns(columns, of: request, plan, in: frozen.catalog),
        isSectioned: request.sectioning != nil)
    } catch { throw ToolError(error) }
  }

  /// A list that is there already.
  init(_ snapshot: ResultSnapshot, _ columns: ListColumns, isSectioned: Bool) {
    self.snapshot = snapshot
    self.columns = columns
    self.isSectioned = isSectioned
    sequence = snapshot.state.sequence.rawValue
  }

  var entity: EntityDefinition { columns.entity }

  /// What the columns behind the identifier are called.
  var columnNames: [String] { columns.names }

  struct Row {
    var id: RecordIdentifier
    var values: [AttributeValue]
  }

  /// How many rows are read at a time: few, as values may be large.
  private static let pieceCount = 64

  /// Hands out the rows of a section, by its place, in order.
  func forEachRow(inSection section: Int, _ body: (Row) throws -> Void) throws {
    let ranks = snapshot.ranks(ofSection: section)
    for first in stride(from: ranks.lowerBound, to: ranks.upperBound, by: ShownList.pieceCount) {
      let piece = first..<min(first + ShownList.pieceCount, ranks.upperBound)
      let ids = snapshot.identifiers(atRanks: piece)
      for (id, values) in zip(ids, snapshot.values(in: columns.values, atRanks: piece)) {
        try body(Row(id: id, values: values))
      }
    }
  }
}
