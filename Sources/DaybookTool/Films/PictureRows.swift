import DaybookResults
import DaybookStore

/// Reads what stands in the rows of a picture, some at a time.
struct PictureRows {
  private let difference: Difference
  private let columns: ListColumns
  /// Rows of the list after, from a rank on, that have been read together.
  private var piece: [[String]] = []
  private var start = 0
  private static let pieceCount = 64

  init(_ difference: Difference, _ columns: ListColumns) {
    self.difference = difference
    self.columns = columns
  }

  /// The cells of a row.
  mutating func cells(_ mark: Mark, atRank rank: Int) -> [String] {
    if mark == .deleted {
      return PictureRows.cells(difference.before, columns, rank..<rank + 1)[0]
    }
    if !(start..<start + piece.count).contains(rank) {
      let end = difference.after.visibleRanks.upperBound
      start = rank
      piece = PictureRows.cells(
        difference.after, columns, rank..<min(rank + PictureRows.pieceCount, end))
    }
    return piece[rank - start]
  }

  private static func cells(
    _ snapshot: ResultSnapshot, _ columns: ListColumns, _ ranks: Range<Int>
  ) -> [[String]] {
    let rows = zip(
      snapshot.identifiers(atRanks: ranks), snapshot.values(in: columns.values, atRanks: ranks))
    return rows.map { ShownList.cells(ShownList.Row(id: $0, values: $1)) }
  }
}
