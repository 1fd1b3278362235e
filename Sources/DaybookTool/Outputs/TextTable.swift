/// Columns of text, aligned by what they look like.
///
/// The widths of all rows are found out before the first is printed, so rows are gone through twice; they
/// need not be kept.
struct TextTable {
  private let heads: [String]
  private let alignsRight: [Bool]
  private var widths: [Int]
  private let terminal: Terminal
  /// A column is not made narrower than this.
  private static let widthMin = 6
  private static let gap = "  "

  init(_ heads: [String], alignsRight: [Bool], _ terminal: Terminal) {
    self.heads = heads.map { DisplayWidth.shown($0) }
    self.alignsRight = alignsRight
    self.terminal = terminal
    widths = self.heads.map { DisplayWidth.columns($0) }
  }

  /// Makes room for a row.
  mutating func measure(_ cells: [String]) {
    for (column, cell) in cells.enumerated() {
      widths[column] = max(widths[column], DisplayWidth.columns(cell))
    }
  }

  /// Takes from the widest columns what a terminal has not.
  mutating func fit() {
    guard let room = terminal.columnCount, !widths.isEmpty else { return }
    var excess = widths.reduce(0, +) + TextTable.gap.count * (widths.count - 1) - room
    while excess > 0 {
      guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > TextTable.widthMin
      else { return }
      let next = widths.filter { $0 < widths[widest] }.max() ?? TextTable.widthMin
      let step = max(1, min(excess, widths[widest] - max(next, TextTable.widthMin)))
      widths[widest] -= step
      excess -= step
    }
  }

  var head: String { line(heads) }

  /// A row as a line, without spaces at its end.
  func line(_ cells: [String]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let text = DisplayWidth.shortened(cell, to: widths[column], isPlain: terminal.isPlain)
      let padding = String(
        repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(text)))
      if column > 0 { line += TextTable.gap }
      line += alignsRight[column] ? padding + text : text + padding
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
