import DaybookStore
import DaybookEssentials

// The parts of predicates that filters have something for, each with what it becomes. Conditions
// that have anything else in them are evaluated.

extension PredicateExpressions.Variable: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard let part = lowering.variables[key] else { throw Unlowered(self) }
    return part
  }
}

extension PredicateExpressions.Value: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    try PredicateLowering.value(value, self)
  }
}

extension PredicateExpressions.NilLiteral: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    .value(.null)
  }
}

extension PredicateExpressions.KeyPath: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    // A property of something captured is read now.
    if let captured = root as? any CapturedExpression, let value = captured.captured as? Root.Output
    {
      return try PredicateLowering.value(value[keyPath: keyPath], self)
    }
    return try lowering.property(keyPath, of: try lowering.part(root), self)
  }
}

/// What a predicate has captured, or a property of that.
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
    try lowering.compared(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.NotEqual: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    try lowering.compared(lhs, .notEqual, rhs)
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
    return try lowering.compared(lhs, relation, rhs)
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
    case .filter(let filter): return .filterIfThere(filter, names)
    // The identifier of a reference, for which its own path stands.
    case .path(let path) where path == names: return .path(names)
    // Anything else is something even where the optional is nil.
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
    case .filterIfThere(let condition, let path): (filter, names) = (condition, path)
    case .path(let path):
      filter = Filter(
        FilterComparison(
          FilterOperand(.path(path)), .equal, FilterOperand(.constant(FilterConstant(.bool(true)))))
      )
      names = path
    default: throw Unlowered(self)
    }
    func isThere(_ relation: FilterRelation) -> Filter {
      Filter(
        FilterComparison(FilterOperand(.path(names)), relation, FilterOperand(.constant(.null))))
    }
    return .filter(otherwise ? isThere(.equal) || filter : isThere(.notEqual) && filter)
  }
}

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard Base.Output.self is any StringProtocol.Type else { throw Unlowered(self) }
    return try lowering.compared(base, .contains, other)
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard Base.Output.self is any StringProtocol.Type else { throw Unlowered(self) }
    return try lowering.compared(base, .beginsWith, prefix)
  }
}

extension PredicateExpressions.SequenceContains: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard PredicateLowering.isList(LHS.Output.self) else { throw Unlowered(self) }
    let list = try lowering.operand(sequence)
    let value = try lowering.operand(element)
    if case .constant = list.content {
      return .filter(Filter(FilterComparison(value, .isIn, list)))
    }
    return .filter(Filter(FilterComparison(list, .equal, value, quantifier: .any)))
  }
}

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard PredicateLowering.isList(LHS.Output.self) else { throw Unlowered(self) }
    return try lowering.quantified(sequence, .any, variable.key, test)
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
  func lowered(in lowering: inout PredicateLowering) throws(Unlowered) -> PredicatePart {
    guard PredicateLowering.isList(LHS.Output.self) else { throw Unlowered(self) }
    return try lowering.quantified(sequence, .all, variable.key, test)
  }
}
