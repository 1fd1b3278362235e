/// The entities of a journal that the record types of a program rename.
struct EntityRenames {
  /// The renames, in the order of the declarations.
  private(set) var all: [OpeningReport.EntityRename] = []

  /// Creates the renames that declarations require.
  ///
  /// - Throws: ``SchemaProblem`` if a name would belong to two entities.
  init(_ declarations: [SchemaDeclaration], in catalog: Catalog) throws(SchemaProblem) {
    var newNames: [String: String] = [:]
    let names = Set(declarations.map(\.definition.name))
    for declaration in declarations {
      let entity = declaration.definition
      if let earlier = entity.earlierName, names.contains(earlier) {
        throw .entityRenamedToUsedName(entity: entity.name, earlier: earlier)
      }
      let source = try EntityRenames.source(of: entity, in: catalog)
      if let source {
        all.append(OpeningReport.EntityRename(from: source, to: entity.name))
        if let first = newNames.updateValue(entity.name, forKey: source) {
          throw .entityRenamedTwice(earlier: source, first: first, second: entity.name)
        }
      }
    }
    // A released name cannot be used for a second entity.
    for name in names.sorted() {
      if let newName = newNames[name] { throw .entityRenamedAway(entity: name, to: newName) }
    }
  }

  /// Returns the entity of the journal that a declaration renames; nil if it renames none.
  private static func source(
    of entity: EntityDefinition, in catalog: Catalog
  ) throws(SchemaProblem) -> String? {
    let own = catalog.layouts.currentName(of: entity.name)
    let earlier = entity.earlierName.flatMap { catalog.layouts.currentName(of: $0) }
    guard let own else { return earlier }
    if own == entity.name {
      if let earlier, earlier != own, let name = entity.earlierName {
        throw .entityRenamedToUsedName(entity: own, earlier: name)
      }
      return nil
    }
    // The entity had the declared name before. The declaration must rename it back.
    guard entity.earlierName == own else {
      throw .entityRenamedAway(entity: entity.name, to: own)
    }
    return own
  }

  /// Returns the name in the journal of an entity that is renamed; nil if it is not.
  func earlierName(of name: String) -> String? { all.first { $0.to == name }?.from }

  /// Returns a layout of the journal with the new names.
  func renamed(_ layout: Layout) -> Layout {
    all.isEmpty ? layout : layout.renamed { name in all.first { $0.from == name }?.to }
  }
}
