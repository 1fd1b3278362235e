import DaybookStore

/// Which records a request wants: a condition on their attributes, as a value.
///
/// There are several doors, and all of them give the same filter:
///
/// ```swift
/// try Filter(#"state == "CA" AND details.closeDate > "2011-01-01""#)
/// try Filter("state == %@ AND amount > %@", "CA", 5)
/// \Bank.state == "CA" && \Bank.amount > 5
/// Filter(#Predicate<Bank> { $0.state == "CA" && $0.amount > 5 })
/// ```
///
/// A filter knows attributes by their names only. Whether an entity has them, and whether what they
/// are compared with is of their type, is found out when a request for that entity is made.
///
/// Nil equals nil and nothing else: `state != "PR"` is true for a record without a state, and every
/// other comparison and test is false for nil. `NOT`, `AND` and `OR` know true and false only.
///
/// Two filters are equal if their conditions are, wherever they come from. Conditions in a row that
/// are joined alike are one list: `(a AND b) AND c` is `a AND b AND c`. A condition of a `#Predicate`
/// that is evaluated on records is equal to its own copies alone.
public struct Filter: Hashable, Sendable {
  /// The condition.
  package let tree: FilterTree
  /// How many `NOT`, `AND` and `OR` stand in each other, at most.
  package let depth: Int
  /// Whether a part of it is evaluated on records. No text says such a filter and no other one is
  /// equal to it, so nothing can be kept under it.
  package let evaluatesPredicates: Bool

  private init(_ tree: FilterTree, depth: Int, evaluatesPredicates: Bool = false) {
    self.tree = tree
    self.depth = depth
    self.evaluatesPredicates = evaluatesPredicates
  }

  package init(_ comparison: FilterComparison) { self.init(.comparison(comparison), depth: 0) }

  init(_ predicate: EvaluatedPredicate) {
    self.init(.evaluated(predicate), depth: 0, evaluatesPredicates: true)
  }

  /// The filter that is true for every record: `TRUEPREDICATE`.
  public static let always = Filter(.constant(true), depth: 0)

  /// The filter that is true for none: `FALSEPREDICATE`.
  public static let never = Filter(.constant(false), depth: 0)

  /// True where all of some filters are; always, if there are none.
  public static func all(of filters: [Filter]) -> Filter {
    join(filters, empty: .always, make: { .all($0) }) { tree in
      if case .all(let parts) = tree { parts } else { nil }
    }
  }

  /// True where any of some filters is; never, if there are none.
  public static func any(of filters: [Filter]) -> Filter {
    join(filters, empty: .never, make: { .any($0) }) { tree in
      if case .any(let parts) = tree { parts } else { nil }
    }
  }

  private static func join(
    _ filters: [Filter], empty: Filter, make: ([Filter]) -> FilterTree,
    parts: (FilterTree) -> [Filter]?
  ) -> Filter {
    if filters.count == 1 { return filters[0] }
    var joined: [Filter] = []
    joined.reserveCapacity(filters.count)
    for filter in filters {
      if let parts = parts(filter.tree) { joined += parts } else { joined.append(filter) }
    }
    if joined.isEmpty { return empty }
    return Filter(
      make(joined), depth: 1 + (joined.map(\.depth).max() ?? 0),
      evaluatesPredicates: joined.contains { $0.evaluatesPredicates })
  }

  /// True where a filter is not.
  public static prefix func ! (filter: Filter) -> Filter {
    Filter(
      .not(filter), depth: filter.depth + 1, evaluatesPredicates: filter.evaluatesPredicates)
  }

  /// True where both filters are.
  public static func && (one: Filter, other: Filter) -> Filter { .all(of: [one, other]) }

  /// True where one filter is, or both are.
  public static func || (one: Filter, other: Filter) -> Filter { .any(of: [one, other]) }
}

/// What a filter is made of.
package indirect enum FilterTree: Hashable, Sendable {
  case constant(Bool)
  case comparison(FilterComparison)
  /// At least two, of which none is a list of this kind itself.
  case all([Filter])
  /// At least two, of which none is a list of this kind itself.
  case any([Filter])
  case not(Filter)
  /// What only Foundation can evaluate, on a record.
  case evaluated(EvaluatedPredicate)
}

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
