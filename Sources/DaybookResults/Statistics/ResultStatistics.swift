import Synchronization

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

/// Counts the evaluations of the predicates of one filter, by whomever it is asked.
package final class EvaluationCounter: Sendable {
  // Shared state: each part guards itself, and there is no moment at which they are to agree.
  private let evaluatedRows = Atomic<Int>(0)
  private let failedEvaluations = Atomic<Int>(0)
  private let firstFailure = Mutex<String?>(nil)

  /// What was counted so far.
  package var statistics: ResultStatistics {
    ResultStatistics(
      evaluatedRows: evaluatedRows.load(ordering: .relaxed),
      failedEvaluations: failedEvaluations.load(ordering: .relaxed),
      firstFailure: firstFailure.withLock { $0 })
  }

  func add(_ row: RowEvaluations) {
    guard row.isEvaluated else { return }
    evaluatedRows.wrappingAdd(1, ordering: .relaxed)
    guard let failure = row.failures.first else { return }
    failedEvaluations.wrappingAdd(row.failures.count, ordering: .relaxed)
    firstFailure.withLock { if $0 == nil { $0 = "\(failure)" } }
  }
}

/// What evaluating predicates on one row came to.
// A class, so that those who only hand it on need not know whether there is one.
final class RowEvaluations {
  var isEvaluated = false
  var failures: [any Error] = []
}
