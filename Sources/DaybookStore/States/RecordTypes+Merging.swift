extension RecordTypes {
  /// Returns the declared entities, each merged with its definition in the journal.
  static func merges(
    _ declarations: [SchemaDeclaration], renames: EntityRenames, in catalog: Catalog,
    hasRecords: (_ entity: Int) -> Bool, isMigrating: Bool
  ) throws(SchemaProblem) -> [(merge: SchemaMerge, history: [Layout])] {
    var merges: [(merge: SchemaMerge, history: [Layout])] = []
    for declaration in declarations {
      let name = declaration.definition.name
      let earlierName = renames.earlierName(of: name)
      let index = catalog.index(of: earlierName ?? name)
      let history = index.map { catalog.history[$0].map(renames.renamed) } ?? []
      // The journal keeps the earlier name of an entity that no schema renames any more.
      let schema = declaration.renamed(from: earlierName ?? history.last?.entity.earlierName)
      let merge = try SchemaMerge(
        schema, history: history, hasRecords: index.map(hasRecords) ?? false,
        isMigrating: isMigrating)
      merges.append((merge, history))
    }
    try checkInverses(
      of: merges, among: catalog.names.indices.map { renames.renamed(catalog.newest($0)).entity })
    return merges
  }
}

extension RecordTypes {
  /// Checks the indexes in the schema of an entity.
  static func checkIndexes(_ schema: SchemaDeclaration) throws(SchemaProblem) {
    let entity = schema.definition
    for name in schema.searchableNames.sorted() {
      guard let index = entity.index(of: name) else {
        throw .unknownSearchable(entity: entity.name, attribute: name)
      }
      guard entity.attributes[index].type == .scalar(.string) else {
        throw .searchableNotString(entity: entity.name, attribute: name)
      }
    }
    for names in schema.indexes {
      if names.isEmpty { throw .emptyIndex(entity: entity.name) }
      for (position, name) in names.enumerated() {
        if names[..<position].contains(name) {
          throw .indexedTwice(entity: entity.name, attribute: name)
        }
        if name == "id" { continue }
        guard let index = entity.index(of: name) else {
          throw .unknownIndexed(entity: entity.name, attribute: name)
        }
        switch entity.attributes[index].type {
        case .array, .references: throw .indexedArray(entity: entity.name, attribute: name)
        case .scalar, .reference: break
        }
      }
    }
  }
}
