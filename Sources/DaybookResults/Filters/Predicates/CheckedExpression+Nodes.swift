import DaybookEssentials

// The parts of predicates that have others in them, in which whole numbers may be computed: each is
// itself, with those others checked.

extension PredicateExpressions.Conjunction: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) && other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.Disjunction: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, rhs).map { one, other in
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
    let (form, forms) = (CheckedExpression.form(of: test), forms(trueBranch, falseBranch))
    if form == nil, forms == nil { return nil }
    let test = form ?? CheckedExpression(test.evaluate)
    let one = forms?.0 ?? CheckedExpression(trueBranch.evaluate)
    let other = forms?.1 ?? CheckedExpression(falseBranch.evaluate)
    return CheckedExpression { try test.evaluate($0) ? one.evaluate($0) : other.evaluate($0) }
  }
}

extension PredicateExpressions.Equal: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) == other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.NotEqual: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, rhs).map { one, other in
      CheckedExpression { try one.evaluate($0) != other.evaluate($0) }
    }
  }
}

extension PredicateExpressions.Comparison: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, rhs).map {
      CheckedExpression(PredicateExpressions.Comparison(lhs: $0, rhs: $1, op: op).evaluate)
    }
  }
}

extension PredicateExpressions.FloatDivision: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(lhs, rhs).map { one, other in
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
    forms(lhs, rhs).map { one, other in
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
    forms(wrapped, transform).map { wrapped, transform in
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
