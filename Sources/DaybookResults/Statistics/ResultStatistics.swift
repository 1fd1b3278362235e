import Synchronization

/// The counts of the expensive steps in computing a result: evaluations of Swift predicates on
/// records.
package struct ResultStatistics: Hashable, Sendable {
  /// The number of times that a filter evaluated predicates on the record of a row. Several
  /// predicates on one record are counted once.
  package var evaluatedRows: Int
  /// The number of evaluations that threw an error and so had no result.
  package var failedEvaluations: Int
  /// The description of the first of these errors.
  package var firstFailure: String?

  package init(evaluatedRows: Int = 0, failedEvaluations: Int = 0, firstFailure: String? = nil) {
    self.evaluatedRows = evaluatedRows
    self.failedEvaluations = failedEvaluations
    self.firstFailure = firstFailure
  }
}

/// The counter of the predicate evaluations of one compiled filter. All lists with the filter's
/// plan use the same counter.
package final class EvaluationCounter: Sendable {
  // Shared state: each of the three properties is synchronized separately, because readers do not
  // need a consistent view of all three.
  private let evaluatedRows = Atomic<Int>(0)
  private let failedEvaluations = Atomic<Int>(0)
  private let firstFailure = Mutex<String?>(nil)

  /// The current counts.
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

/// The results of evaluating the predicates of a filter on one row.
// The type is a class, so that all parts of a filter program add to the same instance.
final class RowEvaluations {
  var isEvaluated = false
  var failures: [any Error] = []
}
