import DaybookStore

extension ListDifference {
  /// The pairs of a deleted and an inserted section that contain the same rows in the same order.
  /// Such a section only changed its name.
  ///
  /// This property repeats parts of the difference in a different form. The sections are also in
  /// the deleted and the inserted sections, and their rows are also in the moved rows.
  ///
  /// - Complexity: O(*k* log *n*)
  public var renamedSections: [RenamedSection] {
    let (old, new) = (before.snapshot, after.snapshot)
    let dead = Set(script.deletedSections)
    var rows: [Int: [EditScript.Pair]] = [:]
    var sources: [Int: Int] = [:]
    for pair in script.moved where dead.contains(pair.old.path.section) {
      rows[pair.old.path.section, default: []].append(pair)
      if pair.new.path.row == 0 { sources[pair.new.path.section] = pair.old.path.section }
    }
    return script.insertedSections.compactMap { section in
      guard let source = sources[section], let pairs = rows[source],
        pairs.count == old.count(inSection: source), pairs.count == new.count(inSection: section),
        // Both counts and this condition together mean that all rows are the same, in the same
        // order.
        pairs.allSatisfy({
          $0.new.path.section == section && $0.new.path.row == $0.old.path.row
        })
      else { return nil }
      return RenamedSection(
        old: Section(index: source, name: old.name(ofSection: source)),
        new: Section(index: section, name: new.name(ofSection: section)))
    }
  }

  /// Returns the names of the values that changed in a row that both lists show.
  ///
  /// The names of attributes are first, in the order of the schema. The paths of values that the
  /// request reads through references follow, as in `club.name`.
  ///
  /// - Complexity: O(log *n* and the row's attributes)
  public func changedKeys(of change: Change) -> [String] {
    let (before, after) = (before.snapshot, after.snapshot)
    let plan = after.plan
    let catalog = after.state.catalog
    let old = before.location(atRank: before.rank(at: change.old))
    let new = after.location(atRank: after.rank(at: change.new))
    func values(of row: RowLocation, in state: FrozenState) -> [AttributeValue] {
      let record = state.memory.withCompleteRow(at: row, layouts: catalog.layouts) {
        DynamicRecord($0, of: plan.entity, in: catalog)
      }
      guard let record else { preconditionFailure("the visible record \(change.id) has no row") }
      return record.values
    }
    let oldValues = values(of: old, in: before.state)
    let newValues = values(of: new, in: after.state)
    let attributes = catalog.newest(plan.entity).entity.attributes
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

  /// The identifiers of the rows that both lists show with different content. Some of these rows
  /// have moved as well.
  ///
  /// - Complexity: O(*k* log *k*)
  public var changedIdentifiers: Set<R.ID> { Set(orderedChangedIdentifiers) }

  /// The changed identifiers, in the order of ``after``.
  var orderedChangedIdentifiers: [R.ID] {
    script.after.identifiers(ofSlots: script.changedRows.map(\.slot), as: R.ID.self)
  }
}
