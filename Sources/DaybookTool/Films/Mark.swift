/// The change of a section or a row in a picture.
enum Mark: Character, CaseIterable {
  /// No change of the row itself. Its index may differ because of changes of other rows.
  case none = " "
  case inserted = "+"
  case deleted = "-"
  case moved = ">"
  /// The row has new values at its old position.
  case updated = "~"

  /// Returns a line with the mark before it. If the terminal has colors, the line has the color of
  /// the mark.
  ///
  /// - Parameters:
  ///   - content: The line.
  ///   - columnCount: The maximum width of the line; nil for any width.
  ///   - terminal: The properties of standard output.
  func line(_ content: String, columnCount: Int?, on terminal: Terminal) -> StyledLine {
    var line = "\(rawValue) \(content)"
    if let columnCount {
      line = DisplayWidth.shortened(line, to: columnCount, isPlain: terminal.isPlain)
    }
    return color.map { terminal.colored(line, in: $0) } ?? StyledLine(line)
  }

  /// The color of the mark on a terminal; nil for none.
  var color: Terminal.Color? {
    switch self {
    case .none: nil
    case .inserted: .green
    case .deleted: .red
    case .moved: .cyan
    case .updated: .yellow
    }
  }
}
