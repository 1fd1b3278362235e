import DaybookJournal
import DaybookStore

/// A filter for the rows of one entity: no name is left in it, and no record is built to ask it, unless
/// a predicate has to be evaluated.
package struct CompiledFilter: Sendable {
  /// The entity whose rows it is asked of.
  package let entity: Int
  /// What it reads, each path once, in the order of the filter. Predicates that are evaluated read
  /// any attribute of the row itself, and nothing else.
  package let reads: [PathRead]
  /// Counts the evaluations of predicates; nil if there are none.
  let evaluations: EvaluationCounter?
  private let check: FilterCheck

  init(
    _ check: FilterCheck, entity: Int, reads: [PathRead], evaluations: EvaluationCounter? = nil
  ) {
    self.check = check
    self.entity = entity
    self.reads = reads
    self.evaluations = evaluations
  }

  /// What a change has to touch to matter: records of which one attribute has, or had, a certain value. Nil if
  /// others may match.
  var interest: NarrowInterest? { check.narrowing?.interest(in: entity) }

  /// What was dear in asking it so far.
  package var statistics: ResultStatistics { evaluations?.statistics ?? ResultStatistics() }

  /// Whether a row matches.
  package func matches(_ row: RowLocation, in frozen: FrozenState) -> Bool {
    frozen.withRow(at: row) { matches($0, at: row, in: frozen) }
  }

  /// Whether a row matches whose bytes are at hand.
  package func matches(_ bytes: RawSpan, at row: RowLocation, in frozen: FrozenState) -> Bool {
    guard let evaluations else { return check.answer(bytes, row, frozen, nil) }
    let rowEvaluations = RowEvaluations()
    defer { evaluations.add(rowEvaluations) }
    return check.answer(bytes, row, frozen, rowEvaluations)
  }
}
