import Daybook

/// A reader of the cells of a picture's rows. It reads 64 rows of the new list at a time, so that
/// it does not keep all cells in memory.
struct PictureRows {
  private let difference: RecordDifference
  private let columns: ListColumns
  /// The cells of the consecutive rows of the new list that were read last.
  private var piece: [[String]] = []
  private var start = 0
  private static let pieceCount = 64

  init(_ difference: RecordDifference, columns: ListColumns) {
    self.difference = difference
    self.columns = columns
  }

  /// Returns the cells of a row.
  mutating func cells(_ mark: Mark, at index: Int) throws -> [String] {
    if mark == .deleted { return try cells(of: difference.before, in: index..<index + 1)[0] }
    if !(start..<start + piece.count).contains(index) {
      start = index
      let end = min(index + PictureRows.pieceCount, difference.after.count)
      piece = try cells(of: difference.after, in: index..<end)
    }
    return piece[index - start]
  }

  private func cells(of objects: ListObjects, in range: Range<Int>) throws -> [[String]] {
    try columns.rows(of: objects, in: range).map(ShownList.cells)
  }
}
