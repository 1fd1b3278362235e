/// The definition of an entity: its name, the kind of its identifiers, its attributes, and its
/// unique lists.
///
/// The journal contains the definition as part of a layout, so that programs without the record
/// types can read the rows.
public struct EntityDefinition: Hashable, Sendable {
  /// The entity's name.
  public var name: String
  /// The name of the entity in earlier versions of the schema.
  public var earlierName: String?
  /// The kind of the records' identifiers.
  public var identifierKind: IdentifierKind
  /// The attributes, in the order of the schema.
  public var attributes: [AttributeDefinition]
  /// The unique lists, each as the names of its attributes. No two records may have equal values
  /// for all attributes of a list.
  public var unique: [[String]]

  /// Creates an entity with attributes.
  public init(
    _ name: String, renamedFrom earlierName: String? = nil,
    identifiedBy identifierKind: IdentifierKind, attributes: [AttributeDefinition] = [],
    unique: [[String]] = []
  ) {
    self.name = name
    self.earlierName = earlierName
    self.identifierKind = identifierKind
    self.attributes = attributes
    self.unique = unique
  }

  /// A Boolean value that indicates whether at least one attribute has a rule for deletions of its
  /// target. Programs that read only version 1 of the payload format do not know such rules.
  package var hasTargetDeleteRules: Bool { attributes.contains { $0.whenTargetDeleted != nil } }

  /// Returns the index of an attribute in ``attributes``.
  public func index(of name: String) -> Int? { attributes.firstIndex { $0.name == name } }
}

/// The definition of one attribute.
public struct AttributeDefinition: Hashable, Sendable {
  /// The attribute's name.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// A Boolean value that indicates whether a save refuses records without a value for the
  /// attribute.
  public var isRequired: Bool
  /// The value of records that were written before the attribute existed.
  public var defaultValue: AttributeValue
  /// The name of the attribute in earlier versions of the schema.
  public var earlierName: String?
  /// The name of the inverse, if the attribute is a reference. The inverse is the list of the
  /// records that refer to one target.
  public var inverse: String?
  /// The rule for deletions of the record itself, if the attribute is a reference. Its name in a
  /// text journal is `onDelete`.
  public var ownDeleteRule: DeleteRule
  /// The rule for deletions of the target, if the attribute is a reference. If it is nil,
  /// ``targetDeleteRule`` follows from ``ownDeleteRule``.
  public var whenTargetDeleted: DeleteRule?
  /// A Boolean value that indicates whether a save refuses to set the reference to a record that
  /// does not exist. A save always checks required references, and references with the rule
  /// `cascade` or `deny`.
  public var isChecked: Bool

  /// Creates an attribute.
  public init(
    _ name: String, type: AttributeType, isRequired: Bool = false,
    default defaultValue: AttributeValue = .null, renamedFrom earlierName: String? = nil,
    inverse: String? = nil, ownDeleteRule: DeleteRule = .nullify,
    whenTargetDeleted: DeleteRule? = nil,
    isChecked: Bool = false
  ) {
    self.name = name
    self.type = type
    self.isRequired = isRequired
    self.defaultValue = defaultValue
    self.earlierName = earlierName
    self.inverse = inverse
    self.ownDeleteRule = ownDeleteRule
    self.whenTargetDeleted = whenTargetDeleted
    self.isChecked = isChecked
  }
}

extension AttributeDefinition {
  /// The effect that deleting the target has on the record with the reference.
  ///
  /// If ``whenTargetDeleted`` is nil, the rule is `keep` for an ``ownDeleteRule`` of `keep`, and
  /// `nullify` for all others.
  public var targetDeleteRule: DeleteRule {
    whenTargetDeleted ?? (ownDeleteRule == .keep ? .keep : .nullify)
  }

  /// A Boolean value that indicates whether the attribute's type allows the rule in
  /// ``whenTargetDeleted``. Only references can have such a rule, and an array of references cannot
  /// have `cascade`.
  package var isTargetRulePossible: Bool {
    switch type {
    case .reference: true
    case .references: whenTargetDeleted != .cascade
    case .scalar, .array: whenTargetDeleted == nil
    }
  }

  /// The bytes of the default value in a row; nil if the attribute has no default, or if its
  /// default does not fit its type.
  var defaultBytes: [UInt8]? {
    guard !defaultValue.isNull, defaultValue.fits(type) else { return nil }
    var buffer = RowBuffer()
    defaultValue.append(as: type, to: &buffer)
    return buffer.bytes
  }
}

/// A rule for the deletion of the record at one end of a reference.
///
/// The rule ``AttributeDefinition/whenTargetDeleted`` applies when the target is deleted. The rule
/// affects the record that has the reference.
///
/// | rule | if the target is deleted |
/// | --- | --- |
/// | `cascade` | the record is deleted too |
/// | `nullify` | the reference becomes nil; an array loses the reference |
/// | `deny` | the deletion is refused while the record exists and refers to the target |
/// | `keep` | the record keeps the reference, which is read as nil |
///
/// The rule ``AttributeDefinition/ownDeleteRule`` applies when the record with the reference is
/// deleted. The rule affects the target.
///
/// | rule | if the record is deleted |
/// | --- | --- |
/// | `cascade` | the target is deleted too: the record owns it |
/// | `deny` | the deletion is refused while the target exists |
/// | `nullify`, `keep` | the target is unchanged |
///
/// No rule sets a required reference to nil. If the target of a required reference is deleted and
/// the record with the reference is not, the deletion is refused.
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
  case keep = 4

  /// The name of the rule in a text journal. The name of ``keep`` is `none` there.
  public var name: String { self == .keep ? "none" : "\(self)" }

  /// Creates the rule that has a name in a text journal; nil if no rule has this name.
  public init?(name: String) {
    guard let rule = DeleteRule.allCases.first(where: { $0.name == name }) else { return nil }
    self = rule
  }
}
