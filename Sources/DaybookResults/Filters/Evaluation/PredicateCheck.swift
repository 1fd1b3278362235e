import DaybookStore

/// A question that a predicate is evaluated for, on the record in the row.
///
/// An evaluation that throws answers neither yes nor no. What it is taken for is what keeps the row
/// from matching: no, or under an odd number of `NOT` yes. So a row matches if it would whatever the
/// evaluation had come to; and in which order parts are asked makes no difference to that.
final class PredicateCheck: Sendable {
  let predicate: EvaluatedPredicate
  let failedAnswer: Bool

  init(_ predicate: EvaluatedPredicate, failedAnswer: Bool) {
    self.predicate = predicate
    self.failedAnswer = failedAnswer
  }

  func answer(
    _ row: RowLocation, _ frozen: FrozenState, _ evaluations: RowEvaluations?
  ) -> Bool {
    guard let evaluations else { preconditionFailure("nobody counts \(predicate)") }
    evaluations.isEvaluated = true
    do {
      return try predicate.evaluate(row, in: frozen)
    } catch {
      evaluations.failures.append(error)
      return failedAnswer
    }
  }
}
