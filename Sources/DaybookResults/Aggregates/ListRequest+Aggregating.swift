import DaybookStore

extension ListRequest {
  /// Divides the request's records in a state into groups, and returns the totals of each group.
  ///
  /// - Parameters:
  ///   - measures: The measures of each group.
  ///   - names: The path whose values define the groups; nil for one group of all records.
  ///   - having: The condition on the keys and totals of groups; nil for all groups.
  /// - Complexity: O(*n* + *g* log *g*) for *g* groups; with a limit, an offset or a start position
  ///   O(*n* log *n*)
  package func aggregate(
    _ measures: [Measure<R>], by names: [String]?, having: Filter?, in state: FrozenState
  ) throws(RequestError) -> [GroupResult] {
    let catalog = state.catalog
    let condition = having.map { GroupFilter($0) }
    let read = condition?.measures.map { Measure<R>($0) }.filter { !measures.contains($0) } ?? []
    let plan = try totalPlan(measures + read, isLive: false, in: catalog)
    let key = try names.map { (names) throws(RequestError) in try groupKey(names, in: catalog) }
    var table = GroupTable(plan, by: key?.key)
    try forEachPiece(in: state) { table.add($0, in: state) }
    let groups = table.results
    guard let condition else { return groups }
    do throws(FilterError) {
      return try condition.matches(in: groups, keyType: key?.type, plan: plan, state: state)
        .map { group in
          GroupResult(
            key: group.key, name: group.name, values: Array(group.values.prefix(measures.count)))
        }
    } catch { throw RequestError(.filter(error)) }
  }

  /// Calls a closure with the rows of the request, in pieces.
  private func forEachPiece(
    in state: FrozenState, _ body: ([RowLocation]) -> Void
  ) throws(RequestError) {
    guard window == ResultWindow(), start == nil else {
      var request = self
      request.totals = []
      let plan = try request.plan(state.catalog)
      let snapshot = Projection(plan, of: state, window: window).snapshot
      body(snapshot.visibleRanks.map { snapshot.location(atRank: $0) })
      return
    }
    // Without a window, the order does not matter.
    let plan = try ListRequest<DynamicRecord>(entity: entity, filter: filter).plan(state.catalog)
    var piece: [RowLocation] = []
    RowScan(state).forEachPiece(in: plan.entity) { rows in
      piece.removeAll(keepingCapacity: true)
      for index in rows.indices where plan.includes(rows[index].location, in: state) {
        piece.append(rows[index].location)
      }
      body(piece)
    }
  }

  private func groupKey(
    _ names: [String], in catalog: Catalog
  ) throws(RequestError) -> (key: GroupTable.Key, type: ScalarType?) {
    let entity = try entityIndex(in: catalog)
    let value: RequestedValue
    do throws(PathProblem) { value = try RequestedValue(names, from: entity, in: catalog) } catch {
      throw RequestError(error, of: names, in: catalog)
    }
    let key: SectionKey
    do throws(SectionProblem) { key = try SectionKey(.value, of: value.end) } catch {
      throw RequestError(.section(path: names.joined(separator: "."), problem: "\(error)"))
    }
    return (
      GroupTable.Key(
        append: value.reader { bytes, buffer in key.append(bytes, to: &buffer) },
        name: { key.name(of: $0.span.bytes) },
        column: ValueColumn(value, in: catalog)), value.end.scalarType
    )
  }
}
