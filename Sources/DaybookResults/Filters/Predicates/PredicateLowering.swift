import DaybookStore
import DaybookEssentials

extension Filter {
  /// The filter that says what a predicate says.
  ///
  /// ```swift
  /// let least = 5
  /// let filter = Filter(#Predicate<Bank> { $0.state == "CA" && $0.amount > least })
  /// ```
  ///
  /// Comparisons, `&&`, `||` and `!` are understood, Bools standing alone, texts that contain or
  /// begin with others, arrays that contain a value, conditions that some or all of an array's
  /// elements are to meet, `isEmpty` and `count`, and optionals: `!`, `?.` before a condition, `??`
  /// behind one. What they ask is what a filter asks: texts by their scalars, numbers with NaN last,
  /// no value as equal to no value alone, and a reference to a record that is not there as none.
  ///
  /// Any other condition between `&&`, `||` and `!` is evaluated on the record, as Foundation does it.
  /// That takes many times as long, so conditions that are understood are asked first. Properties that
  /// are computed of attributes may stand there, as long as the same record always answers the same.
  ///
  /// There is no answer if evaluating throws, as `!` does for nil, or if a whole number leaves its type
  /// or is divided by zero, where Swift would trap. A record then matches only if it does whatever the
  /// answer were.
  public init<R: Record>(_ predicate: Predicate<R>) {
    var lowering = PredicateLowering(predicate.variable)
    self = lowering.condition(predicate.expression).rooted(in: R.schema.entity)
  }

  /// The same, as made of properties of an entity's records.
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
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart
}

/// A part of a predicate that filters have nothing for.
struct Unlowered: Error {
  /// What it is called, without the types that it is made of.
  let name: String

  init(_ node: Any) { name = String("\(type(of: node))".prefix { $0 != "<" }) }
}

/// Makes a filter of the tree of a predicate.
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

  /// A condition about the record, which is evaluated if it cannot be lowered.
  mutating func condition(_ node: any StandardPredicateExpression<Bool>) -> Filter {
    do throws(Unlowered) { return try lowered(node) } catch {
      return Filter(evaluated(node, error))
    }
  }

  /// A condition. In a closure of the predicate it can only be lowered: evaluated alone, it would not
  /// have what the closure is given.
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

  /// A comparison of two parts, of which one may be a condition itself beside a Bool.
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
    // Of several values as a whole it is only asked whether they are nil.
    if PredicateLowering.givesLists(left), one.content != .constant(.null),
      other.content != .constant(.null)
    {
      throw Unlowered(left)
    }
    return .filter(Filter(FilterComparison(one, relation: relation, right: other)))
  }

  /// A condition about the elements of an array, which has to be one comparison.
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
