/// What a store knows of the records of one entity: their identifier and their attributes.
///
/// It travels in the journal as a layout, so that any program can read the rows.
public struct EntityDefinition: Hashable, Sendable {
  /// The entity's name.
  public var name: String
  /// What identifies its records.
  public var identifierKind: IdentifierKind
  /// The attributes, in the order of the schema.
  public var attributes: [AttributeDefinition]
  /// Lists of attributes whose values, taken together, no two records may share.
  public var unique: [[String]]

  /// An entity with attributes.
  public init(
    _ name: String, identifiedBy identifierKind: IdentifierKind,
    attributes: [AttributeDefinition] = [], unique: [[String]] = []
  ) {
    self.name = name
    self.identifierKind = identifierKind
    self.attributes = attributes
    self.unique = unique
  }

  /// The place of an attribute in ``attributes``.
  public func index(of name: String) -> Int? { attributes.firstIndex { $0.name == name } }
}

/// What a store knows of one attribute.
public struct AttributeDefinition: Hashable, Sendable {
  /// The attribute's name.
  public var name: String
  /// What it may hold.
  public var type: AttributeType
  /// Whether each record must have a value when it is saved.
  public var isRequired: Bool
  /// The value of records that were written before there was this attribute.
  public var defaultValue: AttributeValue
  /// The name that it had in earlier versions of the schema.
  public var earlierName: String?
  /// The attribute of the entity referred to that refers back.
  public var inverse: String?
  /// What the deletion of a record does to those that it refers to and that refer to it.
  public var deleteRule: DeleteRule
  /// A Boolean value that indicates whether a save must not set it to records that do not exist. Required
  /// references are always checked.
  public var isChecked: Bool

  /// An attribute.
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
  /// The bytes of the default in a row; nil if there is none.
  var defaultBytes: [UInt8]? {
    guard !defaultValue.isNull, defaultValue.fits(type) else { return nil }
    var buffer = RowBuffer()
    defaultValue.append(as: type, to: &buffer)
    return buffer.bytes
  }
}

/// What becomes of the records that a deleted record refers to.
///
/// The raw values stand in layouts on disk and never change their meaning.
public enum DeleteRule: UInt8, Hashable, Sendable, CaseIterable {
  /// They no longer refer back.
  case nullify = 1
  /// They are deleted too.
  case cascade = 2
  /// The record cannot be deleted while there are any.
  case deny = 3
  /// Nothing: they may go on referring to a record that is not there, which reads as nil.
  case none = 4

  /// How the text journal calls it.
  public var name: String { "\(self)" }

  /// The rule that the text journal calls so.
  public init?(name: String) {
    guard let rule = DeleteRule.allCases.first(where: { $0.name == name }) else { return nil }
    self = rule
  }
}
