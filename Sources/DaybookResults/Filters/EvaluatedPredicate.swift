import DaybookStore

/// A condition of a predicate for which filters have nothing: it is evaluated on records.
///
/// It sees the attributes of the record itself. References are values there, with nothing but an
/// identifier, so it cannot go through one.
package final class EvaluatedPredicate: Sendable {
  /// The name of the records' type.
  let typeName: String
  /// The name of the part for which filters have nothing.
  let obstacle: String
  private let isKnown: @Sendable (Int, Catalog) -> Bool
  private let evaluation: @Sendable (RowLocation, FrozenState) throws -> Bool

  init(
    typeName: String, obstacle: String, isKnown: @escaping @Sendable (Int, Catalog) -> Bool,
    evaluation: @escaping @Sendable (RowLocation, FrozenState) throws -> Bool
  ) {
    self.typeName = typeName
    self.obstacle = obstacle
    self.isKnown = isKnown
    self.evaluation = evaluation
  }

  /// Whether the store has the type of the records for an entity.
  func fits(_ entity: Int, in catalog: Catalog) -> Bool { isKnown(entity, catalog) }

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
