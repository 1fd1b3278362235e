import Daybook
import DaybookEssentials

/// A printer for `daybook replay` that prints the complete list after each transaction.
///
/// If the replay pauses and the output is a terminal, each list replaces the list before it, and is
/// cut to the height of the screen. In all other cases, the lists are complete and follow each
/// other.
struct Film {
  private let columns: ListColumns
  private let isSectioned: Bool
  private let terminal: Terminal
  private let isOnScreen: Bool
  private var isFirst = true

  /// - Parameters:
  ///   - columns: The columns to print.
  ///   - isSectioned: A Boolean value that indicates whether to print the names of sections.
  ///   - isSlow: A Boolean value that indicates whether the replay waits between pictures.
  ///   - terminal: The properties of standard output.
  init(_ columns: ListColumns, isSectioned: Bool, isSlow: Bool, on terminal: Terminal) {
    self.columns = columns
    self.isSectioned = isSectioned
    self.terminal = terminal
    isOnScreen = isSlow && terminal.isScreen
  }

  /// The transaction after which a list is shown.
  struct Moment {
    var sequence: SequenceNumber
    var time: JournalTime
    var metadata: TransactionMetadata
  }

  /// Prints the list after a transaction.
  mutating func show(
    _ difference: RecordDifference, after moment: Moment, to output: Output
  ) throws {
    if isOnScreen {
      try output.control("\u{1B}[H\u{1B}[2J")
    } else if !isFirst {
      try output.line("")
    }
    isFirst = false
    let heading = heading(of: difference.after, after: moment)
    let summary = ShownDifference(difference, columns: columns).summary ?? "no changes"
    try output.line(terminal.heading(fitted(heading)))
    try output.line(fitted(summary))

    let picture = Picture(difference, isSectioned: isSectioned)
    // Four lines are for the heading, the summary, the column titles, and the cursor.
    let lineCountMax = isOnScreen ? terminal.rowCount.map { max(1, $0 - 4) } : nil
    let cut = lineCountMax.map { PictureCut(picture, lineCountMax: $0) }
    try show(picture, cutTo: cut, to: output)
    if let sentence = cut?.sentence { try output.line(fitted("  \(sentence)")) }
  }

  /// Returns a heading such as `tx 2  2026-01-01T00:01:00Z  Chore: 6 rows in 3 sections  author:
  /// Ann`.
  private func heading(of list: ListObjects, after moment: Moment) -> String {
    let rows = Counted.phrase(list.count, one: "row", several: "rows")
    let sections = Counted.phrase(list.sections.count, one: "section", several: "sections")
    let name = DisplayWidth.shown(columns.entity.name)
    return [
      "tx \(moment.sequence)", moment.time.shownString,
      "\(name): \(rows)" + (isSectioned ? " in \(sections)" : ""), moment.metadata.shownString,
    ].compactMap { $0 }.joined(separator: "  ")
  }

  private func show(_ picture: Picture, cutTo cut: PictureCut?, to output: Output) throws {
    var rows = PictureRows(picture.difference, columns: columns)
    // A mark and a space precede each line of the table, so the table is two columns narrower.
    var inner = terminal
    inner.columnCount = terminal.columnCount.map { $0 - 2 }
    var table = TextTable(columns, on: inner)
    var hasRows = false
    try forEachLine(of: picture, cutTo: cut) { line in
      guard case .row(let mark, let index) = line else { return }
      table.measure(try rows.cells(mark, at: index))
      hasRows = true
    }
    table.fit()
    if hasRows {
      try output.line(terminal.heading(fitted("  \(table.head)")))
    }
    if let section = cut?.section { try show(section, of: picture, to: output) }
    try forEachLine(of: picture, cutTo: cut) { line in
      guard case .row(let mark, let index) = line else {
        return try show(line, of: picture, to: output)
      }
      let row = table.line(try rows.cells(mark, at: index))
      try output.line(mark.line(row, columnCount: screenColumnCount, on: terminal))
    }
  }

  /// Prints the name of a section, or an empty line.
  private func show(_ line: Picture.Line, of picture: Picture, to output: Output) throws {
    guard case .section(let mark, let index) = line else { return try output.line("") }
    let list = mark == .deleted ? picture.difference.before : picture.difference.after
    let section = list.sections[index]
    let count = mark == .deleted ? 0 : section.numberOfObjects
    let line = mark.line(
      "\(DisplayWidth.shown(section.name)) (\(count))",
      columnCount: screenColumnCount, on: terminal)
    try output.line(mark == .none ? terminal.heading(line.text) : line)
  }

  private func forEachLine(
    of picture: Picture, cutTo cut: PictureCut?, body: (Picture.Line) throws -> Void
  ) rethrows {
    var index = 0
    try picture.forEachLine { line in
      if cut?.shown.contains(index) ?? true { try body(line) }
      index += 1
    }
  }

  /// The maximum width of a line; nil for any width. On a screen, a longer line would take two
  /// lines.
  private var screenColumnCount: Int? { isOnScreen ? terminal.columnCount : nil }

  private func fitted(_ line: String) -> String {
    guard let screenColumnCount else { return line }
    return DisplayWidth.shortened(line, to: screenColumnCount, isPlain: terminal.isPlain)
  }
}
