import DaybookStore

/// The totals of groups of rows. The rows of a group have one value of an attribute.
struct GroupTable {
  /// The attribute whose values define the groups. Two rows are in one group if a list with
  /// sections by this attribute would show them in one section.
  struct Key: Sendable {
    /// Appends the bytes of the group of a row. They sort the groups.
    let append: ResultPlan.KeyEncoder
    /// Returns the name of the group with these bytes.
    let name: @Sendable ([UInt8]) -> String
    let column: ValueColumn
  }

  fileprivate struct Group {
    var key: AttributeValue
    var name = ""
    var rowCount = 0
    var totals: [ColumnTotals]
    /// The different values in each column, if a measure counts them.
    var values: [Set<AttributeValue>]
  }

  private let plan: TotalPlan
  private let key: Key?
  private let countsValues: [Bool]
  private var groupIndexes: [[UInt8]: Int] = [:]
  private var groups: [Group] = []

  /// - Parameter key: The attribute that defines the groups. Without one, all rows are one group,
  ///   which exists without rows too.
  init(_ plan: TotalPlan, by key: Key?) {
    self.plan = plan
    self.key = key
    countsValues = plan.columns.indices.map { index in
      zip(plan.measures, plan.columnIndexes).contains { $0.function == .distinct && $1 == index }
    }
    if key == nil { groups.append(Group(.null, by: plan)) }
  }

  mutating func add(_ row: RowLocation, in state: FrozenState) {
    let groupIndex = groupIndex(of: row, in: state)
    groups[groupIndex].rowCount += 1
    for (index, column) in plan.columns.enumerated() {
      let cell = column.cell(of: row, in: state)
      groups[groupIndex].totals[index].add(cell, of: column)
      guard countsValues[index] else { continue }
      let value = column.value(cell).attributeValue
      if !value.isNull { groups[groupIndex].values[index].insert(value) }
    }
  }

  /// Returns the index of the group of a row. A new value makes a new group.
  private mutating func groupIndex(of row: RowLocation, in state: FrozenState) -> Int {
    guard let key else { return 0 }
    var buffer = RowBuffer()
    key.append(row, state, &buffer)
    let bytes = Array(buffer.room[..<buffer.count])
    if let known = groupIndexes[bytes] { return known }
    groupIndexes[bytes] = groups.count
    groups.append(Group(key.column.value(of: row, in: state), name: key.name(bytes), by: plan))
    return groups.count - 1
  }

  /// The keys of the groups and the values of their measures, in the order of the keys.
  var results: [GroupResult] {
    let order: [Int] =
      key == nil
      ? [0] : groupIndexes.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    return order.map { index in
      let group = groups[index]
      return GroupResult(
        key: group.key, name: group.name,
        values: plan.values(
          of: group.totals, rowCount: group.rowCount, distinctCounts: group.values.map(\.count)))
    }
  }
}

extension GroupTable.Group {
  fileprivate init(_ key: AttributeValue, name: String = "", by plan: TotalPlan) {
    self.key = key
    self.name = name
    totals = plan.none
    values = plan.columns.map { _ in [] }
  }
}

/// The totals of one group, in the order of the measures.
package struct GroupResult: Sendable {
  package let key: AttributeValue
  package let name: String
  package let values: [TotalValue]
}
