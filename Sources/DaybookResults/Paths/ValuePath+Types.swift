import DaybookStore

extension ValuePath.End {
  /// The type of the one value that a path ends at, that of the identifier if it is a reference; nil
  /// if there are several.
  var scalarType: ScalarType? {
    switch self {
    case .scalar(let type): type
    case .identifier(let kind): kind.scalarType
    case .reference(let target): target.identifierKind.scalarType
    case .array, .references: nil
    }
  }

  /// How the text journal calls the type.
  var typeName: String {
    switch self {
    case .scalar(let type): type.name
    case .identifier(let kind): kind.name
    case .reference(let target): AttributeType.reference(target).name
    case .array(let type): AttributeType.array(type).name
    case .references(let target): AttributeType.references(target).name
    }
  }
}

extension IdentifierKind {
  /// The type of a value that identifies.
  var scalarType: ScalarType {
    switch self {
    case .int: .int64
    case .uint: .uint64
    case .string: .string
    case .uuid: .uuid
    }
  }
}
