import DaybookEssentials

/// The name of an entity, and the attributes that a record type stores in it.
///
/// A record type creates its schema once, in a `static let`. Each method returns a copy of the
/// schema with an additional declaration.
public struct RecordSchema<R: Record>: Sendable {
  /// The name of the entity, in the journal and in the tool.
  public let entity: String
  /// The name of the entity in earlier versions of the schema.
  let earlierName: String?
  /// The attributes that the schema names.
  package private(set) var attributes: [SchemaAttribute<R>] = []
  private var uniqueUses: [[PropertyUse]] = []
  private var indexUses: [[PropertyUse]] = []
  private var searchableUses: [PropertyUse] = []
  /// The attributes of the journal that the schema drops.
  private(set) var removedNames: [String] = []
  /// The offsets of the properties that are deliberately not saved; nil for a property without an
  /// offset.
  private(set) var unsavedOffsets: [Int?] = []
  /// A Boolean value that indicates whether opening a store checks all records of the entity.
  private(set) var isCheckedAtOpening = false
  /// The closures that get and set the identifier of a record.
  let identifier: IdentifierAccess

  /// Creates the schema of an entity, without attributes.
  ///
  /// ```swift
  /// static let schema = RecordSchema<Note>("Note", renamedFrom: "Memo")
  ///   .attribute("title", at: \.title)
  /// ```
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - earlierName: The name of the entity in earlier versions of the schema. Its records, their
  ///     history and the references to them belong to the new name. A journal never uses a name for
  ///     two entities.
  @inlinable
  public init(_ entity: String, renamedFrom earlierName: String? = nil) {
    self.init(
      entity, renamedFrom: earlierName,
      identifier: IdentifierAccess {
        SchemaAttribute<R>.record($0).pointee.id.recordIdentifier
      } set: { identifier, record in
        guard let id = R.ID(identifier) else { return false }
        SchemaAttribute<R>.record(record).pointee.id = id
        return true
      })
  }

  @usableFromInline
  init(_ entity: String, renamedFrom earlierName: String?, identifier: IdentifierAccess) {
    self.entity = entity
    self.earlierName = earlierName == entity ? nil : earlierName
    self.identifier = identifier
  }

