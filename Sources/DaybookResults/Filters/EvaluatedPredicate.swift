import DaybookStore
import DaybookEssentials

/// A condition of a predicate for which filters have nothing: it is evaluated on records.
///
/// It sees the attributes of the record itself. References are values there, with nothing but an
/// identifier, so it cannot go through one.
package final class EvaluatedPredicate: Sendable {
  /// The type of the records.
  let typeName: String
  /// The part for which filters have nothing, by its name.
  let obstacle: String
  private let isKnown: @Sendable (Int, Catalog) -> Bool
  private let evaluation: @Sendable (RowLocation, FrozenState) throws -> Bool

  /// - Parameter variable: What stands for the record in the condition.
  init<R: Record>(
    _ condition: any StandardPredicateExpression<Bool>,
    of variable: PredicateExpressions.Variable<R>, obstacle: String
  ) {
    let read = RecordRead<R>()
    typeName = "\(R.self)"
    self.obstacle = obstacle
    let checked = CheckedExpression<Bool>(condition)
    isKnown = { read.fits($0, $1) }
    evaluation = { row, state in
      guard let record = read.record(row, state) else {
        throw NoResult("the identifier of the row is none of \(R.self)")
      }
      return try checked.evaluate(PredicateBindings((variable, record)))
    }
  }

  /// Whether the store has the type of the records for an entity.
  func fits(_ entity: Int, _ catalog: Catalog) -> Bool { isKnown(entity, catalog) }

  /// Whether the condition is met by the record in a row.
  ///
  /// - Throws: What Foundation throws, for an optional that is nil where it must not be, for a type
  ///   that is another, and for a place that a collection does not have; and `NoResult` for what it
  ///   would trap for.
  func evaluate(_ row: RowLocation, in state: FrozenState) throws -> Bool {
    try evaluation(row, state)
  }
}

/// Nothing says whether two conditions ask the same. So each is equal to itself alone: to whatever is
/// a copy of the filter that it was made for, and to nothing that is made of the same predicate anew.
extension EvaluatedPredicate: Hashable {
  package static func == (one: EvaluatedPredicate, other: EvaluatedPredicate) -> Bool {
    one === other
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension EvaluatedPredicate: CustomStringConvertible {
  package var description: String { "<predicate of \(typeName), with \(obstacle)>" }
}
