import DaybookStore

extension Difference {
  /// What is another of a row that is there before and after: the names of its own attributes, in the
  /// order of the schema, and then the names of what the request reads through its references, with
  /// dots between them.
  ///
  /// - Complexity: O(log *n* and the row's attributes)
  package func changedKeys(of pair: Pair) -> [String] {
    let plan = after.plan
    let old = before.location(atRank: before.rank(at: pair.old))
    let new = after.location(atRank: after.rank(at: pair.new))
    func values(_ row: RowLocation, _ state: FrozenState) -> [AttributeValue] {
      let record = state.memory.withWholeRow(at: row, after.state.catalog.layouts) {
        DynamicRecord($0, of: plan.entity, in: after.state.catalog)
      }
      guard let record else { preconditionFailure("\(pair.id) is shown and has no row") }
      return record.values
    }
    let (oldValues, newValues) = (values(old, before.state), values(new, after.state))
    let attributes = after.state.catalog.newest(plan.entity).entity.attributes
    var keys = attributes.indices.filter { oldValues[$0] != newValues[$0] }.map {
      attributes[$0].name
    }
    for read in plan.foreignReads {
      var (one, other) = (RowBuffer(), RowBuffer())
      read.append(of: old, in: before.state, to: &one)
      read.append(of: new, in: after.state, to: &other)
      let key = read.names.joined(separator: ".")
      if one.bytes != other.bytes, !keys.contains(key) { keys.append(key) }
    }
    return keys
  }
}