  /// Adds an attribute.
  ///
  /// A property has at most one attribute. A property that contains references is declared with
  /// `reference`, `references` or `owned` instead.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute in the journal. It cannot be `id`.
  ///   - keyPath: The property of the record. A stored property is fastest.
  ///   - isRequired: A Boolean value that indicates whether an optional property must have a value
  ///     when the record is saved. A property that is not optional always has one.
  ///   - defaultValue: The value of records that were written before the attribute existed. Without
  ///     a declared default, an optional property is nil in these records. A property that is not
  ///     optional has the value that `init()` gave it when the attribute was added to the journal.
  ///   - unknownValue: The substitute for stored values that the property's type cannot represent,
  ///     such as a raw value without a case. Records, filters, sort keys and sections use the
  ///     substitute. An update keeps the stored value, unless it assigns a value other than the
  ///     substitute. Without a substitute, reading such a record throws ``StoreError`` with
  ///     `unknownValue`. To declare nil as the substitute of an optional property, pass
  ///     `.some(nil)`.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
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
    options.refusesReferences = true
    return adding(.make(name, at: keyPath, options: options))
  }

  /// Adds an attribute that had a different type in earlier versions of the schema.
  ///
  /// The property may also contain references, for example to records of a different type than
  /// before.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute.
  ///   - keyPath: The property.
  ///   - isRequired: A Boolean value that indicates whether the attribute must have a value.
  ///   - defaultValue: The value of records that were written before the attribute existed, or
  ///     whose earlier value cannot be converted.
  ///   - unknownValue: The substitute for stored values that the property's type cannot represent.
  ///   - earlierName: The name of the attribute in earlier versions of the schema.
  ///   - convert: A closure that converts a value of the earlier type, or returns nil if the value
  ///     has no equivalent.
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

  /// Requires that no two records of the entity have equal values in all of these properties. A
  /// record is exempt if one of the values is nil.
  ///
  /// ```swift
  /// static let schema = RecordSchema<Player>("Player")
  ///   .attribute("team", at: \.team).attribute("number", at: \.number)
  ///   .unique(\.team, \.number)
  /// ```
  public func unique(_ keyPaths: (PartialKeyPath<R> & Sendable)...) -> RecordSchema {
    var schema = self
    schema.uniqueUses.append(keyPaths.map { .property($0) })
    return schema
  }

  /// Declares an index of some properties, so that fetches find records without examining all of
  /// them.
  ///
  /// ```swift
  /// static let schema = RecordSchema<Issue>("Issue")
  ///   .attribute("project", at: \.project).attribute("created", at: \.created)
  ///   .indexed(\.project, \.created)
  /// ```
  ///
  /// A fetch uses the index for conditions of equality on its first properties, then for a range of
  /// the next property, and for a sort order by its last properties. The order of the properties
  /// matters. `\.id` is the identifier.
  ///
  /// The index is a property of the program: the journal does not contain it. It is built in memory
  /// when a fetch first uses it, and needs about 26 bytes for each record.
  public func indexed(_ keyPaths: (PartialKeyPath<R> & Sendable)...) -> RecordSchema {
    var schema = self
    schema.indexUses.append(keyPaths.map { .property($0) })
    return schema
  }

  /// Declares an index of the words in a string property, so that searches for words find records
  /// without examining all of them.
  ///
  /// ```swift
  /// static let schema = RecordSchema<Book>("Book")
  ///   .attribute("title", at: \.title).searchable(\.title)
  /// ```
  ///
  /// A fetch uses the index for a filter `MATCHESWORDS`. The index is a property of the program:
  /// the journal does not contain it. It is built in memory when a fetch first uses it. It needs
  /// four bytes for each different word of each record, and 24 bytes for each different word of all
  /// records.
  public func searchable(_ keyPath: PartialKeyPath<R> & Sendable) -> RecordSchema {
    var schema = self
    schema.searchableUses.append(.property(keyPath))
    return schema
  }

  /// Requires that all records of the entity satisfy the schema when a store is opened. If records
  /// violate it, opening throws ``StoreError`` with `invalidRecords`.
  ///
  /// Without this declaration, a store can open a journal with such records, and
  /// ``OpeningReport/violations`` lists them. A save then checks only the records that it changes,
  /// and of their references only those that it sets.
  ///
  /// - Complexity: Opening reads every record.
  public func checkedAtOpening() -> RecordSchema {
    var schema = self
    schema.isCheckedAtOpening = true
    return schema
  }

  /// Drops attributes of the journal.
  ///
  /// A schema does not have to name every attribute of the journal. Attributes that it does not
  /// name keep their values, unless this method drops them. A record loses a dropped value with its
  /// next change. Reading an earlier moment still returns the value.
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

  /// Declares properties that are deliberately not saved.
  ///
  /// ```swift
  /// static let schema = RecordSchema<Note>("Note")
  ///   .attribute("title", at: \.title)
  ///   .unsaved(\.isSelected)
  /// ```
  ///
  /// A schema does not have to name every stored property of its record type, but a property that
  /// it does not name is lost. In a debug build, opening a store therefore prints the names of such
  /// properties on standard error, once for each type. Properties that this method declares are not
  /// printed. The method has no other effect.
  ///
  /// Nothing is printed about a type with an attribute at a computed property or at a property with
  /// observers, because that attribute may save any stored property.
  ///
  /// - Parameter keyPaths: The properties.
  public func unsaved(_ keyPaths: PartialKeyPath<R>...) -> RecordSchema {
    var schema = self
    schema.unsavedOffsets += keyPaths.map { MemoryLayout<R>.offset(of: $0) }
    return schema
  }

  // MARK: Earlier names

  /// Requires that no two records have equal values for all of these attributes.
  @available(*, deprecated, message: "Pass key paths: unique(\\.email).")
  public func unique(_ name: String, _ others: String...) -> RecordSchema {
    var schema = self
    schema.uniqueUses.append(([name] + others).map { .attribute($0) })
    return schema
  }

  /// Declares an index of some attributes.
  @available(*, deprecated, message: "Pass key paths: indexed(\\.project, \\.created).")
  public func indexed(_ name: String, _ others: String...) -> RecordSchema {
    var schema = self
    schema.indexUses.append(([name] + others).map { .attribute($0) })
    return schema
  }

  /// Declares an index of the words in a string attribute.
  @available(*, deprecated, message: "Pass a key path: searchable(\\.title).")
  public func searchable(_ name: String) -> RecordSchema {
    var schema = self
    schema.searchableUses.append(.attribute(name))
    return schema
  }

  // MARK: Names

  /// A property that a unique list or an index uses, or the name of its attribute.
  private enum PropertyUse: Sendable {
    case property(PartialKeyPath<R> & Sendable)
    case attribute(String)
  }

  /// Returns the name of the attribute of a property; `id` for the identifier. The attribute may be
  /// declared after its use. A property that is not an attribute is described, for an error.
  private func name(_ use: PropertyUse) -> String {
    switch use {
    case .attribute(let name): name
    case .property(let keyPath):
      attribute(at: keyPath) ?? (isIdentifier(keyPath) ? "id" : "\(keyPath)")
    }
  }

  /// Returns whether a key path leads to the identifier.
  ///
  /// A key path to `id` of the type is not equal to `\R.id`, which leads to the requirement of the
  /// protocol. So the method reads the key path in records with several identifiers.
  package func isIdentifier(_ keyPath: PartialKeyPath<R>) -> Bool {
    guard let keyPath = keyPath as? KeyPath<R, R.ID> else { return false }
    let ids = R.ID._identifierKind.examples.compactMap { R.ID($0) }
    var record = R()
    return !ids.isEmpty
      && ids.allSatisfy { id in
        record.id = id
        return record[keyPath: keyPath] == id
      }
  }

  /// The unique lists, each as the names of its attributes.
  package var unique: [[String]] { uniqueUses.map { $0.map(name) } }

  /// The attributes of each declared index.
  var indexes: [[String]] { indexUses.map { $0.map(name) } }

  /// The attributes with an index of their words.
  var searchableNames: Set<String> { Set(searchableUses.map(name)) }

  @usableFromInline
  func adding(_ attribute: SchemaAttribute<R>) -> RecordSchema {
    var schema = self
    schema.attributes.append(attribute)
    return schema
  }

  /// Returns the name of the attribute of a property; nil if the property is not an attribute.
  package func attribute(at keyPath: PartialKeyPath<R>) -> String? {
    attributes.first { $0.keyPath == keyPath }?.name
  }
}

extension IdentifierKind {
  /// Different identifiers, which the smallest types of the kind can represent.
  fileprivate var examples: [RecordIdentifier] {
    switch self {
    case .int: [.int(-128), .int(-1), .int(0), .int(1), .int(127)]
    case .uint: [.uint(0), .uint(1), .uint(200), .uint(255)]
    case .string: [RecordIdentifier(""), RecordIdentifier("a"), RecordIdentifier(" B\u{e9} ")]
    case .uuid: [.uuid(UUID()), .uuid(UUID())]
    }
  }
}
