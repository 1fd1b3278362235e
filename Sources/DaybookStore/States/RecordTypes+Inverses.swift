extension RecordTypes {
  /// Checks that the names of inverses are free in the journal.
  ///
  /// An inverse is computed, so its name cannot be that of an attribute of the records that the
  /// reference leads to. The exception is a journal that stores both references already. They
  /// remain two attributes.
  ///
  /// - Parameters:
  ///   - merges: The entities that the types declare, each merged with its definition in the
  ///     journal.
  ///   - entities: The entities of the journal, under the names that the types give them.
  /// - Throws: `inverseIsAttribute` or `inverseTwice`
  static func checkInverses(
    of merges: [(merge: SchemaMerge, history: [Layout])], among entities: [EntityDefinition]
  ) throws(SchemaProblem) {
    func stored(_ attribute: AttributeDefinition, in history: [Layout]) -> Bool {
      guard let entity = history.last?.entity else { return false }
      return entity.index(of: attribute.name) != nil
        || attribute.earlierName.flatMap { entity.index(of: $0) } != nil
    }
    for (merge, history) in merges {
      let entity = merge.definition
      for attribute in entity.attributes {
        guard let name = attribute.inverse, let target = attribute.type.target?.entity else {
          continue
        }
        try checkOthers(
          InverseName(target: target, inverse: name), of: entity, attribute: attribute.name,
          among: entities, apartFrom: merges.map(\.merge.definition.name))
        guard let other = merges.first(where: { $0.merge.definition.name == target }),
          let index = other.merge.definition.index(of: name)
        else { continue }
        let back = other.merge.definition.attributes[index]
        guard leads(back, back: attribute.name, to: entity.name), stored(attribute, in: history),
          stored(back, in: other.history)
        else {
          throw .inverseIsAttribute(
            entity: entity.name, attribute: attribute.name, target: target, inverse: name)
        }
      }
    }
  }

  /// Checks that no entity of the journal that the program does not declare has the inverse too.
  private static func checkOthers(
    _ inverse: InverseName, of entity: EntityDefinition, attribute: String,
    among entities: [EntityDefinition], apartFrom declared: [String]
  ) throws(SchemaProblem) {
    for other in entities where !declared.contains(other.name) {
      let rival = other.attributes.first {
        $0.inverse == inverse.inverse && $0.type.target?.entity == inverse.target
      }
      guard let rival else { continue }
      throw .inverseTwice(
        target: inverse.target, inverse: inverse.inverse, first: "\(other.name).\(rival.name)",
        second: "\(entity.name).\(attribute)")
    }
  }
}
