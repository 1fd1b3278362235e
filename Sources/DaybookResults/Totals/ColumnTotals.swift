/// The totals of one column over some rows.
//
// Usually such a value contains no reference, so that it is copied fast. A sum of more than 128
// bits and a range of values that are not words are the exceptions.
struct ColumnTotals: Sendable {
  /// The number of rows with a value.
  private(set) var valueCount = 0
  private(set) var sum: ExactSum
  private(set) var range = TotalRange.none

  init(_ column: TotalColumn) {
    sum = ExactSum(column.arithmetic == .decimal ? .ten : .two)
  }

  /// Creates totals of values that are words.
  @inline(__always)
  init(_ column: TotalColumn, fixed: FixedTotals) {
    self.sum = ExactSum(column.arithmetic == .decimal ? .ten : .two, fixed: fixed.sum)
    valueCount = fixed.valueCount
    if valueCount > 0 { range = .words(least: fixed.least, greatest: fixed.greatest) }
  }

  /// The totals as numbers of a fixed size; nil if the sum needs more than 128 bits. Without a
  /// range of words, the smallest and the greatest value are those of no rows.
  var fixed: FixedTotals? {
    guard let sum = sum.fixed else { return nil }
    var fixed = FixedTotals(valueCount: valueCount, sum: sum)
    if case .words(let least, let greatest) = range {
      (fixed.least, fixed.greatest) = (least, greatest)
    }
    return fixed
  }

  /// Adds a row.
  @inline(__always)
  mutating func add(_ cell: TotalCell, of column: TotalColumn) {
    if case .none = cell { return }
    valueCount += 1
    if column.isSummed { column.add(cell, to: &sum) }
    if column.isOrdered { range.add(cell) }
  }

  /// Adds the rows of other totals, which follow these rows.
  @inline(__always)
  mutating func add(_ other: borrowing ColumnTotals, of column: TotalColumn) {
    if other.valueCount == 0 { return }
    valueCount += other.valueCount
    if column.isSummed { sum.add(other.sum) }
    if column.isOrdered { range.add(other.range) }
  }

  /// Returns the value of a measure.
  func value(_ function: TotalFunction, of column: TotalColumn) -> TotalValue {
    switch (function, column.arithmetic) {
    case (.minimum, _): return column.value(range.least)
    case (.maximum, _): return column.value(range.greatest)
    case (.count, _), (.distinct, _): preconditionFailure("rows and values are counted apart")
    case _ where valueCount == 0: return .null
    case (.sum, .integer): return .integer(sum.integer)
    case (.sum, .decimal): return sum.decimal.map { .value(.decimal($0)) } ?? .overflow
    case (.sum, _): return .value(.double(sum.double()))
    case (.average, .decimal):
      return sum.decimal(dividedBy: valueCount).map { .value(.decimal($0)) } ?? .overflow
    case (.average, _): return .value(.double(sum.double(dividedBy: valueCount)))
    }
  }

  /// Traps unless other totals of a column have the same values.
  func checkEqual(to other: ColumnTotals, of column: TotalColumn) {
    precondition(
      valueCount == other.valueCount,
      "expected \(other.valueCount) values, found \(valueCount)")
    for function in TotalFunction.allCases where function != .distinct && function != .count {
      if function == .sum || function == .average, !column.isSummed { continue }
      if function == .minimum || function == .maximum, !column.isOrdered { continue }
      precondition(
        value(function, of: column) == other.value(function, of: column),
        "the \(function.rawValue) of a node is \(value(function, of: column))")
    }
  }
}

/// The totals of a column of words, as numbers of a fixed size, which are copied as bytes.
struct FixedTotals: BitwiseCopyable {
  var valueCount = 0
  var sum = FixedSum()
  /// The smallest and the greatest value; without a value, the greatest and the smallest word.
  var least = UInt64.max
  var greatest = UInt64.min

  /// Adds the rows of other totals. Returns false, and adds nothing, if the two sums have different
  /// exponents, or if 128 bits are not enough.
  @inline(__always)
  mutating func add(_ other: FixedTotals) -> Bool {
    let isEmpty = sum.integer == 0
    if sum.exponent != other.sum.exponent, !isEmpty, other.sum.integer != 0 { return false }
    let (integer, isOverflow) = sum.integer.addingReportingOverflow(other.sum.integer)
    if isOverflow { return false }
    if isEmpty { sum.exponent = other.sum.exponent }
    sum.integer = integer
    sum.specials |= other.sum.specials
    valueCount += other.valueCount
    least = min(least, other.least)
    greatest = max(greatest, other.greatest)
    return true
  }
}

/// The smallest and the greatest value of some rows; of equal ones, that of the first row.
enum TotalRange: Sendable {
  case none
  case words(least: UInt64, greatest: UInt64)
  /// Values that are not words.
  indirect case values(least: TotalCell, greatest: TotalCell)

  var least: TotalCell {
    switch self {
    case .none: .none
    case .words(let least, _): .word(least)
    case .values(let least, _): least
    }
  }

  var greatest: TotalCell {
    switch self {
    case .none: .none
    case .words(_, let greatest): .word(greatest)
    case .values(_, let greatest): greatest
    }
  }

  /// Adds the value of a row, which follows the rows of the range.
  @inline(__always)
  mutating func add(_ cell: TotalCell) {
    switch cell {
    case .none: break
    case .word(let word): add(.words(least: word, greatest: word))
    case .decimal, .value: add(.values(least: cell, greatest: cell))
    }
  }

  /// Adds the range of other rows, which follow the rows of this range.
  @inline(__always)
  mutating func add(_ other: borrowing TotalRange) {
    switch (self, copy other) {
    case (_, .none): break
    case (.words(let least, let greatest), .words(let otherLeast, let otherGreatest)):
      self = .words(least: min(least, otherLeast), greatest: max(greatest, otherGreatest))
    case (.values(let least, let greatest), .values(let otherLeast, let otherGreatest)):
      let (isLess, isGreater) = (
        TotalCell.isOrdered(otherLeast, before: least),
        TotalCell.isOrdered(greatest, before: otherGreatest)
      )
      guard isLess || isGreater else { return }
      self = .values(
        least: isLess ? otherLeast : least, greatest: isGreater ? otherGreatest : greatest)
    default: self = copy other
    }
  }
}
