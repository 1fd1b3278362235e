import DaybookEssentials

/// What of a record is stored, and under which names.
///
/// Schemas are values, built once in a `static let`; each call adds to what was said before.
public struct RecordSchema<R: Record>: Sendable {
  /// The name of the entity, in the journal and for the tool.
  public let entity: String
  package private(set) var attributes: [SchemaAttribute<R>] = []
  package private(set) var unique: [[String]] = []
  /// The attributes of the journal that the schema drops.
  private(set) var removedNames: [String] = []
  /// Whether the records are checked when a store is opened.
  private(set) var isCheckedAtOpening = false
  /// What identifies a record.
  let identifier: IdentifierAccess

  /// The schema of an entity without attributes yet.
  @inlinable
  public init(_ entity: String) {
    self.init(
      entity,
      identifier: IdentifierAccess {
        SchemaAttribute<R>.record($0).pointee.id.recordIdentifier
      } set: { identifier, record in
        guard let id = R.ID(identifier) else { return false }
        SchemaAttribute<R>.record(record).pointee.id = id
        return true
      })
  }

  @usableFromInline
  init(_ entity: String, identifier: IdentifierAccess) {
    self.entity = entity
    self.identifier = identifier
  }

  /// Adds an attribute.
  ///
  /// - Parameters:
  ///   - name: Its name in the journal. No attribute may be called `id`.
  ///   - keyPath: Where the record keeps it. A stored property is fastest.
  ///   - isRequired: Whether an optional must have a value when the record is saved. Attributes that
  ///     are not optional always have one.
  ///   - defaultValue: The value of records that were written before there was this attribute. If none
  ///     is given, it is the value that `init()` gave when the attribute was added to the journal.
  ///   - unknownValue: The substitute for stored values that the property's type cannot represent, such as a raw
  ///     value without a case. Records, filters, sort keys and sections use the substitute. An update keeps the
  ///     stored value, unless it assigns a value other than the substitute. Without a substitute, reading such a
  ///     record throws ``StoreError`` with `unknownValue`. For an optional, `.some(nil)` declares nil.
  ///   - earlierName: The name that it had in earlier versions of the schema.
  @inlinable
  public func attribute<Value: AttributeRepresentable>(
    _ name: String, at keyPath: WritableKeyPath<R, Value> & Sendable,
    required isRequired: Bool = false,
    default defaultValue: Value? = nil, unknown unknownValue: Value? = nil,
    renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<Value>(renamedFrom: earlierName)
    options.isRequired = isRequired
    options.defaultValue = defaultValue
    options.unknownValue = unknownValue
    return adding(.make(name, at: keyPath, options: options))
  }

  /// Adds an attribute whose type in earlier versions was another.
  ///
  /// - Parameters:
  ///   - unknownValue: The substitute for stored values that the property's type cannot represent.
  ///   - convert: Returns the value for a value of the earlier type, or nil if there is none.
  public func attribute<Value: AttributeRepresentable, Earlier: AttributeRepresentable>(
    _ name: String, at keyPath: WritableKeyPath<R, Value> & Sendable,
    required isRequired: Bool = false,
    default defaultValue: Value? = nil, unknown unknownValue: Value? = nil,
    renamedFrom earlierName: String? = nil,
    converting convert: @escaping @Sendable (Earlier) -> Value?
  ) -> RecordSchema {
    var options = AttributeOptions<Value>(renamedFrom: earlierName)
    options.isRequired = isRequired
    options.defaultValue = defaultValue
    options.unknownValue = unknownValue
    options.converters = [SchemaAttribute.converter(at: keyPath, converting: convert)]
    return adding(.make(name, at: keyPath, options: options))
  }

  /// Adds a reference to one record.
  ///
  /// A required or checked reference leads to a record that exists whenever a save sets it. That is checked when
  /// the save begins and again when its transaction is numbered, and not at the change: a record may be inserted
  /// before the one it refers to. A record that a required reference leads to cannot be deleted, whatever the
  /// rule. Import does not check.
  ///
  /// - Parameters:
  ///   - isChecked: A Boolean value that indicates whether an optional reference is checked. Deleting the record
  ///     that it leads to makes it nil.
  ///   - inverse: What the way back is called: the records that refer to one, seen from that one. It
  ///     is computed and never stored; see ``StoreSnapshot/inverse(_:of:id:)``. If the other entity has an
  ///     attribute of that name, it has to be a reference back, and is stored for itself.
  ///   - deleteRule: What deleting this record does to the one that it refers to.
  @inlinable
  public func reference<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, Reference<Target>?> & Sendable,
    required isRequired: Bool = false, checked isChecked: Bool = false, inverse: String? = nil,
    onDelete deleteRule: DeleteRule = .nullify, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<Reference<Target>?>(renamedFrom: earlierName)
    options.isRequired = isRequired
    options.isChecked = isChecked
    options.inverse = inverse
    options.deleteRule = deleteRule
    return adding(.make(name, at: keyPath, options: options))
  }

  /// Adds references to any number of records.
  ///
  /// - Parameter isChecked: A Boolean value that indicates whether a save must not add records that do not exist.
  @inlinable
  public func references<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, [Reference<Target>]> & Sendable,
    checked isChecked: Bool = false, inverse: String? = nil,
    onDelete deleteRule: DeleteRule = .nullify, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    var options = AttributeOptions<[Reference<Target>]>(renamedFrom: earlierName)
    options.isChecked = isChecked
    options.inverse = inverse
    options.deleteRule = deleteRule
    return adding(.make(name, at: keyPath, options: options))
  }

  /// Demands that no two records have the same values of these attributes, taken together. Records
  /// without a value for one of them are left alone.
  public func unique(_ names: String...) -> RecordSchema {
    var schema = self
    schema.unique.append(names)
    return schema
  }

  /// Refuses to open a journal if records of the entity violate the schema; see
  /// ``OpeningReport/violations``.
  ///
  /// Without it such a journal is opened, ``OpeningReport/violations`` has the records, and each is refused
  /// when it is changed next.
  ///
  /// - Complexity: Opening reads every record.
  public func checkedAtOpening() -> RecordSchema {
    var schema = self
    schema.isCheckedAtOpening = true
    return schema
  }

  /// Drops attributes that the journal has.
  ///
  /// A schema need not name every attribute of the journal: those that it does not name keep their
  /// values. This drops them instead. A record loses their values when it is changed next; earlier
  /// moments keep them.
  ///
  /// ```swift
  /// static let schema = RecordSchema<Note>("Note")
  ///   .attribute("title", at: \.title)
  ///   .removed("stars")
  /// ```
  public func removed(_ names: String...) -> RecordSchema {
    var schema = self
    schema.removedNames += names
    return schema
  }

  @usableFromInline
  func adding(_ attribute: SchemaAttribute<R>) -> RecordSchema {
    var schema = self
    schema.attributes.append(attribute)
    return schema
  }

  /// The attribute that a property of the record is; nil if it is none.
  package func attribute(at keyPath: PartialKeyPath<R>) -> String? {
    attributes.first { $0.keyPath == keyPath }?.name
  }

  /// The entity with the attributes that the schema names.
  package var definition: EntityDefinition { SchemaDeclaration(self).definition }
}

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
