import DaybookPlatform

/// The properties of an output, which is a terminal, a file or a pipe.
struct Terminal: Hashable, Sendable {
  /// The number of columns; nil if the output is not a terminal and lines may have any length.
  var columnCount: Int?
  /// The number of lines; nil if the output is not a terminal.
  var rowCount: Int?
  /// A Boolean value that indicates whether the output may contain colors and bold text.
  var usesColor: Bool
  /// A Boolean value that indicates whether the terminal shows only ASCII and cannot move the
  /// cursor (`TERM=dumb`).
  var isPlain: Bool

  init(columnCount: Int?, rowCount: Int? = nil, usesColor: Bool, isPlain: Bool) {
    self.columnCount = columnCount
    self.rowCount = rowCount
    self.usesColor = usesColor
    self.isPlain = isPlain
  }

  /// Returns a text in bold, if the output may contain bold text.
  func heading(_ title: String) -> StyledLine {
    StyledLine(title, style: usesColor ? .bold : .plain)
  }

  /// A color of a terminal. Users choose in their terminal how it looks.
  enum Color: Int {
    case red = 31
    case green, yellow
    case cyan = 36
  }

  /// Returns a text in a color, if the output may contain colors.
  func colored(_ string: String, in color: Color) -> StyledLine {
    StyledLine(string, style: usesColor ? .color(color) : .plain)
  }

  /// Returns the properties of an output of this process.
  static func current(_ descriptor: FileDescriptor) -> Terminal {
    guard descriptor.isTerminal else {
      return Terminal(columnCount: nil, usesColor: false, isPlain: isPlain)
    }
    let size = descriptor.terminalSize
    return Terminal(
      columnCount: max(
        columnCountMin,
        number("COLUMNS") ?? size.columnCount ?? 80),
      rowCount: max(
        rowCountMin, number("LINES") ?? size.rowCount ?? 24),
      usesColor: CurrentProcess.environment("NO_COLOR").map { $0.isEmpty } ?? true && !isPlain,
      isPlain: isPlain)
  }

  /// The smallest size that the tool assumes. On a smaller terminal, no table would be readable.
  private static let columnCountMin = 20
  private static let rowCountMin = 7

  /// A Boolean value that indicates whether the environment variable `TERM` is `dumb`.
  static var isPlain: Bool { CurrentProcess.environment("TERM") == "dumb" }

  /// Returns a text of the tool itself, in which "..." replaces the ellipsis on a plain terminal.
  /// Do not use it for values of a journal.
  static func own(_ string: String, isPlain: Bool) -> String {
    isPlain ? string.replacing("…", with: "...") : string
  }

  /// Returns the number in an environment variable; nil if the value is not a number above 0.
  private static func number(_ name: String) -> Int? {
    CurrentProcess.environment(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
