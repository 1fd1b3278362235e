import DaybookEssentials

// The parts of predicates about collections. The checked form of a part performs the same operation
// on checked operands.

extension PredicateExpressions.Range: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    let (lower, upper) = (CheckedExpression(lower), CheckedExpression(upper))
    return CheckedExpression {
      let (lower, upper) = (try lower.evaluate($0), try upper.evaluate($0))
      guard lower <= upper else { throw NoResult("\(lower)..<\(upper) is not a valid range") }
      return lower..<upper
    }
  }
}

extension PredicateExpressions.ClosedRange: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    let (lower, upper) = (CheckedExpression(lower), CheckedExpression(upper))
    return CheckedExpression {
      let (lower, upper) = (try lower.evaluate($0), try upper.evaluate($0))
      guard lower <= upper else { throw NoResult("\(lower)...\(upper) is not a valid range") }
      return lower...upper
    }
  }
}

extension PredicateExpressions.RangeExpressionContains: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(range, and: element).map { range, element in
      CheckedExpression { try range.evaluate($0).contains(element.evaluate($0)) }
    }
  }
}

extension PredicateExpressions.SequenceContains: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(sequence, and: element).map { sequence, element in
      CheckedExpression { try sequence.evaluate($0).contains(element.evaluate($0)) }
    }
  }
}

extension PredicateExpressions.SequenceStartsWith: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(base, and: prefix).map { base, prefix in
      CheckedExpression { try base.evaluate($0).starts(with: prefix.evaluate($0)) }
    }
  }
}

extension PredicateExpressions.CollectionContainsCollection: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(base, and: other).map {
      CheckedExpression(
        PredicateExpressions.CollectionContainsCollection(base: $0, other: $1).evaluate)
    }
  }
}

extension PredicateExpressions.StringContainsRegex: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(subject, and: regex).map {
      CheckedExpression(PredicateExpressions.StringContainsRegex(subject: $0, regex: $1).evaluate)
    }
  }
}

extension PredicateExpressions.CollectionIndexSubscript: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(wrapped, and: index).map {
      CheckedExpression(
        PredicateExpressions.CollectionIndexSubscript(wrapped: $0, index: $1).evaluate)
    }
  }
}

extension PredicateExpressions.CollectionRangeSubscript: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(wrapped, and: range).map {
      CheckedExpression(
        PredicateExpressions.CollectionRangeSubscript(wrapped: $0, range: $1).evaluate)
    }
  }
}

extension PredicateExpressions.DictionaryKeySubscript: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(wrapped, and: key).map { wrapped, key in
      CheckedExpression { try wrapped.evaluate($0)[key.evaluate($0)] }
    }
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    let (form, forms) = (CheckedExpression.form(of: `default`), forms(wrapped, and: key))
    if form == nil, forms == nil { return nil }
    let wrapped = forms?.0 ?? CheckedExpression(wrapped.evaluate)
    let key = forms?.1 ?? CheckedExpression(key.evaluate)
    let other = form ?? CheckedExpression(`default`.evaluate)
    return CheckedExpression {
      try wrapped.evaluate($0)[key.evaluate($0)] ?? other.evaluate($0)
    }
  }
}

extension PredicateExpressions.SequenceMinimum: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    CheckedExpression.form(of: elements).map { elements in
      CheckedExpression { try elements.evaluate($0).min() }
    }
  }
}

extension PredicateExpressions.SequenceMaximum: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    CheckedExpression.form(of: elements).map { elements in
      CheckedExpression { try elements.evaluate($0).max() }
    }
  }
}

// MARK: Closures

extension PredicateExpressions.SequenceContainsWhere: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(sequence, and: test).map { sequence, test in
      CheckedExpression { [variable] bindings in
        try sequence.evaluate(bindings).contains {
          try test.evaluate(bindings.binding(variable, to: $0))
        }
      }
    }
  }
}

extension PredicateExpressions.SequenceAllSatisfy: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(sequence, and: test).map { sequence, test in
      CheckedExpression { [variable] bindings in
        try sequence.evaluate(bindings).allSatisfy {
          try test.evaluate(bindings.binding(variable, to: $0))
        }
      }
    }
  }
}

extension PredicateExpressions.Filter: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(sequence, and: filter).map { sequence, filter in
      CheckedExpression { [variable] bindings in
        try sequence.evaluate(bindings).filter {
          try filter.evaluate(bindings.binding(variable, to: $0))
        }
      }
    }
  }
}

// The other composite parts of predicates. Their operands may compute whole numbers, so the checked
// form of a part performs the same operation on checked operands.

extension PredicateExpressions.Conjunction: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, and: rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) && other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.Disjunction: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, and: rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) || other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.Negation: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    CheckedExpression.form(of: wrapped).map { wrapped in
      CheckedExpression { try !wrapped.evaluate($0) }
    }
  }
}

extension PredicateExpressions.Conditional: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    let (form, forms) = (CheckedExpression.form(of: test), forms(trueBranch, and: falseBranch))
    if form == nil, forms == nil { return nil }
    let test = form ?? CheckedExpression(test.evaluate)
    let one = forms?.0 ?? CheckedExpression(trueBranch.evaluate)
    let other = forms?.1 ?? CheckedExpression(falseBranch.evaluate)
    return CheckedExpression { try test.evaluate($0) ? one.evaluate($0) : other.evaluate($0) }
  }
}

extension PredicateExpressions.Equal: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, and: rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) == other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.NotEqual: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, and: rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) != other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.Comparison: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, and: rhs).map {
      CheckedExpression(PredicateExpressions.Comparison(lhs: $0, rhs: $1, op: op).evaluate)
    }
  }
}

extension PredicateExpressions.FloatDivision: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, and: rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) / other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.KeyPath: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    CheckedExpression.form(of: root).map { root in
      CheckedExpression { [keyPath] in try root.evaluate($0)[keyPath: keyPath] }
    }
  }
}

// MARK: Optionals and types

extension PredicateExpressions.NilCoalesce: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, and: rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) ?? other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    CheckedExpression.form(of: inner).map {
      CheckedExpression(PredicateExpressions.ForcedUnwrap($0).evaluate)
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(wrapped, and: transform).map { wrapped, transform in
      CheckedExpression { [variable] bindings in
        try wrapped.evaluate(bindings).flatMap { value in
          let result: Any = try transform.evaluate(bindings.binding(variable, to: value))
          return result as? Result
        }
      }
    }
  }
}

extension PredicateExpressions.ConditionalCast: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    CheckedExpression.form(of: input).map {
      CheckedExpression(PredicateExpressions.ConditionalCast<_, Desired>($0).evaluate)
    }
  }
}

extension PredicateExpressions.ForceCast: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    CheckedExpression.form(of: input).map {
      CheckedExpression(PredicateExpressions.ForceCast<_, Desired>($0).evaluate)
    }
  }
}

extension PredicateExpressions.TypeCheck: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    CheckedExpression.form(of: input).map {
      CheckedExpression(PredicateExpressions.TypeCheck<_, Desired>($0).evaluate)
    }
  }
}
