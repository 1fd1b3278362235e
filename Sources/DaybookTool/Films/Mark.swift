/// What a transaction did to a section or a row of a picture.
enum Mark: Character, CaseIterable {
  /// Nothing, or nothing but to shift it.
  case none = " "
  case inserted = "+"
  case deleted = "-"
  case moved = ">"
  /// It has other values where it stands.
  case updated = "~"

  /// A line with the mark before it, in a colour of its own where the terminal has colours.
  ///
  /// - Parameter columnCount: How many columns the line may have; nil for any number.
  func line(_ text: String, columnCount: Int?, on terminal: Terminal) -> String {
    var line = "\(rawValue) \(text)"
    if let columnCount {
      line = DisplayWidth.shortened(line, to: columnCount, isPlain: terminal.isPlain)
    }
    guard terminal.usesColor, let color else { return line }
    return "\u{1B}[\(color)m\(line)\u{1B}[0m"
  }

  /// The number that terminals know a colour by.
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
