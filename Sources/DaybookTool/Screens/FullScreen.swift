import DaybookJournal
import DaybookPlatform

/// A terminal that shows full screens and passes single keys.
///
/// The life of a full screen:
///
/// 1. ``enter()`` switches to the alternate screen and to key mode.
/// 2. ``draw(_:)`` shows pictures. It writes only the lines that differ from the last picture.
/// 3. ``leave()`` restores the screen and the settings of the terminal. If the process crashes, the
///    handlers of crashes do so.
///
/// The program may enter the screen again, for example after it was stopped.
final class FullScreen {
  private let input: TerminalInput
  private let usesColor: Bool
  private var settings: TerminalInput.Settings?
  private var shown: ScreenPicture?

  private static let output = FileDescriptor.standardOutput
  /// The sequences that switch to the alternate screen, without automatic line breaks.
  private static let start = "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l\u{1B}[2J"
  private static let end: StaticString = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  init(_ input: TerminalInput, usesColor: Bool) {
    self.input = input
    self.usesColor = usesColor
  }

  deinit { leave() }

  /// The current size of the terminal.
  var size: ScreenSize {
    let size = FullScreen.output.terminalSize
    return ScreenSize(columnCount: size.columnCount ?? 80, rowCount: size.rowCount ?? 24)
  }

  /// Switches to the alternate screen.
  func enter() throws {
    guard let settings = input.enterKeyMode() else {
      throw ToolError(
        .refused, sentence: "\(DiskError(.read, path: "the terminal", code: Errno.last))")
    }
    self.settings = settings
    input.restoreOnCrash(settings, sending: FullScreen.end)
    shown = nil
    try write(FullScreen.start)
  }

  /// Restores the screen and the settings of the terminal. A second call does nothing.
  func leave() {
    guard let settings else { return }
    input.restore(settings)
    // The terminal may have been closed. Then there is nothing to restore.
    try? write("\(FullScreen.end)")
    input.restoreOnCrash(nil, sending: "")
    self.settings = nil
  }

  /// Shows a picture.
  func draw(_ picture: ScreenPicture) throws {
    var escapes = ""
    for (row, line) in picture.lines.enumerated() {
      if let shown, shown.lines.count == picture.lines.count, shown.lines[row] == line { continue }
      escapes += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line.escaped(usesColor: usesColor))"
    }
    if let cursor = picture.cursor {
      escapes += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
    } else if shown?.cursor != nil {
      escapes += "\u{1B}[?25l"
    }
    if shown != picture, !escapes.isEmpty { try write(escapes) }
    shown = picture
  }

  /// Invalidates the shown picture, because the terminal has a new size. The next picture writes
  /// all lines.
  func forget() throws {
    shown = nil
    try write("\u{1B}[?25l\u{1B}[2J")
  }

  private func write(_ string: String) throws {
    do throws(DiskError) {
      try FullScreen.output.writeAll(Array(string.utf8).span.bytes)
    } catch {
      throw ToolError(.refused, sentence: "\(error)")
    }
  }
}
