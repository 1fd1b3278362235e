/// The definition of an entity that a store writes: the journal's definition, merged with the
/// declarations of the program's record types.
///
/// An attribute that no type declares stays unchanged, and so do the unique lists that contain it.
/// An attribute is removed only if a schema declares the removal.
struct SchemaMerge {
  /// The definition to write.
  private(set) var definition: EntityDefinition
  /// The differences between the journal and the types.
  private(set) var report = OpeningReport()

  /// A Boolean value that indicates whether the records are checked when a store is opened.
  var isCheckedAtOpening: Bool { schema.isCheckedAtOpening }

  private let schema: SchemaDeclaration
  private let journal: EntityDefinition
  /// The new name of each renamed attribute, by its earlier name.
  private var newNames: [String: String] = [:]

  /// Merges a declaration with the layouts in the journal.
  ///
  /// - Parameters:
  ///   - history: The layouts of the entity in the journal, the oldest first.
  ///   - hasRecords: A Boolean value that indicates whether the entity has records.
  /// - Throws: ``SchemaProblem`` if an attribute cannot be renamed, or lacks a default.
  init(
    _ schema: SchemaDeclaration, history: [Layout], hasRecords: Bool
  ) throws(SchemaProblem) {
    self.schema = schema
    definition = schema.definition
    journal = history.last?.entity ?? schema.definition
    if history.isEmpty { return }
    let renames = try renames()
    newNames = Dictionary(uniqueKeysWithValues: renames.map { ($0.value, $0.key) })
    mergeAttributes(renames, history: history)
    mergeUnique()
    recordReturning(history)
    try checkVaryingDefaults(history)
    if hasRecords { try checkMissingDefaults() }
    recordPossibleRenames()
  }

  /// Returns the renames that this merge makes: the earlier name of each attribute, by its new
  /// name.
  private func renames() throws(SchemaProblem) -> [String: String] {
    let old = Set(journal.attributes.map(\.name))
    let renames = AttributeRenames(from: journal, to: schema.definition) { old.contains($0) }
      .earlierNames
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

  private mutating func mergeAttributes(_ renames: [String: String], history: [Layout]) {
    let entity = journal.name
    var attributes: [AttributeDefinition] = []
    for attribute in journal.attributes {
      let newName = newNames[attribute.name]
      if let newName, let declared = declared(newName) {
        attributes.append(resolved(declared, before: attribute, history: history))
        report.renamedAttributes.append(
          OpeningReport.Rename(entity: entity, from: attribute.name, to: newName))
      } else if let declared = declared(attribute.name), renames[attribute.name] == nil {
        attributes.append(resolved(declared, before: attribute, history: history))
      } else if schema.removedNames.contains(attribute.name) {
        report.removedAttributes.append(
          OpeningReport.Attribute(entity: entity, name: attribute.name))
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
    if report.unknownAttributes.isEmpty {
      // The types declare all attributes, so the attributes are in the types' order.
      definition.attributes = schema.definition.attributes.compactMap { declared in
        attributes.first { $0.name == declared.name }
      }
    }
  }

  /// Returns an attribute as the types declare it, with the facts that only the journal records.
  ///
  /// If the schema does not declare a default, the attribute keeps the default that it was added
  /// with. Otherwise existing records would change whenever `init()` returns a different value. For
  /// the same reason, an optional attribute without a default cannot get one if rows of some layout
  /// lack the attribute: these rows would stop reading as nil.
  private func resolved(
    _ declared: AttributeDefinition, before known: AttributeDefinition, history: [Layout]
  ) -> AttributeDefinition {
    var declared = declared
    if !declared.isRequired, !known.isRequired, known.defaultValue.isNull,
      !declared.defaultValue.isNull, isMissing(known.name, in: history)
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

  /// Returns whether rows of a layout lack an attribute of the newest layout.
  private func isMissing(_ name: String, in history: [Layout]) -> Bool {
    guard let index = journal.index(of: name) else { return false }
    return history.indices.contains { place in
      let mapping = LayoutMapping(history[place...], to: journal)
      guard case .absent = mapping.sources[index] else { return false }
      return true
    }
  }

  private mutating func mergeUnique() {
    let known = Set(definition.attributes.map(\.name))
    let kept = journal.unique.map { $0.map { newNames[$0] ?? $0 } }.filter { names in
      known.isSuperset(of: names) && !definition.unique.contains(names)
        // A type that declares all attributes of a list, but not the list itself, removes the list.
        && !schema.namesByType.contains { $0.isSuperset(of: names) }
    }
    definition.unique += kept
    if Set(definition.unique) == Set(journal.unique) { definition.unique = journal.unique }
  }

  // MARK: Defaults

  /// Throws if records would have no value for a new attribute that is required.
  private func checkMissingDefaults() throws(SchemaProblem) {
    for attribute in report.newAttributes {
      guard let declared = declared(attribute.name), declared.isRequired,
        declared.defaultValue.isNull
      else { continue }
      throw .missingDefault(entity: attribute.entity, attribute: attribute.name)
    }
  }

  /// Throws if records, at the present or an earlier moment, would have no value that stays
  /// constant.
  private func checkVaryingDefaults(_ history: [Layout]) throws(SchemaProblem) {
    let attributes = definition.attributes
    for (index, attribute) in attributes.enumerated()
    where schema.varyingNames.contains(attribute.name) && attribute.defaultValue.isNull {
      for place in history.indices {
        let old = history[place].entity
        let mapping = LayoutMapping(history[place...], to: definition)
        if case .same(let source) = mapping.sources[index], old.attributes[source].isRequired {
          continue
        }
        throw .varyingDefault(entity: journal.name, attribute: attribute.name)
      }
    }
  }

  // MARK: Report

  /// Separates new attributes from those that earlier layouts had.
  private mutating func recordReturning(_ history: [Layout]) {
    if report.newAttributes.isEmpty { return }
    var names: Set<String> = []
    for place in history.indices {
      let mapping = LayoutMapping(history[place...], to: definition)
      for (attribute, source) in zip(definition.attributes, mapping.sources)
      where source != .absent { names.insert(attribute.name) }
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
