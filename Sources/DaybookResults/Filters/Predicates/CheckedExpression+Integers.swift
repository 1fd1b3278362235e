import DaybookEssentials

// The parts of predicates that compute whole numbers.

/// What is computed of two whole numbers, or refused.
private enum IntegerOperation: String {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"

  func result<Integer: FixedWidthInteger>(_ one: Integer, _ other: Integer) throws -> Integer {
    let (result, isOutside) =
      switch self {
      case .add: one.addingReportingOverflow(other)
      case .subtract: one.subtractingReportingOverflow(other)
      case .multiply: one.multipliedReportingOverflow(by: other)
      case .divide: one.dividedReportingOverflow(by: other)
      case .remainder: one.remainderReportingOverflow(dividingBy: other)
      }
    guard !isOutside else {
      throw NoResult("\(one) \(rawValue) \(other) is no \(Integer.self)")
    }
    return result
  }

  /// The operation with checks; nil if it is none of whole numbers.
  func checked<One: PredicateExpression, Other: PredicateExpression>(
    _ one: One, _ other: Other
  ) -> CheckedExpression<One.Output>? where One.Output == Other.Output {
    func checked<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Any? {
      guard let one = CheckedExpression(one) as? CheckedExpression<Integer>,
        let other = CheckedExpression(other) as? CheckedExpression<Integer>
      else { return nil }
      return CheckedExpression { try result(one.evaluate($0), other.evaluate($0)) }
    }
    guard let type = One.Output.self as? any FixedWidthInteger.Type else { return nil }
    return checked(type) as? CheckedExpression<One.Output>
  }
}

extension PredicateExpressions.Arithmetic: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    let operation: IntegerOperation =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: preconditionFailure("\(op) is no operation that is known")
      }
    return operation.checked(lhs, rhs)
      ?? forms(lhs, rhs).map {
        CheckedExpression(PredicateExpressions.Arithmetic(lhs: $0, rhs: $1, op: op).evaluate)
      }
  }
}

extension PredicateExpressions.IntDivision: CheckableExpression {
  func checked() -> CheckedExpression<Output>? { IntegerOperation.divide.checked(lhs, rhs) }
}

extension PredicateExpressions.IntRemainder: CheckableExpression {
  func checked() -> CheckedExpression<Output>? { IntegerOperation.remainder.checked(lhs, rhs) }
}

extension PredicateExpressions.UnaryMinus: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    IntegerOperation.subtract.checked(PredicateExpressions.Value(Output.zero), wrapped)
      ?? CheckedExpression.form(of: wrapped).map {
        CheckedExpression(PredicateExpressions.UnaryMinus($0).evaluate)
      }
  }
}
