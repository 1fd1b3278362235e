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
  /// The conditions of this list have the semantics of a filter, which can differ from Swift.
  /// Strings are compared by their scalars. NaN is the greatest number, and nil equals only nil. A
  /// reference to a record that does not exist is nil.
  ///
  /// Every other condition between `&&`, `||` and `!` is evaluated by Foundation on the record.
  /// Such an evaluation takes much longer, so the filter tests the conditions of the list above
  /// first. An evaluated condition may use computed properties if they always return the same value
  /// for the same record.
  ///
  /// An evaluated condition has no result if its evaluation throws an error, as `!` does for nil.
  /// The condition also has no result if Swift would trap, because a whole number overflows its
  /// type or is divided by zero. A record then matches only if it matches with both possible
  /// results of that condition.
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
      comparison.left.position.root = entity
      comparison.right.position.root = entity
      return Filter(comparison)
    }
  }
}

/// A converted part of a predicate, during the conversion of the predicate to a filter.
indirect enum PredicatePart {
  case record
  /// A path of names from the record.
  case path([String])
  /// The number of values at a path.
  case count([String])
  /// The element of an array, in a closure that tests each element.
  case element
  case value(AttributeValue)
  case filter(Filter)
  /// A condition that has no result if the value at the end of a path is nil, as in
  /// `$0.name?.isEmpty`.
  case filterIfNotNil(Filter, [String])
}

/// A part of a predicate that filters can express.
protocol LowerableExpression {
  /// Returns the converted part, or throws the error for a part that filters cannot express.
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart
}

/// The error for a part of a predicate that filters cannot express.
struct Unlowered: Error {
  /// The name of the part's type, without generic arguments.
  let name: String

  init(_ node: Any) { name = String("\(type(of: node))".prefix { $0 != "<" }) }
}

/// The conversion of a predicate's expression tree to a filter, which is called *lowering*.
/// `Filter.init(_:)` creates one for each predicate.
///
/// Each part that conforms to ``LowerableExpression`` is lowered to a ``PredicatePart``. A part
/// that filters cannot express throws ``Unlowered``. The nearest condition around it is then
/// evaluated on records instead.
struct PredicateLowering {
  var variables: [PredicateExpressions.VariableID: PredicatePart]
  private let evaluated: (any StandardPredicateExpression<Bool>, Unlowered) -> EvaluatedPredicate

  init<R: Record>(_ variable: PredicateExpressions.Variable<R>) {
    variables = [variable.key: .record]
    evaluated = { EvaluatedPredicate($0, of: variable, obstacle: $1.name) }
  }

  /// Returns the converted part for a part of the expression tree.
  mutating func part(_ node: Any) throws(Unlowered) -> PredicatePart {
    guard let node = node as? any LowerableExpression else { throw Unlowered(node) }
    return try node.lowered(in: &self)
  }

  // MARK: Conditions

  /// Returns the filter for a condition about the record. A condition that cannot be lowered
  /// becomes a filter that evaluates it.
  mutating func condition(_ node: any StandardPredicateExpression<Bool>) -> Filter {
    do throws(Unlowered) { return try lowered(node) } catch {
      return Filter(evaluated(node, error))
    }
  }

  /// Returns the filter for a condition. Inside a closure of the predicate, the condition must be
  /// lowered: if it were evaluated alone, the parameter of the closure would have no value.
  mutating func filter(_ node: Any) throws(Unlowered) -> Filter {
    guard variables.count == 1, let node = node as? any StandardPredicateExpression<Bool> else {
      return try lowered(node)
    }
    return condition(node)
  }

  /// Returns the filter for a part that is a condition. Throws an error if filters cannot express
  /// it.
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

  func operand(_ part: PredicatePart, of node: Any) throws(Unlowered) -> FilterOperand {
    switch part {
    case .path(let names): FilterOperand(.path(names))
    case .count(let names): FilterOperand(.count(names))
    case .value(let value): FilterOperand(.constant(.short(value)))
    case .element: FilterOperand(.path([]))
    default: throw Unlowered(node)
    }
  }

  /// Returns the comparison of two parts. If one part is a Bool constant, the other part may be a
  /// condition.
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
        case (.filterIfNotNil(let filter, let names), .bool(let bool)):
          let isNotNil = Filter(comparison(.path(names), relation: .notEqual, right: .null))
          let isMet = isNotNil && (bool ? filter : !filter)
          return .filter(isEqual ? isMet : !isMet)
        case (.filterIfNotNil(_, let names), .null):
          return .filter(Filter(comparison(.path(names), relation: relation, right: .null)))
        default: break
        }
      }
    }
    if let filter = PredicateLowering.result(leftPart, relation: relation, right: rightPart) {
      return .filter(filter)
    }
    let (one, other) = (try operand(leftPart, of: left), try operand(rightPart, of: right))
    // An attribute with several values as a whole can be compared only with nil.
    if PredicateLowering.givesLists(left), one.content != .constant(.null),
      other.content != .constant(.null)
    {
      throw Unlowered(left)
    }
    return .filter(Filter(FilterComparison(one, relation: relation, right: other)))
  }

  /// Returns the constant filter for the comparison of two captured values; nil for other parts,
  /// and for two lists. A filter cannot contain a comparison of two constants.
  static func result(
    _ left: PredicatePart, relation: FilterRelation, right: PredicatePart
  ) -> Filter? {
    guard case .value(let one) = left, case .value(let other) = right else { return nil }
    let (plainOne, plainOther) = (plain(one), plain(other))
    if case .array = plainOne, !plainOther.isNull { return nil }
    return relation.holds(between: plainOne, and: plainOther) ? .always : .never
  }

  /// Returns a value with identifiers in place of references.
  private static func plain(_ value: AttributeValue) -> AttributeValue {
    switch value {
    case .reference: FilterConstant(value).value
    case .array(let members): .array(members.map { plain($0) })
    default: value
    }
  }

  /// Returns the filter for a condition about the elements of an array. The condition must be a
  /// single comparison.
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
