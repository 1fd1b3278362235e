import DaybookStore

/// Builds records of one type of rows, for what only records can be asked.
struct RecordRead<R: Record>: Sendable {
  /// Whether the store has the type for an entity.
  func fits(_ entity: Int, in catalog: Catalog) -> Bool {
    catalog.index(of: R.schema.entity) == entity && catalog.types.codec(R.self) != nil
  }

  /// The record in a row; nil if its identifier is none of the type's.
  func record(in row: RowLocation, of state: FrozenState) -> R? {
    guard let codec = state.catalog.types.codec(R.self) else {
      preconditionFailure("\(R.self) is no type of the store")
    }
    return state.memory.withWholeRow(at: row, state.catalog.layouts) { codec.shownRecord($0) }
  }
}
