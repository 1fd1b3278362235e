import DaybookStore
import DaybookEssentials

extension Filter {
  /// Creates a filter with the meaning of a predicate.
  ///
  /// ```swift
  /// let least = 5
  /// let filter = Filter(#Predicate<Bank> { $0.state == "CA" && $0.amount > least })
  /// ```
  ///
  /// A filter can express these conditions:
  ///
  /// - comparisons, `&&`, `||` and `!`, and Bools alone
  /// - strings that contain or start with other strings
  /// - arrays that contain a value, and conditions on some or all elements of an array
  /// - `isEmpty` and `count`
  /// - optionals: `!`, `?.` before a condition, and `??` after one
  ///
  /// They have the semantics of a filter. Strings are compared by their scalars, NaN is the
  /// greatest number, nil equals only nil, and a reference to a record that does not exist is nil.
  ///
  /// Foundation evaluates every other condition between `&&`, `||` and `!` on the record. That
  /// takes many times as long, so the filter tests the other conditions first. Such a condition may
  /// use computed properties, if they always return the same value for the same record.
  ///
  /// A condition has no result if its evaluation throws, like `!` for nil, or if a whole number
  /// overflows its type or is divided by zero, where Swift would trap. A record then matches only
  /// if it matches with both possible results of that condition.
  public init<R: Record>(_ predicate: Predicate<R>) {
    var lowering = PredicateLowering(predicate.variable)
    self = lowering.condition(predicate.expression).rooted(in: R.schema.entity)
  }

  /// Returns the filter with its paths marked as properties of an entity's records.
  private func rooted(in entity: String) -> Filter {
    switch tree {
    case .constant, .evaluated: return self
    case .not(let filter): return !filter.rooted(in: entity)
    case .all(let filters): return .all(of: filters.map { $0.rooted(in: entity) })
    case .any(let filters): return .any(of: filters.map { $0.rooted(in: entity) })
    case .comparison(var comparison):
      comparison.left.place.root = entity
      comparison.right.place.root = entity
      return Filter(comparison)
    }
  }
}

/// A part of a predicate during its conversion to a filter.
indirect enum PredicatePart {
  case record
  /// A path of names from the record.
  case path([String])
  /// The number of values at a path.
  case count([String])
  /// An element of an array, in a closure about the elements.
  case element
  case value(AttributeValue)
  case filter(Filter)
  /// A condition that has no result where a path leads to nil.
  case filterIfThere(Filter, [String])
}

/// A part of a predicate that filters can express.
protocol LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart
}

/// The error for a part of a predicate that filters cannot express.
struct Unlowered: Error {
  /// The name of the part's type, without generic arguments.
  let name: String

  init(_ node: Any) { name = String("\(type(of: node))".prefix { $0 != "<" }) }
}

/// Converts the expression tree of a predicate to a filter.
struct PredicateLowering {
  var variables: [PredicateExpressions.VariableID: PredicatePart]
  private let evaluated: (any StandardPredicateExpression<Bool>, Unlowered) -> EvaluatedPredicate

  init<R: Record>(_ variable: PredicateExpressions.Variable<R>) {
    variables = [variable.key: .record]
    evaluated = { EvaluatedPredicate($0, of: variable, obstacle: $1.name) }
  }

  mutating func part(_ node: Any) throws(Unlowered) -> PredicatePart {
    guard let node = node as? any LowerableExpression else { throw Unlowered(node) }
    return try node.lowered(in: &self)
  }

  // MARK: Conditions

  /// Returns a condition about the record. If it cannot be lowered, it is evaluated.
  mutating func condition(_ node: any StandardPredicateExpression<Bool>) -> Filter {
    do throws(Unlowered) { return try lowered(node) } catch {
      return Filter(evaluated(node, error))
    }
  }

