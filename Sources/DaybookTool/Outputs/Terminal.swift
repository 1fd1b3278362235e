import DaybookPlatform

/// What standard output leads to, and so how things are shown.
struct Terminal: Hashable, Sendable {
  /// How many columns it has; nil if it is no terminal, and lines may be of any length.
  var columnCount: Int?
  /// How many lines it shows; nil if it is no terminal.
  var rowCount: Int?
  /// Whether headings and the like may be in colour.
  var usesColor: Bool
  /// Whether it shows ASCII only.
  var isPlain: Bool

  init(columnCount: Int?, rowCount: Int? = nil, usesColor: Bool, isPlain: Bool) {
    self.columnCount = columnCount
    self.rowCount = rowCount
    self.usesColor = usesColor
    self.isPlain = isPlain
  }

  /// A text as a heading.
  func heading(_ text: String) -> String { usesColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// What this process writes to.
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

  /// In fewer columns or rows nothing can be read.
  private static let columnCountMin = 20
  private static let rowCountMin = 7

  /// Whether what this process writes to shows ASCII only.
  static var isPlain: Bool { CurrentProcess.environment("TERM") == "dumb" }

  /// A text of the tool's own in signs that are shown. What a journal holds is printed as it is.
  static func own(_ text: String, isPlain: Bool) -> String {
    isPlain ? text.replacing("…", with: "...") : text
  }

  /// What is no number above 0 says nothing.
  private static func number(_ name: String) -> Int? {
    CurrentProcess.environment(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
