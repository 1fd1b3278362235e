/// The definition of an entity that a store writes: the journal's definition, merged with the
/// declarations of the program's record types.
///
/// An attribute that no type declares stays unchanged. A unique list that contains such an
/// attribute also stays unchanged. An attribute is removed only if a schema declares the removal. A
/// unique list is a list of attributes whose values together must differ in every two records.
struct SchemaMerge {
  /// The definition to write.
  private(set) var definition: EntityDefinition
  /// The differences between the journal and the types.
  private(set) var report = OpeningReport()

  /// A Boolean value that indicates whether the records are checked when a store is opened.
  var isCheckedAtOpening: Bool { schema.isCheckedAtOpening }
  /// The attributes of each declared index.
  var indexes: [[String]] { schema.indexes }
  /// The attributes with an index of their words.
  var searchableNames: Set<String> { schema.searchableNames }

  /// A Boolean value that indicates whether migration steps will run. Until then, removed
  /// attributes are kept, and new required ones need no default.
  private let isMigrating: Bool
  private let schema: SchemaDeclaration
  private let journal: EntityDefinition
  /// The new names of the renamed attributes, by their names in the journal.
  private var newNames: [String: String] = [:]
  /// The mappings from the journal's definition to each layout.
  private let mappings: [LayoutMapping]

  /// Merges a declaration with the layouts in the journal.
  ///
  /// - Parameters:
  ///   - history: The layouts of the entity in the journal, the oldest first.
  ///   - hasRecords: A Boolean value that indicates whether the entity has records.
  ///   - isMigrating: A Boolean value that indicates whether migration steps will run.
  /// - Throws: ``SchemaProblem`` if an attribute cannot be renamed, or lacks a default.
  init(
    _ schema: SchemaDeclaration, history: [Layout], hasRecords: Bool, isMigrating: Bool = false
  ) throws(SchemaProblem) {
    self.schema = schema
    self.isMigrating = isMigrating
    definition = schema.definition
    journal = history.last?.entity ?? schema.definition
    mappings = SchemaMerge.mappings(history, to: journal)
    if history.isEmpty { return }
    let renames = try renames()
    newNames = Dictionary(uniqueKeysWithValues: renames.map { ($0.value, $0.key) })
    mergeAttributes(renames)
    mergeUnique()
    recordReturning(history)
    try checkVaryingDefaults(history)
    if hasRecords, !isMigrating { try checkMissingDefaults() }
    recordPossibleRenames()
  }

  /// Returns the names in the journal of the attributes that this merge renames, by their new
  /// names.
  private func renames() throws(SchemaProblem) -> [String: String] {
    let old = Set(journal.attributes.map(\.name))
    let renames = AttributeRenames(from: journal, to: schema.definition).earlierNames(among: old)
    for attribute in schema.definition.attributes where old.contains(attribute.name) {
      guard let earlier = attribute.earlierName, earlier != attribute.name, old.contains(earlier),
        renames[attribute.name] == nil, journalAttribute(attribute.name)?.earlierName != earlier
      else { continue }
      throw .renameToUsedName(entity: journal.name, attribute: attribute.name, earlier: earlier)
    }
    return renames
  }

  private func journalAttribute(_ name: String) -> AttributeDefinition? {
    journal.index(of: name).map { journal.attributes[$0] }
  }

  private func declared(_ name: String) -> AttributeDefinition? {
    schema.definition.index(of: name).map { schema.definition.attributes[$0] }
  }

  /// Returns the mappings from a definition to each layout.
  private static func mappings(
    _ history: [Layout], to definition: EntityDefinition
  ) -> [LayoutMapping] {
    let mappings = LayoutMappings(history, to: definition)
    return history.indices.map { mappings[$0] }
  }

  private mutating func mergeAttributes(_ renames: [String: String]) {
    let entity = journal.name
    var attributes: [AttributeDefinition] = []
    for attribute in journal.attributes {
      let newName = newNames[attribute.name]
      if let newName, let declared = declared(newName) {
        attributes.append(resolved(declared, before: attribute))
        report.renamedAttributes.append(
          OpeningReport.Rename(entity: entity, from: attribute.name, to: newName))
      } else if let declared = declared(attribute.name), renames[attribute.name] == nil {
        attributes.append(resolved(declared, before: attribute))
      } else if schema.removedNames.contains(attribute.name) {
        report.removedAttributes.append(
          OpeningReport.Attribute(entity: entity, name: attribute.name))
        if isMigrating { attributes.append(attributeForMigration(attribute)) }
      } else {
        attributes.append(attribute)
        report.unknownAttributes.append(
          OpeningReport.Attribute(entity: entity, name: attribute.name))
      }
    }
    let known = Set(attributes.map(\.name))
    for declared in schema.definition.attributes where !known.contains(declared.name) {
      attributes.append(declared)
      report.newAttributes.append(OpeningReport.Attribute(entity: entity, name: declared.name))
    }
    definition.attributes = attributes
    if report.unknownAttributes.isEmpty, !isMigrating || report.removedAttributes.isEmpty {
      // The types declare all attributes, so the merged attributes get the order of the types.
      definition.attributes = schema.definition.attributes.compactMap { declared in
        attributes.first { $0.name == declared.name }
      }
    }
  }

