import DaybookEssentials
import DaybookStore

/// A part of a Swift predicate that throws an error instead of trapping. Foundation traps if a
/// whole number overflows its type or is divided by zero, and if a range ends before it starts.
///
/// The numbers are read from rows, and the data of a journal must never crash a process.
// The closure captures only parts of predicates and operations on whole numbers. All these parts
// are Sendable, but their static types do not declare it.
struct CheckedExpression<Output>: PredicateExpression, @unchecked Sendable {
  private let evaluation: (PredicateBindings) throws -> Output

  init(_ evaluation: @escaping (PredicateBindings) throws -> Output) {
    self.evaluation = evaluation
  }

  init<Expression: PredicateExpression>(_ expression: Expression)
  where Expression.Output == Output {
    self = CheckedExpression.form(of: expression) ?? CheckedExpression(expression.evaluate)
  }

  func evaluate(_ bindings: PredicateBindings) throws -> Output { try evaluation(bindings) }

  /// Returns an expression with checks; nil if no part of the expression needs a check. Predicates
  /// and expressions that a part calls with `evaluate` get no checks.
  static func form<Expression: PredicateExpression>(of expression: Expression) -> Self?
  where Expression.Output == Output {
    (expression as? any CheckableExpression<Output>)?.checked()
  }
}

extension EvaluatedPredicate {
  /// Creates the evaluation of a condition on records of a type.
  ///
  /// - Parameter variable: The variable of the condition that is bound to the record, such as `$0`.
  convenience init<R: Record>(
    _ condition: any StandardPredicateExpression<Bool>,
    of variable: PredicateExpressions.Variable<R>, obstacle: String
  ) {
    let read = RecordRead<R>()
    let checked = CheckedExpression<Bool>(condition)
    self.init(typeName: "\(R.self)", obstacle: obstacle) {
      read.fits($0, in: $1)
    } evaluation: { row, state in
      guard let record = read.record(in: row, of: state) else {
        throw NoResult("\(R.self) cannot represent the identifier of the row")
      }
      return try checked.evaluate(PredicateBindings((variable, record)))
    }
  }
}

/// A part of a predicate that may trap in Foundation, or that may contain such a part.
protocol CheckableExpression<Output>: PredicateExpression {
  /// Returns the part with checks; nil if it needs no checks.
  func checked() -> CheckedExpression<Output>?
}

extension CheckableExpression {
  /// Returns two parts with checks; nil if neither part needs checks.
  func forms<One: PredicateExpression, Other: PredicateExpression>(
    _ one: One, and other: Other
  ) -> (CheckedExpression<One.Output>, CheckedExpression<Other.Output>)? {
    let form = CheckedExpression.form(of: one)
    let otherForm = CheckedExpression.form(of: other)
    if form == nil, otherForm == nil { return nil }
    return (
      form ?? CheckedExpression(one.evaluate), otherForm ?? CheckedExpression(other.evaluate)
    )
  }
}

/// The reason that a part of a predicate has no result.
struct NoResult: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

// The parts of predicates that compute whole numbers.

/// An operation on two whole numbers that throws if its result cannot be represented.
private enum IntegerOperation: String {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"

  func result<Integer: FixedWidthInteger>(of one: Integer, and other: Integer) throws -> Integer {
    let (result, isOutside) =
      switch self {
      case .add: one.addingReportingOverflow(other)
      case .subtract: one.subtractingReportingOverflow(other)
      case .multiply: one.multipliedReportingOverflow(by: other)
      case .divide: one.dividedReportingOverflow(by: other)
      case .remainder: one.remainderReportingOverflow(dividingBy: other)
      }
    guard !isOutside else {
      let isDivision = self == .divide || self == .remainder
      let problem =
        isDivision && other == 0 ? "divides by zero" : "is out of range for \(Integer.self)"
      throw NoResult("\(one) \(rawValue) \(other) \(problem)")
    }
    return result
  }

  /// Returns the operation with checks; nil if the operands are not whole numbers.
  func checked<One: PredicateExpression, Other: PredicateExpression>(
    _ one: One, and other: Other
  ) -> CheckedExpression<One.Output>? where One.Output == Other.Output {
    func checked<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Any? {
      guard let one = CheckedExpression(one) as? CheckedExpression<Integer>,
        let other = CheckedExpression(other) as? CheckedExpression<Integer>
      else { return nil }
      return CheckedExpression { try result(of: one.evaluate($0), and: other.evaluate($0)) }
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
      @unknown default: preconditionFailure("unknown arithmetic operation \(op)")
      }
    return operation.checked(lhs, and: rhs)
      ?? forms(lhs, and: rhs).map {
        CheckedExpression(PredicateExpressions.Arithmetic(lhs: $0, rhs: $1, op: op).evaluate)
      }
  }
}

extension PredicateExpressions.IntDivision: CheckableExpression {
  func checked() -> CheckedExpression<Output>? { IntegerOperation.divide.checked(lhs, and: rhs) }
}

extension PredicateExpressions.IntRemainder: CheckableExpression {
  func checked() -> CheckedExpression<Output>? { IntegerOperation.remainder.checked(lhs, and: rhs) }
}

extension PredicateExpressions.UnaryMinus: CheckableExpression {
  func checked() -> CheckedExpression<Output>? {
    IntegerOperation.subtract.checked(PredicateExpressions.Value(Output.zero), and: wrapped)
      ?? CheckedExpression.form(of: wrapped).map {
        CheckedExpression(PredicateExpressions.UnaryMinus($0).evaluate)
      }
  }
}
