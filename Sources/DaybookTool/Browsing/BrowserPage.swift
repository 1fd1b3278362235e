import Daybook

/// A question of a user whose answer is a text.
enum BrowserQuestion: Hashable, Sendable {
  /// The difference of a list between two moments.
  case difference(BrowserQuery, from: UInt64, to: UInt64)
  /// The changes of a record; with an attribute, only those of the attribute.
  case why(entity: String, id: RecordIdentifier, attribute: String?)
  /// The transaction since which rows match a filter.
  case bisect(entity: String, filter: String)
  /// The numbers of rows by the value of a column.
  case counts(BrowserView, by: String)

  /// The text that is shown while the answer is computed.
  var progress: String {
    switch self {
    case .difference: "comparing"
    case .why: "reading the history of the record"
    case .bisect: "searching"
    case .counts: "counting"
    }
  }
}

/// A text that a browser shows instead of the list. The command on the last line of the screen
/// prints the same text.
struct BrowserPage: Sendable {
  /// The question; nil for the pages of keys and of the command.
  var question: BrowserQuestion?
  var title: String
  var lines: [String]
  var command: [String]
  /// The transaction after which the key Enter shows the list; nil if there is none.
  var target: UInt64?
  /// The index of the first visible line.
  private(set) var top = 0

  init(
    _ question: BrowserQuestion?, title: String, lines: [String], command: [String],
    target: UInt64? = nil
  ) {
    self.question = question
    self.title = title
    self.lines = lines
    self.command = command
    self.target = target
  }

  /// Scrolls the text by a number of lines, at most to its ends.
  ///
  /// - Parameter room: The size of the visible part.
  mutating func scroll(by count: Int, in room: ScreenSize) {
    let (sum, overflowed) = top.addingReportingOverflow(count)
    top = max(0, min(overflowed ? count.signum() * lines.count : sum, lastTop(in: room)))
  }

  /// Returns the index of the first visible line when the end of the text is visible.
  private func lastTop(in room: ScreenSize) -> Int {
    var (first, rowCount) = (lines.count, 0)
    while first > 0 {
      rowCount +=
        ScreenLines.wrapped(
          lines[first - 1], to: room.columnCount, countMax: room.rowCount + 1
        ).count
      if rowCount > room.rowCount { return min(first, lines.count - 1) }
      first -= 1
    }
    return 0
  }

  /// Returns the visible lines of the screen, and the number of lines of the text that they show
  /// completely or in part.
  func visible(in room: ScreenSize) -> (rows: [String], count: Int) {
    var rows: [String] = []
    var count = 0
    while rows.count < room.rowCount, top + count < lines.count {
      rows += ScreenLines.wrapped(
        lines[top + count], to: room.columnCount, countMax: room.rowCount + 1)
      count += 1
    }
    return (Array(rows.prefix(room.rowCount)), count)
  }

  /// Returns the page of a command, which can be too long for the last lines of the screen.
  static func command(_ words: [String]) -> BrowserPage {
    BrowserPage(nil, title: "command", lines: [ShellText.command(words)], command: words)
  }

  /// Returns the page of the keys.
  static func keys() -> BrowserPage {
    BrowserPage(
      nil, title: "keys",
      lines: BrowserKeys.help.split(separator: "\n", omittingEmptySubsequences: false).map(
        String.init),
      command: ["browse", "--help"])
  }
}

/// A menu of names, from which the user chooses one.
struct BrowserMenu: Hashable, Sendable {
  enum Purpose: Hashable, Sendable {
    case entity, sort, sections, counts
  }

  /// One name of the menu.
  struct Item: Hashable, Sendable {
    var label: String
    /// The value of the item: an entity, or a key as in `--sort`; nil for the first item of some
    /// menus, which removes the option.
    var value: String?
  }

  let purpose: Purpose
  let title: String
  let items: [Item]
  var selected = 0

  /// Moves the selection.
  ///
  /// - Returns: A Boolean value that indicates whether the key is one that moves the selection.
  mutating func apply(_ key: Key, room: Int) -> Bool {
    let last = max(0, items.count - 1)
    switch key {
    case .up: selected -= 1
    case .down: selected += 1
    case .pageUp: selected -= room
    case .pageDown: selected += room
    case .home: selected = 0
    case .end: selected = last
    default: return false
    }
    selected = max(0, min(selected, last))
    return true
  }
}

/// A line that the user types.
struct BrowserPrompt: Hashable, Sendable {
  enum Purpose: Hashable, Sendable {
    case filter, bisect, sort, sections, moment

    var title: String {
      switch self {
      case .filter: "filter"
      case .bisect: "since when is there a row with"
      case .sort: "sort by"
      case .sections: "sections by"
      case .moment: "go to transaction or time"
      }
    }
  }

  let purpose: Purpose
  var line: LineEditor
  var error: String?
  /// The list when the user began to type.
  let original: BrowserView?
}
