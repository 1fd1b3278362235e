import DaybookStore

/// The measures of a request, bound to a schema.
package struct TotalPlan: Sendable {
  /// The measures, in the order of the request.
  let measures: [MeasureDefinition]
  /// The attributes that the measures read, each once.
  let columns: [TotalColumn]
  /// For each measure, the index of its column; nil for the number of rows.
  let columnIndexes: [Int?]

  /// Returns the cells of a row, one for each column.
  func cells(of row: RowLocation, in state: FrozenState) -> [TotalCell] {
    columns.map { $0.cell(of: row, in: state) }
  }

  /// The totals of no rows.
  var none: [ColumnTotals] { columns.map { ColumnTotals($0) } }

  /// Returns the values of the measures.
  ///
  /// - Parameter distinctCounts: The number of different values in each column, if measures need
  ///   it.
  func values(
    of totals: [ColumnTotals], rowCount: Int, distinctCounts: [Int] = []
  ) -> [TotalValue] {
    measures.indices.map { index in
      guard let columnIndex = columnIndexes[index] else { return .integer(Int128(rowCount)) }
      if measures[index].function == .distinct {
        return .integer(Int128(distinctCounts[columnIndex]))
      }
      return totals[columnIndex].value(measures[index].function, of: columns[columnIndex])
    }
  }
}
