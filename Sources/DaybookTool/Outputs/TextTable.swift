/// A table of text with aligned columns.
///
/// The caller passes each row twice: first to `measure`, and after `fit` to `line`. Therefore the
/// table keeps no rows in memory.
///
/// On a terminal, a row takes only one line. If the table is too wide, it narrows the widest
/// columns, and leaves out columns from the right if this is not enough. The first column
/// identifies the row, so it keeps its width if possible.
struct TextTable {
  private let heads: [String]
  private let alignsRight: [Bool]
  private var widths: [Int]
  private let terminal: Terminal
  /// The number of columns that are printed.
  private var shownCount: Int
  /// The minimum width of every column except the first.
  private static let widthMin = 6
  private static let gap = "  "

  init(_ heads: [String], alignsRight: [Bool], on terminal: Terminal) {
    self.heads = heads.map { DisplayWidth.shown($0) }
    self.alignsRight = alignsRight
    self.terminal = terminal
    widths = self.heads.map { DisplayWidth.columns($0) }
    shownCount = heads.count
  }

  /// Widens the columns for a row.
  mutating func measure(_ cells: [String]) {
    for (column, cell) in cells.enumerated() {
      widths[column] = max(widths[column], DisplayWidth.columns(cell))
    }
  }

  /// Narrows the table to the width of the terminal.
  mutating func fit() {
    guard let room = terminal.columnCount, !widths.isEmpty else { return }
    func width(of count: Int) -> Int {
      let needed = widths[1..<max(1, count)].map { min($0, TextTable.widthMin) }
      // The sign for hidden columns takes a column too.
      let sign = count < heads.count ? 1 + TextTable.gap.count : 0
      return widths[0] + needed.reduce(0, +) + TextTable.gap.count * (count - 1) + sign
    }
    while shownCount > 1, width(of: shownCount) > room { shownCount -= 1 }
    let sign = isCut ? 1 + TextTable.gap.count : 0
    let taken = widths[..<shownCount].reduce(0, +) + TextTable.gap.count * (shownCount - 1) + sign
    narrow(by: taken - room)
  }

  /// Makes the table narrower by a number of terminal columns. Each step narrows the widest column.
  private mutating func narrow(by columnCount: Int) {
    var excess = columnCount
    while excess > 0 {
      guard let widest = (1..<max(1, shownCount)).max(by: { widths[$0] < widths[$1] }),
        widths[widest] > TextTable.widthMin
      else { break }
      let next = widths[1..<shownCount].filter { $0 < widths[widest] }.max() ?? TextTable.widthMin
      let step = max(1, min(excess, widths[widest] - max(next, TextTable.widthMin)))
      widths[widest] -= step
      excess -= step
    }
    if excess > 0 { widths[0] = max(TextTable.widthMin, widths[0] - excess) }
  }

  /// A Boolean value that indicates whether columns are hidden.
  private var isCut: Bool { shownCount < heads.count }

  /// The lines of a sentence with the names of the hidden columns and the option `--columns`; nil
  /// if all columns are shown.
  var hiddenSentence: [String]? {
    guard isCut else { return nil }
    let names = heads[shownCount...]
    let count = Counted.phrase(names.count, one: "column does", several: "columns do")
    let sentence =
      "\(count) not fit: \(names.joined(separator: ", ")). Choose columns with --columns."
    var lines: [String] = []
    for word in sentence.split(separator: " ") {
      let longer = lines.last.map { "\($0) \(word)" } ?? ""
      if !lines.isEmpty, DisplayWidth.columns(longer) <= terminal.columnCount ?? .max {
        lines[lines.count - 1] = longer
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// The column titles in one line.
  var head: String { isCut ? "\(line(heads))\(TextTable.gap)\(sign)" : line(heads) }

  /// The sign at the end of the titles that means that columns are hidden.
  private var sign: String { terminal.isPlain ? ">" : "…" }

  /// Returns the line of a row, without spaces at its end.
  func line(_ cells: [String]) -> String {
    var line = ""
    for (column, cell) in cells.prefix(shownCount).enumerated() {
      let content =
        column == 0
        ? DisplayWidth.shortenedInMiddle(cell, to: widths[0], isPlain: terminal.isPlain)
        : DisplayWidth.shortened(cell, to: widths[column], isPlain: terminal.isPlain)
      let padding = String(
        repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(content)))
      if column > 0 { line += TextTable.gap }
      line += alignsRight[column] ? padding + content : content + padding
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
