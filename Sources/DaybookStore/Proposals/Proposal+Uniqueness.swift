extension Proposal {
  /// The records that would have the same values of a unique list as another, in the state as it
  /// would be.
  ///
  /// - Complexity: O(*k* log *n*) in the proposal's changes of entities that have such lists
  func repeated(on now: borrowing StateReader) -> [ValidationProblem] {
    let entities = entitiesWithUniqueLists(now.catalog)
    guard !entities.isEmpty else { return [] }
    let changed = Set(changes.map { EntityKey($0.entity, id: $0.id) })
    var problems: [ValidationProblem] = []
    var seen: [UniqueValues: RecordIdentifier] = [:]
    for change in changes where change.kind != .delete && entities.contains(change.entity) {
      let row = rows.bytes.span.bytes.extracting(change.row)
      let entity = now.catalog.newest(change.entity).entity
      for (list, names) in entity.unique.enumerated() {
        guard let values = values(of: names, in: row, entity: change.entity, catalog: now.catalog)
        else { continue }
        let key = UniqueValues(entity: change.entity, list: list, values: values)
        var other = seen.updateValue(change.id, forKey: key)
        if other == nil {
          // Those that are changed here too are among the ones seen, if they have these values still.
          for slot in now.slots(withSameValuesAs: row, of: change.entity, list: list) {
            let id = now.identifier(ofSlot: slot, in: change.entity)
            if changed.contains(EntityKey(change.entity, id: id)) { continue }
            other = id
            break
          }
        }
        guard let other else { continue }
        problems.append(
          ValidationProblem(
            entity: entity.name, id: change.id, kind: .notUnique(attributes: names, other: other)))
      }
    }
    return problems
  }

  /// The entities of which something changes that must be unique.
  private func entitiesWithUniqueLists(_ catalog: Catalog) -> Set<Int> {
    var entities: Set<Int> = []
    var last = -1
    // As a rule many of one stand together.
    for index in changes.indices where changes[index].entity != last {
      last = changes[index].entity
      if !catalog.newest(last).entity.unique.isEmpty { entities.insert(last) }
    }
    return entities
  }

  private struct UniqueValues: Hashable {
    var entity: Int
    var list: Int
    var values: [AttributeValue]
  }

  /// The values of a unique list in a row of the newest layout; nil if it has none for one of them.
  private func values(
    of names: [String], in row: RawSpan, entity: Int, catalog: Catalog
  ) -> [AttributeValue]? {
    let layout = catalog.newest(entity)
    var values: [AttributeValue] = []
    for name in names {
      guard let index = layout.entity.index(of: name), let range = layout.range(of: index, in: row),
        let value = AttributeValue(
          layout.entity.attributes[index].type, bytes: row.extracting(range))
      else { return nil }
      values.append(value)
    }
    return values
  }
}
