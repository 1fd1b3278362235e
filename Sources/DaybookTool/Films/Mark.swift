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
  ///   - text: The line.
  ///   - columnCount: The maximum width of the line; nil for any width.
  ///   - terminal: The properties of standard output.
  func line(_ text: String, columnCount: Int?, on terminal: Terminal) -> String {
    var line = "\(rawValue) \(text)"
    if let columnCount {
      line = DisplayWidth.shortened(line, to: columnCount, isPlain: terminal.isPlain)
    }
    guard terminal.usesColor, let color else { return line }
    return "\u{1B}[\(color)m\(line)\u{1B}[0m"
  }

  /// The code of the mark's color in the escape sequences of terminals.
  private var color: Int? {
    switch self {
    case .none: nil
    case .inserted: 32
    case .deleted: 31
    case .moved: 36
    case .updated: 33
    }
  }
}