  /// Returns a removed attribute as the migration steps see it. A record that a step inserts or
  /// changes needs no value of it.
  private func attributeForMigration(_ attribute: AttributeDefinition) -> AttributeDefinition {
    var attribute = attribute
    if attribute.defaultValue.isNull { attribute.isRequired = false }
    return attribute
  }

  /// Returns an attribute as the types declare it, with the facts that only the journal records.
  ///
  /// If the schema does not declare a default, the value from `init()` is the default. An attribute
  /// keeps the first such value, from the time when it was added. Otherwise existing records would
  /// change whenever `init()` returns a different value.
  ///
  /// An optional attribute without a default cannot get one if rows of some layout lack the
  /// attribute. These rows read as nil, and would then read as the default.
  private func resolved(
    _ declared: AttributeDefinition, before known: AttributeDefinition
  ) -> AttributeDefinition {
    var declared = declared
    if !declared.isRequired, !known.isRequired, known.defaultValue.isNull,
      !declared.defaultValue.isNull, isMissing(known.name)
    {
      declared.defaultValue = .null
    }
    if schema.impliedDefaults.contains(declared.name), !known.defaultValue.isNull,
      known.defaultValue.fits(declared.type)
    {
      declared.defaultValue = known.defaultValue
    }
    if declared.earlierName == nil { declared.earlierName = known.earlierName }
    return declared
  }

  /// Returns whether some layout lacks an attribute of the newest layout.
  private func isMissing(_ name: String) -> Bool {
    guard let index = journal.index(of: name) else { return false }
    return mappings.contains { $0[index] == .absent }
  }

  private mutating func mergeUnique() {
    let known = Set(definition.attributes.map(\.name))
    let remaining = journal.unique.map { $0.map { newNames[$0] ?? $0 } }.filter { names in
      known.isSuperset(of: names) && !definition.unique.contains(names)
        // If one type declares all attributes of a unique list, but not the list, the list is
        // removed.
        && !schema.namesByType.contains { $0.isSuperset(of: names) }
    }
    definition.unique += remaining
    if Set(definition.unique) == Set(journal.unique) { definition.unique = journal.unique }
  }

  // MARK: Defaults

  /// Throws an error if a new attribute is required and has no default for existing records.
  private func checkMissingDefaults() throws(SchemaProblem) {
    for attribute in report.newAttributes {
      guard let declared = declared(attribute.name), declared.isRequired,
        declared.defaultValue.isNull
      else { continue }
      throw .missingDefault(entity: attribute.entity, attribute: attribute.name)
    }
  }

  /// Throws an error if an attribute has only a default that varies, and if records of some layout
  /// need a constant one.
  private func checkVaryingDefaults(_ history: [Layout]) throws(SchemaProblem) {
    let varying = definition.attributes.indices.filter {
      let attribute = definition.attributes[$0]
      return schema.varyingNames.contains(attribute.name) && attribute.defaultValue.isNull
    }
    if varying.isEmpty { return }
    let mappings = SchemaMerge.mappings(history, to: definition)
    for index in varying {
      for (layout, mapping) in zip(history, mappings) {
        if case .same(let source) = mapping[index], layout.entity.attributes[source].isRequired {
          continue
        }
        throw .varyingDefault(
          entity: journal.name, attribute: definition.attributes[index].name)
      }
    }
  }

  // MARK: Report

  /// Moves new attributes that an earlier layout had to the report's returning attributes.
  private mutating func recordReturning(_ history: [Layout]) {
    if report.newAttributes.isEmpty { return }
    var names: Set<String> = []
    for mapping in SchemaMerge.mappings(history, to: definition) {
      for (attribute, _) in mapping.sources {
        names.insert(definition.attributes[attribute].name)
      }
    }
    report.returningAttributes = report.newAttributes.filter { names.contains($0.name) }
    report.newAttributes.removeAll { names.contains($0.name) }
  }

  private mutating func recordPossibleRenames() {
    for unknown in report.unknownAttributes {
      let type = journalAttribute(unknown.name)?.type
      for new in report.newAttributes where declared(new.name)?.type == type {
        report.possibleRenames.append(
          OpeningReport.Rename(entity: journal.name, from: unknown.name, to: new.name))
      }
    }
  }
}
