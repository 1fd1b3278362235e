import DaybookEssentials

/// A part of a predicate that throws where Foundation traps: for whole numbers that leave their type,
/// and for ranges that end before they begin.
///
/// The numbers come from rows, and nothing that is read from a journal may bring a process down.
// What it evaluates is made of parts of predicates, and all of those are Sendable; their types alone
// do not say so.
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

  /// What evaluates an expression with checks; nil if there is nothing to check in it.
  static func form<Expression: PredicateExpression>(of expression: Expression) -> Self?
  where Expression.Output == Output {
    (expression as? any CheckableExpression<Output>)?.checked()
  }
}

/// A part of a predicate for which Foundation may trap.
protocol CheckableExpression<Output>: PredicateExpression {
  /// What evaluates it with checks; nil if there is nothing to check in it.
  func checked() -> CheckedExpression<Output>?
}

extension CheckableExpression {
  /// What evaluates two parts with checks; nil if there is nothing to check in either.
  func forms<One: PredicateExpression, Other: PredicateExpression>(
    _ one: One, _ other: Other
  ) -> (CheckedExpression<One.Output>, CheckedExpression<Other.Output>)? {
    let form = CheckedExpression.form(of: one)
    let otherForm = CheckedExpression.form(of: other)
    if form == nil, otherForm == nil { return nil }
    return (
      form ?? CheckedExpression(one.evaluate), otherForm ?? CheckedExpression(other.evaluate)
    )
  }
}

/// Why a part of a predicate comes to nothing.
struct NoResult: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
