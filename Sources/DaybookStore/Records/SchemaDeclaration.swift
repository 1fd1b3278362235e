import DaybookEssentials

/// The part of an entity that the record types of a program declare: one type, or several that name
/// different attributes.
package struct SchemaDeclaration: Sendable {
  /// The entity and the attributes that the types name.
  package private(set) var definition: EntityDefinition
  /// The attributes that are dropped from the journal's entity.
  private(set) var removedNames: Set<String>
  /// The attributes whose default is the value that `init()` gives them.
  private(set) var impliedDefaults: Set<String>
  /// The attributes that `init()` gives another value each time. They have no default.
  private(set) var varyingNames: Set<String>
  /// For each type the attributes that it names.
  private(set) var namesByType: [Set<String>]
  /// The values that types declare for those that they do not know, by the names of the attributes.
  private var unknownSubstitutes: [String: AttributeValue]
  /// Whether the records are checked when a store is opened.
  private(set) var isCheckedAtOpening: Bool

  package init<R: Record>(_ schema: RecordSchema<R>) {
    let prototype = R()
    SchemaDeclaration.waitForClockTick()
    let second = R()
    definition = EntityDefinition(
      schema.entity, identifiedBy: R.ID.identifierKind, unique: schema.unique)
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
    namesByType = [Set(schema.attributes.map(\.name))]
    isCheckedAtOpening = schema.isCheckedAtOpening
  }

  /// Reads the clock until it gives another date, so that a prototype made of the date differs from
  /// the one before. A clock that does not advance is given up.
  package static func waitForClockTick(readClock: () -> Date = { Date() }) {
    let date = readClock()
    for _ in 0..<100_000 {
      if readClock() != date { return }
    }
  }

  /// Adds what another type declares of the same entity.
  mutating func formUnion(_ other: SchemaDeclaration) throws(SchemaProblem) {
    let entity = definition.name
    guard definition.identifierKind == other.definition.identifierKind else {
      throw .identifierTwice(entity: entity)
    }
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
    unknownSubstitutes.merge(other.unknownSubstitutes) { own, _ in own }
    removedNames.formUnion(other.removedNames)
    impliedDefaults.formUnion(other.impliedDefaults)
    varyingNames.formUnion(other.varyingNames)
    namesByType += other.namesByType
    isCheckedAtOpening = isCheckedAtOpening || other.isCheckedAtOpening
  }
}
