import DaybookEssentials

/// The declaration of an entity by the record types of a program. Several record types may declare
/// the same entity with different attributes; `formUnion(_:)` combines their declarations.
/// `SchemaMerge` then merges the result with the definition in the journal.
package struct SchemaDeclaration: Sendable {
  /// The definition of the entity, with the attributes that the types name.
  package private(set) var definition: EntityDefinition
  /// The names of the attributes that the types drop from the journal's entity.
  private(set) var removedNames: Set<String>
  /// The names of the attributes without a declared default. If such an attribute is not optional,
  /// the value of `init()` is its default.
  private(set) var impliedDefaults: Set<String>
  /// The names of the attributes for which two calls of `init()` returned different values, such as
  /// `Date()` or `UUID()`. These attributes have no default.
  private(set) var varyingNames: Set<String>
  /// The names of the attributes that each type declares.
  private(set) var namesByType: [Set<String>]
  /// The substitutes that the types declare for unknown values, by attribute name.
  private var unknownSubstitutes: [String: AttributeValue]
  /// The attributes of each index.
  private(set) var indexes: [[String]]
  /// The attributes with an index of their words.
  private(set) var searchableNames: Set<String>
  /// A Boolean value that indicates whether opening a store checks all records of the entity.
  private(set) var isCheckedAtOpening: Bool

  /// Creates the declaration of one record type. Two calls of `init()` show which properties have a
  /// different value in each call.
  package init<R: Record>(_ schema: RecordSchema<R>) {
    let prototype = R()
    SchemaDeclaration.waitForClockTick()
    let second = R()
    definition = EntityDefinition(
      schema.entity, renamedFrom: schema.earlierName, identifiedBy: R.ID._identifierKind,
      unique: schema.unique)
    impliedDefaults = []
    varyingNames = []
    unknownSubstitutes = [:]
    for attribute in schema.attributes {
      var attributeDefinition = attribute.definition(prototype)
      if !attribute.hasDefault {
        impliedDefaults.insert(attribute.name)
        if attribute.definition(second).defaultValue != attributeDefinition.defaultValue {
          varyingNames.insert(attribute.name)
          attributeDefinition.defaultValue = .null
        }
      }
      definition.attributes.append(attributeDefinition)
      unknownSubstitutes[attribute.name] = attribute.unknownSubstitute()
    }
    removedNames = Set(schema.removedNames)
    indexes = schema.indexes
    searchableNames = schema.searchableNames
    namesByType = [Set(schema.attributes.map(\.name))]
    isCheckedAtOpening = schema.isCheckedAtOpening
  }

  /// Reads the clock until its date changes. If `init()` uses the current date, the prototypes that
  /// are created before and after this call therefore differ. The function stops after 100,000
  /// readings, in case the clock does not advance.
  package static func waitForClockTick(readClock: () -> Date = { Date() }) {
    let date = readClock()
    for _ in 0..<100_000 {
      if readClock() != date { return }
    }
  }

  /// Returns the declaration with a different earlier name of the entity.
  func renamed(from earlierName: String?) -> SchemaDeclaration {
    var declaration = self
    declaration.definition.earlierName = earlierName
    return declaration
  }

  /// Adds the declaration of a second type of the same entity.
  mutating func formUnion(_ other: SchemaDeclaration) throws(SchemaProblem) {
    let entity = definition.name
    guard definition.identifierKind == other.definition.identifierKind else {
      throw .identifierTwice(entity: entity)
    }
    if let first = definition.earlierName, let second = other.definition.earlierName,
      first != second
    {
      throw .entityRenamedFromTwo(entity: entity, first: first, second: second)
    }
    definition.earlierName = definition.earlierName ?? other.definition.earlierName
    for attribute in other.definition.attributes {
      guard let index = definition.index(of: attribute.name) else {
        definition.attributes.append(attribute)
        continue
      }
      guard definition.attributes[index] == attribute,
        unknownSubstitutes[attribute.name] == other.unknownSubstitutes[attribute.name]
      else {
        throw .declaredTwice(entity: entity, attribute: attribute.name)
      }
    }
    for names in other.definition.unique where !definition.unique.contains(names) {
      definition.unique.append(names)
    }
    for names in other.indexes where !indexes.contains(names) { indexes.append(names) }
    searchableNames.formUnion(other.searchableNames)
    unknownSubstitutes.merge(other.unknownSubstitutes) { own, _ in own }
    removedNames.formUnion(other.removedNames)
    impliedDefaults.formUnion(other.impliedDefaults)
    varyingNames.formUnion(other.varyingNames)
    namesByType += other.namesByType
    isCheckedAtOpening = isCheckedAtOpening || other.isCheckedAtOpening
  }
}

extension RecordSchema {
  /// The definition of the entity with the attributes that the schema names. Attributes that only
  /// the journal has are missing.
  package var definition: EntityDefinition { SchemaDeclaration(self).definition }
}
