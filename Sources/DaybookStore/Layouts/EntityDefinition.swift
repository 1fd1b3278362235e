/// The definition of an entity: the kind of its identifiers, and its attributes.
///
/// The journal contains it as a layout, so that any program can read the rows.
public struct EntityDefinition: Hashable, Sendable {
  /// The entity's name.
  public var name: String
  /// The kind of the records' identifiers.
  public var identifierKind: IdentifierKind
  /// The attributes, in the order of the schema.
  public var attributes: [AttributeDefinition]
  /// The unique lists. No two records may have equal values for all attributes of a list.
  public var unique: [[String]]

  /// Creates an entity with attributes.
  public init(
    _ name: String, identifiedBy identifierKind: IdentifierKind,
    attributes: [AttributeDefinition] = [], unique: [[String]] = []
  ) {
    self.name = name
    self.identifierKind = identifierKind
    self.attributes = attributes
    self.unique = unique
  }

  /// Returns the index of an attribute in ``attributes``.
  public func index(of name: String) -> Int? { attributes.firstIndex { $0.name == name } }
}

/// The definition of one attribute.
public struct AttributeDefinition: Hashable, Sendable {
  /// The attribute's name.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// A Boolean value that indicates whether each record must have a value when it is saved.
  public var isRequired: Bool
  /// The value of records that were written before the attribute existed.
  public var defaultValue: AttributeValue
  /// The name of the attribute in earlier versions of the schema.
  public var earlierName: String?
  /// The attribute of the target entity that refers back.
  public var inverse: String?
  /// The effect of deletions on the reference, if the attribute is one.
  public var deleteRule: DeleteRule
  /// A Boolean value that indicates whether a save must reject references to records that do not
  /// exist. Required references are always checked.
  public var isChecked: Bool

  /// Creates an attribute.
  public init(
    _ name: String, type: AttributeType, isRequired: Bool = false,
    default defaultValue: AttributeValue = .null, renamedFrom earlierName: String? = nil,
    inverse: String? = nil, onDelete deleteRule: DeleteRule = .nullify, isChecked: Bool = false
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.defaultValue = defaultValue
    self.earlierName = earlierName
    self.inverse = inverse
    self.deleteRule = deleteRule
    self.isChecked = isChecked
  }
}

extension AttributeDefinition {
  /// The bytes of the default value in a row; nil if there is no default.
  var defaultBytes: [UInt8]? {
    guard !defaultValue.isNull, defaultValue.fits(type) else { return nil }
    var buffer = RowBuffer()
    defaultValue.append(as: type, to: &buffer)
    return buffer.bytes
  }
}

/// The effect of deletions on a reference from a record to a target record.
///
/// A required reference is never removed. If its target is deleted, the save of the deletion is
/// refused, unless the referring record is changed or deleted before the save.
///
/// The raw values are stored in layouts on disk and never change their meaning.
public enum DeleteRule: UInt8, Hashable, Sendable, CaseIterable {
  /// If the target is deleted, the reference is removed.
  case nullify = 1
  /// If the record is deleted, the target is deleted too. If the target is deleted, the reference
  /// is removed.
  case cascade = 2
  /// The record cannot be deleted while the target exists. If the target is deleted, the reference
  /// is removed.
  case deny = 3
  /// If the target is deleted, the reference is kept. It is read as nil.
  case none = 4

  /// The name of the rule in a text journal.
  public var name: String { "\(self)" }

  /// Creates the rule with a name of a text journal; nil if the name is unknown.
  public init?(name: String) {
    guard let rule = DeleteRule.allCases.first(where: { $0.name == name }) else { return nil }
    self = rule
  }
}
