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

  /// A Boolean value that indicates whether an attribute has a rule for deletions of its target.
  /// Programs that read only the first version of the payload format do not know such rules.
  package var hasTargetDeleteRules: Bool { attributes.contains { $0.whenDeleted != nil } }

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
  /// The rule for deletions of the record itself, if the attribute is a reference. A text journal
  /// calls it `onDelete`.
  public var ownDeleteRule: DeleteRule
  /// The rule for deletions of the target, if the attribute is a reference. It is nil if the
  /// declaration has no such rule; see ``targetDeleteRule``.
  public var whenDeleted: DeleteRule?
  /// A Boolean value that indicates whether a save must reject references to records that do not
  /// exist. Required references are always checked.
  public var isChecked: Bool

  /// Creates an attribute.
  public init(
    _ name: String, type: AttributeType, isRequired: Bool = false,
    default defaultValue: AttributeValue = .null, renamedFrom earlierName: String? = nil,
    inverse: String? = nil, ownDeleteRule: DeleteRule = .nullify, whenDeleted: DeleteRule? = nil,
    isChecked: Bool = false
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.defaultValue = defaultValue
    self.earlierName = earlierName
    self.inverse = inverse
    self.ownDeleteRule = ownDeleteRule
    self.whenDeleted = whenDeleted
    self.isChecked = isChecked
  }
}

extension AttributeDefinition {
  /// The effect of deleting the target of a reference on the record that has the reference.
  ///
  /// Without ``whenDeleted``, the reference is removed, unless ``ownDeleteRule`` is `none`.
  public var targetDeleteRule: DeleteRule {
    whenDeleted ?? (ownDeleteRule == .none ? .none : .nullify)
  }

  /// A Boolean value that indicates whether the type of the attribute can have its rule for
  /// deletions of the target. Only references have such a rule, and an array cannot cascade.
  package var isWhenDeletedPossible: Bool {
    switch type {
    case .reference: true
    case .references: whenDeleted != .cascade
    case .scalar, .array: whenDeleted == nil
    }
  }

  /// The bytes of the default value in a row; nil if there is no default.
  var defaultBytes: [UInt8]? {
    guard !defaultValue.isNull, defaultValue.fits(type) else { return nil }
    var buffer = RowBuffer()
    defaultValue.append(as: type, to: &buffer)
    return buffer.bytes
  }
}

/// A rule for deletions at one end of a reference.
///
/// The rule ``AttributeDefinition/whenDeleted`` is for deletions of the target. Its effect is on
/// the record that has the reference.
///
/// | rule | if the target is deleted |
/// | --- | --- |
/// | `cascade` | the record is deleted too |
/// | `nullify` | the reference becomes nil; an array loses the reference |
/// | `deny` | the deletion is refused while the record exists and refers to the target |
/// | `none` | the record keeps the reference, which is read as nil |
///
/// The rule ``AttributeDefinition/ownDeleteRule`` is for deletions of the record itself. Its effect
/// is on the target.
///
/// | rule | if the record is deleted |
/// | --- | --- |
/// | `cascade` | the target is deleted too: the record owns it |
/// | `deny` | the deletion is refused while the target exists |
/// | `nullify`, `none` | the target is unchanged |
///
/// A required reference is never removed. If its target is deleted and the record survives, the
/// deletion is refused.
///
/// The raw values are stored in layouts on disk and never change their meaning.
public enum DeleteRule: UInt8, Hashable, Sendable, CaseIterable {
  /// Removes the reference.
  case nullify = 1
  /// Deletes the record at the other end.
  case cascade = 2
  /// Refuses the deletion while the record at the other end exists.
  case deny = 3
  /// Changes nothing at the other end.
  case none = 4

  /// The name of the rule in a text journal.
  public var name: String { "\(self)" }

  /// Creates the rule with a name of a text journal; nil if the name is unknown.
  public init?(name: String) {
    guard let rule = DeleteRule.allCases.first(where: { $0.name == name }) else { return nil }
    self = rule
  }
}
