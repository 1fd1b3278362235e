import DaybookEssentials

// The parts of predicates that are about collections: each is itself, with what is in it checked.

extension PredicateExpressions.Range: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    let (lower, upper) = (CheckedExpression(lower), CheckedExpression(upper))
    return CheckedExpression {
      let (lower, upper) = (try lower.evaluate($0), try upper.evaluate($0))
      guard lower <= upper else { throw NoResult("\(lower)..<\(upper) is no range") }
      return lower..<upper
    }
  }
}

extension PredicateExpressions.ClosedRange: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    let (lower, upper) = (CheckedExpression(lower), CheckedExpression(upper))
    return CheckedExpression {
      let (lower, upper) = (try lower.evaluate($0), try upper.evaluate($0))
      guard lower <= upper else { throw NoResult("\(lower)...\(upper) is no range") }
      return lower...upper
    }
  }
}

extension PredicateExpressions.RangeExpressionContains: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(range, element).map { range, element in
      CheckedExpression { try range.evaluate($0).contains(element.evaluate($0)) }
    }
  }
}

extension PredicateExpressions.SequenceContains: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(sequence, element).map { sequence, element in
      CheckedExpression { try sequence.evaluate($0).contains(element.evaluate($0)) }
    }
  }
}

extension PredicateExpressions.SequenceStartsWith: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(base, prefix).map { base, prefix in
      CheckedExpression { try base.evaluate($0).starts(with: prefix.evaluate($0)) }
    }
  }
}

extension PredicateExpressions.CollectionContainsCollection: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(base, other).map {
      CheckedExpression(
        PredicateExpressions.CollectionContainsCollection(base: $0, other: $1).evaluate)
    }
  }
}

extension PredicateExpressions.StringContainsRegex: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(subject, regex).map {
      CheckedExpression(PredicateExpressions.StringContainsRegex(subject: $0, regex: $1).evaluate)
    }
  }
}

extension PredicateExpressions.CollectionIndexSubscript: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(wrapped, index).map {
      CheckedExpression(
        PredicateExpressions.CollectionIndexSubscript(wrapped: $0, index: $1).evaluate)
    }
  }
}

extension PredicateExpressions.CollectionRangeSubscript: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(wrapped, range).map {
      CheckedExpression(
        PredicateExpressions.CollectionRangeSubscript(wrapped: $0, range: $1).evaluate)
    }
  }
}

extension PredicateExpressions.DictionaryKeySubscript: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    forms(wrapped, key).map { wrapped, key in
      CheckedExpression { try wrapped.evaluate($0)[key.evaluate($0)] }
    }
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    let (form, forms) = (CheckedExpression.form(of: `default`), forms(wrapped, key))
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
    forms(sequence, test).map { sequence, test in
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
    forms(sequence, test).map { sequence, test in
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
    forms(sequence, filter).map { sequence, filter in
      CheckedExpression { [variable] bindings in
        try sequence.evaluate(bindings).filter {
          try filter.evaluate(bindings.binding(variable, to: $0))
        }
      }
    }
  }
}
