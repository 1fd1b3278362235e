import DaybookStore

/// The totals of the records that have one value of an attribute.
///
/// ```swift
/// for region in try store.snapshot.aggregate(request, by: \.region, .count, .sum(\.amount)) {
///   print(region.name, region.totals[.count], region.totals[.sum(\.amount)])
/// }
/// ```
public struct GroupTotals<R: FetchableRecord>: Hashable, Sendable {
  /// The value that the records have in common. It is null for records without a value.
  public let key: AttributeValue
  /// The name of the section that a list would show for these records: the key as text, which is
  /// empty for records without a value.
  public let name: String
  /// The totals of these records.
  public let totals: Totals<R>

  package init(_ group: GroupResult, measures: [Measure<R>]) {
    key = group.key
    name = group.name
    totals = Totals(measures.map(\.definition), values: group.values)
  }
}

extension GroupTotals: CustomStringConvertible {
  /// The name and the totals, as in `CA: count 3`.
  public var description: String { "\(name): \(totals)" }
}

// A condition on a total, for the groups of an aggregate.

extension Measure {
  private func compared(_ relation: FilterRelation, to value: AttributeValue) -> Filter {
    Filter(
      FilterComparison(
        FilterOperand(.path(["@" + definition.function.rawValue] + definition.names)),
        relation: relation, right: FilterOperand(.constant(.short(value)))))
  }

  /// Returns a filter of groups that is true where a total equals a value.
  public static func == <Value: AttributeRepresentable>(
    measure: Measure, value: Value
  ) -> Filter { measure.compared(.equal, to: value.attributeValue) }

  /// Returns a filter of groups that is true where a total does not equal a value.
  public static func != <Value: AttributeRepresentable>(
    measure: Measure, value: Value
  ) -> Filter { measure.compared(.notEqual, to: value.attributeValue) }

  /// Returns a filter of groups that is true where a total is less than a value.
  public static func < <Value: AttributeRepresentable>(
    measure: Measure, value: Value
  ) -> Filter { measure.compared(.less, to: value.attributeValue) }

  /// Returns a filter of groups that is true where a total is at most a value.
  public static func <= <Value: AttributeRepresentable>(
    measure: Measure, value: Value
  ) -> Filter { measure.compared(.lessOrEqual, to: value.attributeValue) }

  /// Returns a filter of groups that is true where a total is greater than a value.
  public static func > <Value: AttributeRepresentable>(
    measure: Measure, value: Value
  ) -> Filter { measure.compared(.greater, to: value.attributeValue) }

  /// Returns a filter of groups that is true where a total is at least a value.
  public static func >= <Value: AttributeRepresentable>(
    measure: Measure, value: Value
  ) -> Filter { measure.compared(.greaterOrEqual, to: value.attributeValue) }
}
