/// A chart as lines of a terminal.
struct ChartText {
  private let chart: Chart
  private let terminal: Terminal
  private let columnCount: Int

  init(_ chart: Chart, on terminal: Terminal) {
    self.chart = chart
    self.terminal = terminal
    columnCount = terminal.columnCount ?? 80
  }

  /// The lines: one curve as a graph, several as one line each.
  var lines: [StyledLine] {
    let title = terminal.heading(chart.title)
    guard let range = chart.range else { return [title, StyledLine("no values")] }
    let lines = chart.curves.count == 1 ? graph(range) : table(range)
    return [title] + lines.map { StyledLine($0) }
  }

  // MARK: One curve

  /// The number of lines of a graph.
  private static let rowCount = 10

  private func graph(_ range: ClosedRange<Double>) -> [String] {
    let (low, high) =
      chart.quantity == .rank
      ? (range.upperBound, range.lowerBound) : (range.lowerBound, range.upperBound)
    let labels = [chart.label(of: high), chart.label(of: low)]
    let margin = labels.map { DisplayWidth.columns($0) }.max() ?? 0
    let width = max(10, columnCount - margin - 3)
    var grid = DotGrid(columnCount: width, rowCount: ChartText.rowCount, isPlain: terminal.isPlain)
    let values = chart.curves[0].values(
      from: chart.first.sequence.rawValue, through: chart.last.sequence.rawValue,
      count: grid.width)
    var previous: Int?
    for (x, value) in values.enumerated() {
      let y = value.map {
        Int((chart.height(of: $0, in: range) * Double(grid.height - 1)).rounded())
      }
      if let y {
        for dot in min(previous ?? y, y)...max(previous ?? y, y) { grid.set(x: x, y: dot) }
      }
      previous = y
    }
    let (bar, corner, line) = terminal.isPlain ? ("|", "+", "-") : ("│", "└", "─")
    var lines: [String] = []
    for (row, dots) in grid.lines.enumerated() {
      let label = row == 0 ? labels[0] : row == ChartText.rowCount - 1 ? labels[1] : ""
      lines.append(trimmed("\(padded(label, to: margin)) \(bar)\(dots)"))
    }
    let indent = String(repeating: " ", count: margin + 1)
    lines.append(indent + corner + String(repeating: line, count: width))
    lines += ends(indent: margin + 2, width: width)
    return lines
  }

  /// The lines with the first and the last transaction.
  private func ends(indent: Int, width: Int) -> [String] {
    let space = String(repeating: " ", count: indent)
    let (first, last) = ("\(chart.first.sequence)", "\(chart.last.sequence)")
    let times = (chart.first.time.shownString, chart.last.time.shownString)
    return [(first, last), times].map { start, end in
      let gap = width - DisplayWidth.columns(start) - DisplayWidth.columns(end)
      return gap > 0
        ? space + start + String(repeating: " ", count: gap) + end : "\(space)\(start) - \(end)"
    }
  }

  // MARK: Several curves

  private func table(_ range: ClosedRange<Double>) -> [String] {
    let names = chart.curves.map { DisplayWidth.shown($0.name) }
    let ends = chart.curves.map { $0.last.map { chart.label(of: $0) } ?? "" }
    let endWidth = ends.map { DisplayWidth.columns($0) }.max() ?? 0
    let nameWidth = min(names.map { DisplayWidth.columns($0) }.max() ?? 0, columnCount / 3)
    let width = max(10, columnCount - nameWidth - endWidth - 4)
    var lines: [String] = []
    for (index, curve) in chart.curves.enumerated() {
      let name = DisplayWidth.shortenedInMiddle(
        names[index], to: nameWidth, isPlain: terminal.isPlain)
      let spaces = String(repeating: " ", count: max(0, nameWidth - DisplayWidth.columns(name)))
      let values = curve.values(
        from: chart.first.sequence.rawValue, through: chart.last.sequence.rawValue, count: width)
      lines.append(
        "\(name)\(spaces)  \(sparkline(values, in: range))  \(padded(ends[index], to: endWidth))")
    }
    let span =
      "transactions \(chart.first.sequence) to \(chart.last.sequence), "
      + "\(chart.first.time.shownString) to \(chart.last.time.shownString)"
    return lines.map(trimmed) + [
      "values from \(chart.label(of: range.lowerBound)) to \(chart.label(of: range.upperBound))",
      span,
    ]
  }

  private func sparkline(_ values: [Double?], in range: ClosedRange<Double>) -> String {
    let signs = Array(terminal.isPlain ? "_.-=+*%#" : "▁▂▃▄▅▆▇█")
    return String(
      values.map { value in
        guard let value else { return Character(" ") }
        let level = chart.height(of: value, in: range) * Double(signs.count - 1)
        return signs[Int(level.rounded())]
      })
  }

  private func padded(_ cell: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - DisplayWidth.columns(cell))) + cell
  }

  private func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}

/// A grid of dots that is printed as characters. A character is a braille pattern of 2 by 4 dots,
/// or an asterisk for one dot.
private struct DotGrid {
  private let columnCount: Int
  private let rowCount: Int
  private let isPlain: Bool
  /// The pattern of dots of each character, from the top left.
  private var patterns: [UInt32]

  init(columnCount: Int, rowCount: Int, isPlain: Bool) {
    (self.columnCount, self.rowCount, self.isPlain) = (columnCount, rowCount, isPlain)
    patterns = Array(repeating: 0, count: columnCount * rowCount)
  }

  /// The number of dots in each direction.
  var width: Int { isPlain ? columnCount : 2 * columnCount }
  var height: Int { isPlain ? rowCount : 4 * rowCount }

  /// The bits of a braille pattern: for each column, from the top to the bottom.
  private static let bits: [[UInt32]] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]]

  /// Sets a dot. The origin is at the bottom left.
  mutating func set(x: Int, y: Int) {
    let top = height - 1 - y
    if isPlain {
      patterns[top * columnCount + x] = 1
    } else {
      patterns[top / 4 * columnCount + x / 2] |= DotGrid.bits[x % 2][top % 4]
    }
  }

  /// The lines, from the top to the bottom.
  var lines: [String] {
    (0..<rowCount).map { row in
      var line = ""
      for pattern in patterns[row * columnCount..<(row + 1) * columnCount] {
        if pattern == 0 {
          line += " "
        } else if isPlain {
          line += "*"
        } else if let scalar = Unicode.Scalar(0x2800 + pattern) {
          line.unicodeScalars.append(scalar)
        }
      }
      return line
    }
  }
}
