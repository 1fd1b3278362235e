extension RecordTypes {
  /// Checks that the schemas have no contradictions, in themselves or between each other.
  ///
  /// - Throws: ``StoreError`` with `schema` or `limit`
  static func check(_ types: [any Record.Type], path: String) throws(StoreError) {
    let schemas: [SchemaDeclaration]
    do throws(SchemaProblem) { schemas = try checkedSchemas(of: types) } catch {
      throw StoreError(.schema(error), path: path)
    }
    for schema in schemas {
      guard let excess = SchemaExcess(schema.definition) else { continue }
      throw StoreError(.limit(excess, in: nil), path: path)
    }
    #if DEBUG
      for type in types { reportUnnamedProperties(of: type) }
    #endif
  }

  private static func reportUnnamedProperties<R: Record>(of type: R.Type) {
    R.schema.reportUnnamedProperties()
  }

  private static func checkedSchemas(
    of types: [any Record.Type]
  ) throws(SchemaProblem) -> [SchemaDeclaration] {
    for type in types { try checkAttributes(type) }
    let schemas = try declarations(of: types)
    var entities: [String: EntityDefinition] = [:]
    for schema in schemas { entities[schema.definition.name] = schema.definition }
    var inverses: [InverseName: String] = [:]
    for schema in schemas {
      try checkUses(schema)
      for attribute in schema.definition.attributes {
        try check(
          attribute, of: schema.definition.name, in: entities, inverses: &inverses)
      }
    }
    return schemas
  }

  /// Checks the names and the properties in one schema.
  private static func checkAttributes<R: Record>(_ type: R.Type) throws(SchemaProblem) {
    let entity = R.schema.entity
    guard !entity.isEmpty else { throw .noName(entity: "") }
    var names: Set<String> = []
    var namesByProperty: [PartialKeyPath<R>: String] = [:]
    for attribute in R.schema.attributes {
      guard !attribute.name.isEmpty else { throw .noName(entity: entity) }
      guard attribute.name != "id" else { throw .reservedAttributeName(entity: entity) }
      guard names.insert(attribute.name).inserted else {
        throw .duplicateAttribute(entity: entity, attribute: attribute.name)
      }
      if let first = namesByProperty.updateValue(attribute.name, forKey: attribute.keyPath) {
        throw .propertyTwice(entity: entity, first: first, second: attribute.name)
      }
      switch attribute.misdeclaredType() {
      case .reference?:
        throw .referenceAsAttribute(entity: entity, attribute: attribute.name, hasSeveral: false)
      case .references?:
        throw .referenceAsAttribute(entity: entity, attribute: attribute.name, hasSeveral: true)
      case .scalar?, .array?, nil: break
      }
    }
  }

  /// Returns the entities that types declare, each once, in the order of the types.
  static func declarations(
    of types: [any Record.Type]
  ) throws(SchemaProblem) -> [SchemaDeclaration] {
    func declaration<R: Record>(of type: R.Type) -> SchemaDeclaration {
      SchemaDeclaration(R.schema)
    }
    var declarations: [SchemaDeclaration] = []
    for type in types {
      let declared = declaration(of: type)
      let index = declarations.firstIndex { $0.definition.name == declared.definition.name }
      if let index {
        try declarations[index].formUnion(declared)
      } else {
        declarations.append(declared)
      }
    }
    return declarations
  }

  /// Checks the removed names, the earlier names, the unique lists and the indexes in the schema of
  /// an entity.
  private static func checkUses(_ schema: SchemaDeclaration) throws(SchemaProblem) {
    let entity = schema.definition
    var newNames: [String: String] = [:]
    for attribute in entity.attributes {
      guard !schema.removedNames.contains(attribute.name) else {
        throw .removedAndNamed(entity: entity.name, attribute: attribute.name)
      }
      guard let earlier = attribute.earlierName else { continue }
      if let first = newNames.updateValue(attribute.name, forKey: earlier) {
        throw .renamedTwice(
          entity: entity.name, earlier: earlier, first: first, second: attribute.name)
      }
    }
    if entity.unique.contains([]) { throw .emptyUnique(entity: entity.name) }
    for name in entity.unique.joined() {
      guard let index = entity.index(of: name) else {
        throw .unknownUnique(entity: entity.name, attribute: name)
      }
      switch entity.attributes[index].type {
      case .array, .references: throw .uniqueArray(entity: entity.name, attribute: name)
      case .scalar, .reference: break
      }
    }
    try checkIndexes(schema)
  }

  /// Checks the target of a reference, and the declared inverse.
  private static func check(
    _ attribute: AttributeDefinition, of entity: String, in entities: [String: EntityDefinition],
    inverses: inout [InverseName: String]
  ) throws(SchemaProblem) {
    guard let target = attribute.type.target else { return }
    guard let other = entities[target.entity] else {
      throw .unknownTarget(entity: entity, attribute: attribute.name, target: target.entity)
    }
    guard attribute.isTargetRulePossible else {
      throw .cascadeOnArray(entity: entity, attribute: attribute.name)
    }
    guard let inverse = attribute.inverse else { return }
    guard inverse != "id" else {
      throw .inverseCalledIdentifier(entity: entity, attribute: attribute.name)
    }
    if let index = other.index(of: inverse),
      !leads(other.attributes[index], back: attribute.name, to: entity)
    {
      throw .inverse(
        entity: entity, attribute: attribute.name, target: other.name, inverse: inverse)
    }
    let name = "\(entity).\(attribute.name)"
    let key = InverseName(target: other.name, inverse: inverse)
    if let first = inverses.updateValue(name, forKey: key) {
      throw .inverseTwice(target: other.name, inverse: inverse, first: first, second: name)
    }
  }

  /// The name of an inverse of the records of an entity.
  struct InverseName: Hashable {
    var target: String
    var inverse: String
  }

  /// Returns whether an attribute refers to the entity and can be the inverse of the attribute with
  /// the name.
  static func leads(
    _ attribute: AttributeDefinition, back name: String, to entity: String
  ) -> Bool {
    attribute.type.target?.entity == entity && (attribute.inverse ?? name) == name
  }
}
