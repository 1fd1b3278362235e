import Glibc

/// What standard output leads to, and so how things are shown.
struct Terminal: Hashable, Sendable {
  /// How many columns it has; nil if it is no terminal, and lines may be of any length.
  var columnCount: Int?
  /// Whether headings and the like may be in colour.
  var usesColor: Bool
  /// Whether it shows ASCII only.
  var isPlain: Bool

  init(columnCount: Int?, usesColor: Bool, isPlain: Bool) {
    self.columnCount = columnCount
    self.usesColor = usesColor
    self.isPlain = isPlain
  }

  /// A text as a heading.
  func heading(_ text: String) -> String { usesColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  /// What this process writes to.
  static func current(_ descriptor: Int32) -> Terminal {
    let kind = environment("TERM")
    guard isatty(descriptor) == 1 else {
      return Terminal(columnCount: nil, usesColor: false, isPlain: kind == "dumb")
    }
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let columns = environment("COLUMNS").flatMap { Int($0) }
    return Terminal(
      columnCount: max(20, columns ?? (isKnown ? Int(size.ws_col) : 80)),
      usesColor: environment("NO_COLOR").map { $0.isEmpty } ?? true && kind != "dumb",
      isPlain: kind == "dumb")
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
