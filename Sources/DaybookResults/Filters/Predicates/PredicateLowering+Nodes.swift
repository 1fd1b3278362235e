import DaybookStore
import DaybookEssentials

// The parts of Swift predicates that filters can express, and their conversions. If a condition
// contains any other part, the nearest condition around that part is evaluated on records.

extension PredicateExpressions.Variable: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard let part = lowering.variables[key] else { throw Unlowered(self) }
    return part
  }
}

extension PredicateExpressions.Value: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    try PredicateLowering.value(value, of: self)
  }
}

extension PredicateExpressions.NilLiteral: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    .value(.null)
  }
}

extension PredicateExpressions.KeyPath: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    // A property of a captured value is read once, when the filter is created.
    if let captured = root as? any CapturedExpression, let value = captured.captured as? Root.Output
    {
      return try PredicateLowering.value(value[keyPath: keyPath], of: self)
    }
    return try lowering.property(keyPath, of: try lowering.part(root), node: self)
  }
}

/// A captured value of a predicate, or a property of such a value.
private protocol CapturedExpression {
  var captured: Any? { get }
}

extension PredicateExpressions.Value: CapturedExpression {
  fileprivate var captured: Any? { value }
}

extension PredicateExpressions.KeyPath: CapturedExpression {
  fileprivate var captured: Any? {
    guard let value = (root as? any CapturedExpression)?.captured as? Root.Output else {
      return nil
    }
    return value[keyPath: keyPath]
  }
}

extension PredicateExpressions.Conjunction: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    .filter(try lowering.filter(lhs) && lowering.filter(rhs))
  }
}

extension PredicateExpressions.Disjunction: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    .filter(try lowering.filter(lhs) || lowering.filter(rhs))
  }
}

extension PredicateExpressions.Negation: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    .filter(!(try lowering.filter(wrapped)))
  }
}

extension PredicateExpressions.Equal: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    try lowering.compared(lhs, relation: .equal, right: rhs)
  }
}

extension PredicateExpressions.NotEqual: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    try lowering.compared(lhs, relation: .notEqual, right: rhs)
  }
}

extension PredicateExpressions.Comparison: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard PredicateLowering.isOrderedAlike(LHS.Output.self) else { throw Unlowered(self) }
    let relation: FilterRelation =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw Unlowered(self)
      }
    return try lowering.compared(lhs, relation: relation, right: rhs)
  }
}

extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    try lowering.part(inner)
  }
}

extension PredicateExpressions.OptionalFlatMap: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard case .path(let names) = try lowering.part(wrapped) else {
      throw Unlowered(self)
    }
    lowering.variables[variable.key] = .path(names)
    defer { lowering.variables[variable.key] = nil }
    switch try lowering.part(transform) {
    case .filter(let filter): return .filterIfNotNil(filter, names)
    // The identifier of a reference has the path of the reference, because filters compare
    // references by their identifiers.
    case .path(let path) where path == names: return .path(names)
    // For a nil optional, Swift gives nil, but a filter may give any other part a value, for
    // example the count 0.
    default: throw Unlowered(self)
    }
  }
}

extension PredicateExpressions.NilCoalesce: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard case .value(.bool(let otherwise)) = try lowering.part(rhs) else {
      throw Unlowered(self)
    }
    let (filter, names): (Filter, [String])
    switch try lowering.part(lhs) {
    case .filterIfNotNil(let condition, let path): (filter, names) = (condition, path)
    case .path(let path):
      filter = Filter(
        FilterComparison(
          FilterOperand(.path(path)), relation: .equal,
          right: FilterOperand(.constant(FilterConstant(.bool(true)))))
      )
      names = path
    default: throw Unlowered(self)
    }
    func exists(_ relation: FilterRelation) -> Filter {
      Filter(
        FilterComparison(
          FilterOperand(.path(names)), relation: relation, right: FilterOperand(.constant(.null))))
    }
    return .filter(otherwise ? exists(.equal) || filter : exists(.notEqual) && filter)
  }
}

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard Base.Output.self is any StringProtocol.Type else { throw Unlowered(self) }
    return try lowering.compared(base, relation: .contains, right: other)
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard Base.Output.self is any StringProtocol.Type else { throw Unlowered(self) }
    return try lowering.compared(base, relation: .beginsWith, right: prefix)
  }
}

