import DaybookStore
import FoundationEssentials

extension Filter {
  /// The filter that says what a predicate says.
  ///
  /// ```swift
  /// let least = 5
  /// let filter = try Filter(#Predicate<Bank> { $0.state == "CA" && $0.amount > least })
  /// ```
  ///
  /// Comparisons, `&&`, `||` and `!` are understood, Bools standing alone, texts that contain or
  /// begin with others, arrays that contain a value, conditions that some or all of an array's
  /// elements are to meet, `isEmpty` and `count`, and optionals: `!`, `?.` before a condition, `??`
  /// behind one. What they ask is what a filter asks: texts by their scalars, and numbers with NaN
  /// last.
  ///
  /// - Throws: ``FilterError`` with `node` for a part that filters have nothing for
  public init<R: Record>(_ predicate: Predicate<R>) throws(FilterError) {
    var lowering = PredicateLowering()
    lowering.variables[predicate.variable.key] = .record
    self = try lowering.filter(predicate.expression)
  }
}

/// What a part of a predicate says, while the whole is made into a filter.
indirect enum PredicatePart {
  case record
  /// A path, and the type that says what its properties are called.
  case path([String])
  /// How many values a path has.
  case count([String])
  /// Each element of an array, in a closure about it.
  case element
  case value(AttributeValue)
  case filter(Filter)
  /// A condition that has no answer where a path leads to nothing.
  case filterIfThere(Filter, [String])
}

/// A part of a predicate that filters have something for.
protocol LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(FilterError) -> PredicatePart
}

/// Makes a filter of the tree of a predicate.
struct PredicateLowering {
  var variables: [PredicateExpressions.VariableID: PredicatePart] = [:]

  mutating func part(_ node: Any) throws(FilterError) -> PredicatePart {
    guard let node = node as? any LowerableExpression else { throw PredicateLowering.refusal(node) }
    return try node.lowered(in: &self)
  }

  /// The error for a node, by its name without the types that it is made of.
  static func refusal(_ node: Any) -> FilterError {
    let name = "\(type(of: node))"
    return FilterError(.node(String(name.prefix { $0 != "<" })))
  }

  mutating func filter(_ node: Any) throws(FilterError) -> Filter {
    switch try part(node) {
    case .filter(let filter): return filter
    case .value(.bool(let bool)): return bool ? .always : .never
    case .path(let names): return Filter(comparison(.path(names), .equal, .bool(true)))
    default: throw PredicateLowering.refusal(node)
    }
  }

  private func comparison(
    _ left: FilterOperand.Content, _ relation: FilterRelation, _ right: AttributeValue
  ) -> FilterComparison {
    FilterComparison(
      FilterOperand(left), relation, FilterOperand(.constant(.short(right))))
  }

  mutating func operand(_ node: Any) throws(FilterError) -> FilterOperand {
    switch try part(node) {
    case .path(let names): return FilterOperand(.path(names))
    case .count(let names): return FilterOperand(.count(names))
    case .value(let value): return FilterOperand(.constant(.short(value)))
    case .element: return FilterOperand(.path([]))
    default: throw PredicateLowering.refusal(node)
    }
  }

  /// A comparison of two parts, of which one may be a condition itself beside a Bool.
  mutating func compared(
    _ left: Any, _ relation: FilterRelation, _ right: Any
  ) throws(FilterError) -> PredicatePart {
    let isEqual = relation == .equal
    if isEqual || relation == .notEqual {
      let parts = [try part(left), try part(right)]
      for (condition, other) in [(parts[0], parts[1]), (parts[1], parts[0])] {
        guard case .value(let value) = other else { continue }
        switch (condition, value) {
        case (.filter(let filter), .bool(let bool)):
          return .filter(bool == isEqual ? filter : !filter)
        case (.filterIfThere(let filter, let names), .bool(let bool)):
          let there = Filter(comparison(.path(names), .notEqual, .null))
          let isMet = there && (bool ? filter : !filter)
          return .filter(isEqual ? isMet : !isMet)
        case (.filterIfThere(_, let names), .null):
          return .filter(Filter(comparison(.path(names), relation, .null)))
        default: break
        }
      }
    }
    return .filter(Filter(FilterComparison(try operand(left), relation, try operand(right))))
  }

  /// A condition about the elements of an array, which has to be one comparison.
  mutating func quantified(
    _ sequence: Any, _ quantifier: FilterQuantifier, _ variable: PredicateExpressions.VariableID,
    _ test: Any
  ) throws(FilterError) -> PredicatePart {
    guard case .path(let names) = try part(sequence) else {
      throw PredicateLowering.refusal(sequence)
    }
    variables[variable] = .element
    defer { variables[variable] = nil }
    guard case .comparison(var comparison) = try filter(test).tree, comparison.quantifier == nil
    else { throw PredicateLowering.refusal(test) }
    let isElement = { (operand: FilterOperand) in operand.content == .path([]) }
    if isElement(comparison.right), let exchanged = comparison.relation.exchanged {
      swap(&comparison.left, &comparison.right)
      comparison.relation = exchanged
    }
    guard isElement(comparison.left), !isElement(comparison.right) else {
      throw PredicateLowering.refusal(test)
    }
    comparison.left = FilterOperand(.path(names))
    comparison.quantifier = quantifier
    return .filter(Filter(comparison))
  }

  /// What a property of a part is.
  func property<Root, Value>(
    _ keyPath: KeyPath<Root, Value>, of part: PredicatePart, _ node: Any
  ) throws(FilterError) -> PredicatePart {
    switch part {
    case .record:
      guard let type = Root.self as? any Record.Type else { break }
      return .path([PredicateLowering.name(keyPath, type)])
    case .path(let names):
      if keyPath == \String.isEmpty {
        return .filter(Filter(comparison(.path(names), .equal, .string(""))))
      }
      if let type = Root.self as? any CountedList.Type {
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
    throw PredicateLowering.refusal(node)
  }

  private static func name<R: Record>(_ keyPath: AnyKeyPath, _ type: R.Type) -> String {
    guard let keyPath = keyPath as? PartialKeyPath<R> else { return "\(keyPath)" }
    return R.schema.filterName(of: keyPath)
  }

  /// A captured value, whatever its type.
  static func value(_ value: Any, _ node: Any) throws(FilterError) -> PredicatePart {
    if let value = value as? any AttributeRepresentable { return .value(value.attributeValue) }
    throw refusal(node)
  }
}

/// Arrays, whose count filters know.
private protocol CountedList {
  static func isCount(_ keyPath: AnyKeyPath) -> Bool
  static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool
}

extension Array: CountedList {
  static func isCount(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.count }
  static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.isEmpty }
}

/// References, which are compared as their identifiers.
private protocol ReferringAttribute {
  static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool
}

extension Reference: ReferringAttribute {
  static func isIdentifier(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.id }
}
