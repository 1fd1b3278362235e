import DaybookResults
import DaybookStore

/// A list at one moment, as it is printed: its rows by their identifiers and the values in some columns.
struct ShownList {
  let entity: EntityDefinition
  /// The last transaction in it.
  let sequence: UInt64
  let snapshot: ResultSnapshot
  /// What the columns behind the identifier are called.
  let columnNames: [String]
  private let columns: [ValueColumn]
  let isSectioned: Bool

  init(
    _ request: ResultRequest, columns: String?, in frozen: FrozenState
  ) throws(ToolError) {
    do throws(RequestError) {
      let plan = try request.plan(frozen.catalog)
      entity = frozen.catalog.newest(plan.entity).entity
      columnNames = ListArguments.columns(columns, entity)
      self.columns = try request.columns(
        columnNames.map {
          $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        },
        in: frozen.catalog)
      snapshot = Projection(plan, frozen, window: request.window).snapshot
    } catch { throw ToolError(error) }
    sequence = frozen.sequence.rawValue
    isSectioned = request.sectioning != nil
  }

  struct Row {
    var id: RecordIdentifier
    var values: [AttributeValue]
  }

  /// How many rows are read at a time.
  private static let pieceCount = 1000

  /// Hands out the rows of a section, by its place, in order.
  func forEachRow(inSection section: Int, _ body: (Row) throws -> Void) throws {
    let ranks = snapshot.ranks(ofSection: section)
    for first in stride(from: ranks.lowerBound, to: ranks.upperBound, by: ShownList.pieceCount) {
      let piece = first..<min(first + ShownList.pieceCount, ranks.upperBound)
      let ids = snapshot.identifiers(atRanks: piece)
      for (id, values) in zip(ids, snapshot.values(in: columns, atRanks: piece)) {
        try body(Row(id: id, values: values))
      }
    }
  }

  /// The type of a column, if it is one of the entity's own attributes.
  func type(ofColumn index: Int) -> AttributeType? {
    entity.index(of: columnNames[index]).map { entity.attributes[$0].type }
  }
}
