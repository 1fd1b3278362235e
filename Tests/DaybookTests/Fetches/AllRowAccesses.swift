import DaybookStore

@testable import DaybookResults

extension RowAccess {
  /// Returns all accesses to the rows of a request, a scan first.
  static func all<R: FetchableRecord>(
    for request: ListRequest<R>, in state: FrozenState
  ) throws(RequestError) -> [RowAccess] {
    let maker = try request.planMaker(state.catalog)
    return all(
      for: request, meeting: maker.conditions, entity: maker.plan.entity, in: state)
  }
}