  /// Returns a condition. Inside a closure of the predicate it must be lowered: if it were
  /// evaluated alone, the parameter of the closure would have no value.
  mutating func filter(_ node: Any) throws(Unlowered) -> Filter {
    guard variables.count == 1, let node = node as? any StandardPredicateExpression<Bool> else {
      return try lowered(node)
    }
    return condition(node)
  }

  private mutating func lowered(_ node: Any) throws(Unlowered) -> Filter {
    switch try part(node) {
    case .filter(let filter): return filter
    case .value(.bool(let bool)): return bool ? .always : .never
    case .path(let names):
      return Filter(comparison(.path(names), relation: .equal, right: .bool(true)))
    default: throw Unlowered(node)
    }
  }

  // MARK: Comparisons

  func comparison(
    _ left: FilterOperand.Content, relation: FilterRelation, right: AttributeValue
  ) -> FilterComparison {
    FilterComparison(
      FilterOperand(left), relation: relation, right: FilterOperand(.constant(.short(right))))
  }

  mutating func operand(_ node: Any) throws(Unlowered) -> FilterOperand {
    try operand(try part(node), of: node)
  }

  private func operand(_ part: PredicatePart, of node: Any) throws(Unlowered) -> FilterOperand {
    switch part {
    case .path(let names): FilterOperand(.path(names))
    case .count(let names): FilterOperand(.count(names))
    case .value(let value): FilterOperand(.constant(.short(value)))
    case .element: FilterOperand(.path([]))
    default: throw Unlowered(node)
    }
  }

  /// Returns the comparison of two parts. If one part is a Bool, the other may be a condition.
  mutating func compared(
    _ left: Any, relation: FilterRelation, right: Any
  ) throws(Unlowered) -> PredicatePart {
    let isEqual = relation == .equal
    let (leftPart, rightPart) = (try part(left), try part(right))
    if isEqual || relation == .notEqual {
      for (condition, other) in [(leftPart, rightPart), (rightPart, leftPart)] {
        guard case .value(let value) = other else { continue }
        switch (condition, value) {
        case (.filter(let filter), .bool(let bool)):
          return .filter(bool == isEqual ? filter : !filter)
        case (.filterIfThere(let filter, let names), .bool(let bool)):
          let there = Filter(comparison(.path(names), relation: .notEqual, right: .null))
          let isMet = there && (bool ? filter : !filter)
          return .filter(isEqual ? isMet : !isMet)
        case (.filterIfThere(_, let names), .null):
          return .filter(Filter(comparison(.path(names), relation: relation, right: .null)))
        default: break
        }
      }
    }
    let (one, other) = (try operand(leftPart, of: left), try operand(rightPart, of: right))
    // An attribute of several values as a whole is only compared with nil.
    if PredicateLowering.givesLists(left), one.content != .constant(.null),
      other.content != .constant(.null)
    {
      throw Unlowered(left)
    }
    return .filter(Filter(FilterComparison(one, relation: relation, right: other)))
  }

  /// Returns a condition about the elements of an array, which must be a single comparison.
  mutating func quantified(
    _ sequence: Any, quantifier: FilterQuantifier, variable: PredicateExpressions.VariableID,
    test: Any
  ) throws(Unlowered) -> PredicatePart {
    guard case .path(let names) = try part(sequence) else { throw Unlowered(sequence) }
    variables[variable] = .element
    defer { variables[variable] = nil }
    guard case .comparison(var comparison) = try filter(test).tree, comparison.quantifier == nil
    else { throw Unlowered(test) }
    let isElement = { (operand: FilterOperand) in operand.content == .path([]) }
    if isElement(comparison.right), let exchanged = comparison.relation.exchanged {
      swap(&comparison.left, &comparison.right)
      comparison.relation = exchanged
    }
    guard isElement(comparison.left), !isElement(comparison.right) else { throw Unlowered(test) }
    comparison.left = FilterOperand(.path(names))
    comparison.quantifier = quantifier
    return .filter(Filter(comparison))
  }
}
