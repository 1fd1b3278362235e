/// One line of a terminal: texts, each with a style. Control characters of the texts are escaped.
struct StyledLine: Hashable, Sendable {
  /// The appearance of a text. A terminal without colors shows all styles as plain text.
  enum Style: Hashable, Sendable {
    case plain, bold, dim, reverse
    case color(Terminal.Color)

    /// The code of the style in the escape sequences of terminals; nil for plain text.
    fileprivate var code: Int? {
      switch self {
      case .plain: nil
      case .bold: 1
      case .dim: 2
      case .reverse: 7
      case .color(let color): color.rawValue
      }
    }
  }

  private struct Run: Hashable {
    var text: String
    var style: Style
  }

  private var runs: [Run] = []

  init() {}

  /// Creates a line with one text.
  init(_ string: String, style: Style = .plain) { append(string, style: style) }

  /// Appends a text.
  mutating func append(_ string: String, style: Style = .plain) {
    if !string.isEmpty { runs.append(Run(text: DisplayWidth.shown(string), style: style)) }
  }

  /// Appends the texts of a second line.
  mutating func append(_ other: StyledLine) { runs += other.runs }

  /// The characters of the line.
  var text: String { runs.map(\.text).joined() }

  var columnCount: Int { runs.reduce(0) { $0 + DisplayWidth.columns($1.text) } }

  /// Returns the line with an exact width: shortened with an ellipsis, or filled with spaces.
  func fitted(to columnCount: Int) -> StyledLine {
    var line = StyledLine()
    var room = max(0, columnCount)
    for run in runs {
      let width = DisplayWidth.columns(run.text)
      guard width > room else {
        line.append(run.text, style: run.style)
        room -= width
        continue
      }
      let string =
        room == 0 ? "" : DisplayWidth.shortened(run.text, to: room, isPlain: false)
      line.append(string, style: run.style)
      room -= DisplayWidth.columns(string)
      break
    }
    line.append(String(repeating: " ", count: max(0, room)), style: runs.last?.style ?? .plain)
    return line
  }

  /// Returns the line with spaces before it.
  func indented(by columnCount: Int) -> StyledLine {
    var line = StyledLine(String(repeating: " ", count: columnCount))
    line.append(self)
    return line
  }

  /// Returns the line in one style.
  func styled(_ style: Style) -> StyledLine { StyledLine(text, style: style) }

  /// Returns the bytes that print the line on a terminal.
  func escaped(usesColor: Bool) -> String {
    guard usesColor else { return text }
    return runs.map { run in
      run.style.code.map { "\u{1B}[\($0)m\(run.text)\u{1B}[0m" } ?? run.text
    }.joined()
  }
}

/// Functions that divide a text into lines of a screen.
enum ScreenLines {
  /// Returns a text, divided into lines of at most a given width.
  ///
  /// If there are too many lines, the last one ends with an ellipsis.
  ///
  /// - Parameters:
  ///   - string: The text, without control characters.
  ///   - columnCount: The width.
  ///   - countMax: The largest number of lines.
  static func wrapped(_ string: String, to columnCount: Int, countMax: Int = .max) -> [String] {
    let room = max(2, columnCount)
    var lines = [""]
    var width = 0
    for character in string {
      let columnCount = DisplayWidth.columns(character)
      if width + columnCount > room {
        guard lines.count < countMax else {
          // The additional spaces make the line too wide, so that it is shortened.
          lines[countMax - 1] = DisplayWidth.shortened(
            lines[countMax - 1] + "  ", to: room, isPlain: false)
          return lines
        }
        lines.append("")
        width = 0
      }
      lines[lines.count - 1].append(character)
      width += columnCount
    }
    return lines
  }
}

/// The content of a full screen.
struct ScreenPicture: Hashable, Sendable {
  /// A position on the screen, counted from 0.
  struct Position: Hashable, Sendable {
    var row: Int
    var column: Int
  }

  var lines: [StyledLine]
  /// The position of the cursor; nil if the cursor is hidden.
  var cursor: Position?
}

/// The size of a full screen.
struct ScreenSize: Hashable, Sendable {
  var columnCount: Int
  var rowCount: Int
}
