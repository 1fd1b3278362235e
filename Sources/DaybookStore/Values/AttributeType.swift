/// What an attribute of a record may hold.
public enum AttributeType: Hashable, Sendable {
  /// One value.
  case scalar(ScalarType)
  /// Any number of values, in order.
  case array(ScalarType)
  /// The identifier of one record of an entity.
  case reference(EntityReference)
  /// The identifiers of any number of records of an entity, in order.
  case references(EntityReference)

  /// How many bytes each value takes in a row, or nil if that depends on the value.
  package var byteCount: Int? {
    switch self {
    case .scalar(let type): type.byteCount
    case .reference(let target): target.identifierKind.byteCount
    case .array, .references: nil
    }
  }

  /// The entity that this refers to, if it does.
  public var target: EntityReference? {
    switch self {
    case .reference(let target), .references(let target): target
    case .scalar, .array: nil
    }
  }

  /// How the text journal calls it: `string`, `[int32]`, `ref:Bank`, `refs:Bank`.
  public var name: String {
    switch self {
    case .scalar(let type): type.name
    case .array(let type): "[\(type.name)]"
    case .reference(let target): "ref:\(target.entity)"
    case .references(let target): "refs:\(target.entity)"
    }
  }
}

/// The entity that a reference leads to, and what its identifiers are.
public struct EntityReference: Hashable, Sendable {
  /// The entity's name.
  public var entity: String
  /// What identifies its records.
  public var identifierKind: IdentifierKind

  /// A reference to an entity.
  public init(_ entity: String, identifierKind: IdentifierKind) {
    self.entity = entity
    self.identifierKind = identifierKind
  }
}
