import DaybookStore

/// A condition on the attributes of records, as a value. A list contains only the records that
/// satisfy the filter of its request.
///
/// A filter can be written in four ways:
///
/// ```swift
/// try Filter(#"state == "CA" AND details.closeDate > "2011-01-01""#)
/// try Filter("state == %@ AND amount > %@", "CA", 5)
/// \Bank.state == "CA" && \Bank.amount > 5
/// Filter(#Predicate<Bank> { $0.state == "CA" && $0.amount > 5 })
/// ```
///
/// A filter contains only the names of attributes. When a request for an entity is executed, the
/// names are replaced by attributes of the entity, and the types of constants are checked.
///
/// Nil equals only nil. So `state != "PR"` is true for a record without a state, and `state == nil`
/// and `state IN {nil, "CA"}` are true too. Every other comparison or test is false for nil. There
/// is no third truth value: unlike in SQL, `NOT (amount > 5)` is true for a record without an
/// amount.
///
/// Two filters are equal if their conditions are equal, also if they were written in different
/// ways. Nested conditions with one operator become one list: `(a AND b) AND c` equals `a AND b AND
/// c`. A condition of a `#Predicate` that is evaluated on records is equal only to copies of the
/// same filter.
public struct Filter: Hashable, Sendable {
  /// The syntax tree of the condition.
  package let tree: FilterTree
  /// The largest nesting depth of `NOT`, `AND` and `OR`.
  package let depth: Int
  /// A Boolean value that indicates whether a part of the filter is evaluated on records. Such a
  /// filter has no text and equals no other filter, so a cache cannot be identified by it.
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

  /// The filter that is false for every record: `FALSEPREDICATE`.
  public static let never = Filter(.constant(false), depth: 0)

  /// Returns a filter that is true for records for which all given filters are true; ``always`` for
  /// an empty list.
  public static func all(of filters: [Filter]) -> Filter {
    join(filters, empty: .always, make: { .all($0) }) { tree in
      if case .all(let parts) = tree { parts } else { nil }
    }
  }

  /// Returns a filter that is true for records for which at least one of the given filters is true;
  /// ``never`` for an empty list.
  public static func any(of filters: [Filter]) -> Filter {
    join(filters, empty: .never, make: { .any($0) }) { tree in
      if case .any(let parts) = tree { parts } else { nil }
    }
  }

  /// Returns several filters joined by one operator. The parts of a filter with the same operator
  /// are added one by one, so that nested lists become one list.
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

  /// The `LIKE` comparisons of the filter whose patterns contain `%` or `_`, which are wildcards of
  /// SQL, but neither `*` nor `?`. Such a pattern matches only itself.
  ///
  /// A comparison with a quantifier has the quantifier `ANY`, so each returned filter is true for
  /// the records that contain a match.
  @_spi(Tools) public var comparisonsWithSQLWildcards: [Filter] {
    switch tree {
    case .constant, .evaluated: return []
    case .not(let filter): return filter.comparisonsWithSQLWildcards
    case .all(let parts), .any(let parts): return parts.flatMap(\.comparisonsWithSQLWildcards)
    case .comparison(var comparison):
      guard comparison.relation == .like, case .constant(let constant) = comparison.right.content,
        case .string(let pattern) = constant.value
      else { return [] }
      let scalars = pattern.unicodeScalars
      guard scalars.contains(where: { $0 == "%" || $0 == "_" }),
        !scalars.contains(where: { $0 == "*" || $0 == "?" })
      else { return [] }
      if comparison.quantifier != nil { comparison.quantifier = .any }
      return [Filter(comparison)]
    }
  }

  /// Returns a filter that is true for the records for which a filter is false.
  public static prefix func ! (filter: Filter) -> Filter {
    Filter(
      .not(filter), depth: filter.depth + 1, evaluatesPredicates: filter.evaluatesPredicates)
  }

  /// Returns a filter that is true for the records for which both filters are true.
  public static func && (one: Filter, other: Filter) -> Filter { .all(of: [one, other]) }

  /// Returns a filter that is true for the records for which at least one of two filters is true.
  public static func || (one: Filter, other: Filter) -> Filter { .any(of: [one, other]) }
}

/// The syntax tree of a filter.
package indirect enum FilterTree: Hashable, Sendable {
  case constant(Bool)
  case comparison(FilterComparison)
  /// True if all filters are true. The array has at least two filters, and no filter of the array
  /// has the tree `all`.
  case all([Filter])
  /// True if any filter is true. The array has at least two filters, and no filter of the array has
  /// the tree `any`.
  case any([Filter])
  case not(Filter)
  /// A condition that Foundation evaluates on a record.
  case evaluated(EvaluatedPredicate)
}

/// A condition of a Swift `#Predicate` that the filter language cannot express. Foundation
/// evaluates it on records.
///
/// The condition can read only the attributes of the record itself. A reference contains only an
/// identifier, so the condition cannot read the referenced record.
package final class EvaluatedPredicate: Sendable {
  /// The name of the type of the records.
  let typeName: String
  /// The name of the part of the predicate that the filter language cannot express.
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

  /// Returns whether the store was opened with the type of the records for an entity.
  func fits(_ entity: Int, in catalog: Catalog) -> Bool { isKnown(entity, catalog) }

  /// Returns whether the record in a row meets the condition.
  ///
  /// - Throws: The error of Foundation for an unwrapped nil, a failed cast, or an invalid index of
  ///   a collection; `NoResult` for operations for which Foundation would trap.
  func evaluate(_ row: RowLocation, in state: FrozenState) throws -> Bool {
    try evaluation(row, state)
  }
}

/// Two conditions cannot be compared by their meaning. So a condition is equal only to itself.
/// Copies of one filter are equal, but two filters that were created from the same predicate are
/// not.
extension EvaluatedPredicate: Hashable {
  package static func == (one: EvaluatedPredicate, other: EvaluatedPredicate) -> Bool {
    one === other
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension EvaluatedPredicate: CustomStringConvertible {
  package var description: String { "<predicate of \(typeName), with \(obstacle)>" }
}
