import DaybookResults
import DaybookStore

extension FetchRequest {
  /// What it finds in a state.
  ///
  /// - Throws: ``RequestError``, and ``StoreError`` with `unknownType`
  func projection(over frozen: FrozenState, of path: String) throws -> Projection {
    try checkType(frozen, of: path)
    let untyped = untyped
    let projection = Projection(
      try untyped.plan(frozen.catalog), frozen, window: untyped.window)
    try frozen.checkWhole(path)
    return projection
  }

  /// Refuses records whose type the store was not opened with.
  func checkType(_ frozen: FrozenState, of path: String) throws(StoreError) {
    guard frozen.catalog.types.codec(R.self) != nil else {
      throw StoreError(.unknownType("\(R.self)"), path: path)
    }
  }
}
