/// What was dear in asking for a result.
package struct ResultStatistics: Hashable, Sendable {
  /// How many times a row was asked on whose record predicates had to be evaluated, one or several.
  package var evaluatedRows: Int
  /// How many evaluations threw, so that there was no answer.
  package var failedEvaluations: Int
  /// What the first of these threw.
  package var firstFailure: String?

  package init(evaluatedRows: Int = 0, failedEvaluations: Int = 0, firstFailure: String? = nil) {
    self.evaluatedRows = evaluatedRows
    self.failedEvaluations = failedEvaluations
    self.firstFailure = firstFailure
  }
}
