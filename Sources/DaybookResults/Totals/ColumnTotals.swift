/// The totals of one column over some rows.
struct ColumnTotals: Sendable {
  /// The number of rows.
  var rowCount = 0
  /// A Boolean value that indicates whether rows changed after the totals were computed. The number
  /// of rows is correct anyway.
  var isStale = false
  /// The number of rows with a value.
  private(set) var valueCount = 0
  private(set) var sum: ExactSum
  /// The smallest and the greatest value; of equal ones, that of the first row.
  private(set) var least = TotalCell.none
  private(set) var greatest = TotalCell.none

  init(_ column: TotalColumn) {
    sum = ExactSum(column.arithmetic == .decimal ? .ten : .two)
  }

  /// Adds a row.
  @inline(__always)
  mutating func add(_ cell: TotalCell, of column: TotalColumn) {
    rowCount += 1
    if case .none = cell { return }
    valueCount += 1
    if column.isSummed { column.add(cell, to: &sum) }
    if column.isOrdered { order(from: cell, to: cell, isFirst: valueCount == 1) }
  }

  /// Adds the rows of other totals, which follow these rows.
  @inline(__always)
  mutating func add(_ other: ColumnTotals, of column: TotalColumn) {
    rowCount += other.rowCount
    if other.valueCount == 0 { return }
    valueCount += other.valueCount
    if column.isSummed { sum.add(other.sum) }
    if column.isOrdered {
      order(from: other.least, to: other.greatest, isFirst: valueCount == other.valueCount)
    }
  }

  @inline(__always)
  private mutating func order(from least: TotalCell, to greatest: TotalCell, isFirst: Bool) {
    if isFirst || TotalCell.isOrdered(least, before: self.least) { self.least = least }
    if isFirst || TotalCell.isOrdered(self.greatest, before: greatest) { self.greatest = greatest }
  }

  /// Returns the value of a measure.
  func value(_ function: TotalFunction, of column: TotalColumn) -> TotalValue {
    switch (function, column.arithmetic) {
    case (.count, _): return .integer(Int128(rowCount))
    case (.minimum, _): return column.value(least)
    case (.maximum, _): return column.value(greatest)
    case _ where valueCount == 0: return .null
    case (.sum, .integer): return .integer(sum.integer)
    case (.sum, .decimal): return sum.decimal.map { .value(.decimal($0)) } ?? .overflow
    case (.sum, _): return .value(.double(sum.double()))
    case (.average, .decimal):
      return sum.decimal(dividedBy: valueCount).map { .value(.decimal($0)) } ?? .overflow
    case (.average, _): return .value(.double(sum.double(dividedBy: valueCount)))
    case (.distinct, _): preconditionFailure("distinct values are counted apart")
    }
  }
}
