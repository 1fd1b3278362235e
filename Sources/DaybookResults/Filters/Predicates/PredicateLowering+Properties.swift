import DaybookStore
import DaybookEssentials

/// Properties of records and values, captured values, and what their types say of them.
extension PredicateLowering {
  /// What a property of a part is.
  func property<Root, Value>(
    _ keyPath: KeyPath<Root, Value>, of part: PredicatePart, _ node: Any
  ) throws(Unlowered) -> PredicatePart {
    switch part {
    case .record:
      guard let type = Root.self as? any Record.Type,
        let name = PredicateLowering.name(keyPath, type)
      else { break }
      return .path([name])
    case .path(let names):
      if keyPath == \String.isEmpty {
        return .filter(Filter(comparison(.path(names), .equal, .string(""))))
      }
      if let type = Root.self as? any SeveralValues.Type {
        if type.isCount(keyPath) { return .count(names) }
        if type.isEmptiness(keyPath) {
          return .filter(Filter(comparison(.count(names), .equal, .int(0))))
        }
      }
      if let type = Root.self as? any ReferringAttribute.Type, type.isIdentifier(keyPath) {
        return .path(names)
      }
    default: break
    }
    throw Unlowered(node)
  }

  /// What a filter calls a property of a record; nil for one that is computed.
  ///
  /// One that is stored, but is no attribute, has no value that a predicate could be evaluated for. It
  /// gets a name that no attribute has, so that it is found out when a request is made.
  private static func name<R: Record>(_ keyPath: AnyKeyPath, _ type: R.Type) -> String? {
    guard let keyPath = keyPath as? PartialKeyPath<R> else { return nil }
    let name = R.schema.filterName(of: keyPath)
    let isAttribute = name == "id" || R.schema.attribute(at: keyPath) != nil
    return isAttribute || MemoryLayout<R>.offset(of: keyPath) != nil ? name : nil
  }

  /// A captured value, whatever its type.
  static func value(_ value: Any, _ node: Any) throws(Unlowered) -> PredicatePart {
    if let value = value as? any AttributeRepresentable { return .value(value.attributeValue) }
    throw Unlowered(node)
  }

  // MARK: Types

  /// Whether the values of a type are arrays, or optional ones.
  static func isList(_ type: Any.Type) -> Bool { type is any SeveralValues.Type }

  /// Whether the values of a part are arrays, or optional ones.
  static func givesLists(_ node: Any) -> Bool {
    func isList<Expression: PredicateExpression>(_ node: Expression) -> Bool {
      PredicateLowering.isList(Expression.Output.self)
    }
    return (node as? any PredicateExpression).map { isList($0) } ?? false
  }

  /// Whether the values of a type are in the order in which a filter has them. Other types may be
  /// attributes too, and have an order of their own.
  static func isOrderedAlike(_ type: Any.Type) -> Bool {
    type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type
      || type == Decimal.self || type == String.self || type == Date.self || type == UUID.self
  }
}

/// Arrays, whose count filters know, and optional ones.
private protocol SeveralValues {
  static func isCount(_ keyPath: AnyKeyPath) -> Bool
  static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool
}

extension Array: SeveralValues {
  static func isCount(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.count }
  static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.isEmpty }
}

extension Optional: SeveralValues where Wrapped: SeveralValues {
  static func isCount(_ keyPath: AnyKeyPath) -> Bool { false }
  static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool { false }
}

/// References, which are compared as their identifiers.
private protocol ReferringAttribute {
  static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool
}

extension Reference: ReferringAttribute {
  static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.id }
}