extension PredicateExpressions.SequenceContains: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard PredicateLowering.isList(LHS.Output.self) else { throw Unlowered(self) }
    let (listPart, valuePart) = (try lowering.part(sequence), try lowering.part(element))
    if let filter = PredicateLowering.result(valuePart, relation: .isIn, right: listPart) {
      return .filter(filter)
    }
    let list = try lowering.operand(listPart, of: sequence)
    let value = try lowering.operand(valuePart, of: element)
    if case .constant = list.content {
      return .filter(Filter(FilterComparison(value, relation: .isIn, right: list)))
    }
    return .filter(Filter(FilterComparison(list, relation: .equal, right: value, quantifier: .any)))
  }
}

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard PredicateLowering.isList(LHS.Output.self) else { throw Unlowered(self) }
    return try lowering.quantified(
      sequence, quantifier: .any, variable: variable.key, test: test)
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard PredicateLowering.isList(LHS.Output.self) else { throw Unlowered(self) }
    return try lowering.quantified(
      sequence, quantifier: .all, variable: variable.key, test: test)
  }
}

/// These methods convert properties and captured values, and test types.
extension PredicateLowering {
  /// Returns the converted part for a property; `part` is the converted part that has the property.
  func property<Root, Value>(
    _ keyPath: KeyPath<Root, Value>, of part: PredicatePart, node: Any
  ) throws(Unlowered) -> PredicatePart {
    switch part {
    case .record:
      guard let type = Root.self as? any Record.Type,
        let name = PredicateLowering.name(of: keyPath, in: type)
      else { break }
      return .path([name])
    case .path(let names):
      if keyPath == \String.isEmpty {
        return .filter(Filter(comparison(.path(names), relation: .equal, right: .string(""))))
      }
      if let type = Root.self as? any SeveralValues.Type {
        if type.isCount(keyPath) { return .count(names) }
        if type.isEmptiness(keyPath) {
          return .filter(Filter(comparison(.count(names), relation: .equal, right: .int(0))))
        }
      }
      if let type = Root.self as? any ReferringAttribute.Type, type.isIdentifier(keyPath) {
        return .path(names)
      }
    default: break
    }
    throw Unlowered(node)
  }

  /// Returns the name that a filter uses for a property of a record; nil for a computed property
  /// other than `id`.
  ///
  /// A stored property that is not an attribute has no value in rows, so a predicate with it could
  /// not be evaluated. The name of such a property is never the name of an attribute, so the
  /// request throws an error.
  private static func name<R: Record>(of keyPath: AnyKeyPath, in type: R.Type) -> String? {
    guard let keyPath = keyPath as? PartialKeyPath<R> else { return nil }
    let name = R.schema.filterName(of: keyPath)
    let isAttribute = name == "id" || R.schema.attribute(at: keyPath) != nil
    return isAttribute || MemoryLayout<R>.offset(of: keyPath) != nil ? name : nil
  }

  /// Returns the converted part for a captured value; throws an error if the type of the value
  /// cannot be an attribute.
  static func value(_ value: Any, of node: Any) throws(Unlowered) -> PredicatePart {
    if let value = value as? any AttributeRepresentable { return .value(value.attributeValue) }
    throw Unlowered(node)
  }

  // MARK: Types

  /// Returns whether the values of a type are arrays or optional arrays.
  static func isList(_ type: Any.Type) -> Bool { type is any SeveralValues.Type }

  /// Returns whether the values of a part are arrays or optional arrays.
  static func givesLists(_ node: Any) -> Bool {
    func isList<Expression: PredicateExpression>(_ node: Expression) -> Bool {
      PredicateLowering.isList(Expression.Output.self)
    }
    return (node as? any PredicateExpression).map { isList($0) } ?? false
  }

  /// Returns whether filters sort the values of a type in the order of the type, except NaN and
  /// strings that are not in NFC. A different type, for example an enumeration, can be the type of
  /// an attribute, but may define a different order.
  static func isOrderedAlike(_ type: Any.Type) -> Bool {
    type is any FixedWidthInteger.Type || type is any BinaryFloatingPoint.Type
      || type == Decimal.self || type == String.self || type == Date.self || type == UUID.self
  }
}

/// The types of attributes with several values: arrays and optional arrays. Filters can express the
/// count of an array.
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

/// The types of references, which are compared by their identifiers.
private protocol ReferringAttribute {
  static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool
}

extension Reference: ReferringAttribute {
  static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.id }
}
