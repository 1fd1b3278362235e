import DaybookJournal
import DaybookPlatform

/// A reader of single keys from a terminal, for `daybook replay --step`.
///
/// In *key mode*, a terminal passes each key immediately and does not echo it. The terminal is in
/// key mode only while the reader waits for a key. The reader restores the settings before it
/// returns. Therefore the terminal is in its original state if a signal ends the process between
/// two keys.
final class KeyReader {
  /// The result of waiting for a key.
  enum Answer: Hashable {
    /// The user pressed q, or the terminal was closed.
    case end
    /// The user pressed any other key.
    case proceed
    /// A signal arrived. The reader has caught it, so the caller must raise it again.
    case signal(Int32)
  }

  private let terminal: TerminalInput

  /// Opens the terminal: standard input if it is a terminal, and otherwise the controlling terminal
  /// of the process.
  ///
  /// - Returns: nil if there is no terminal.
  init?() {
    guard let terminal = TerminalInput() else { return nil }
    self.terminal = terminal
  }

  /// Waits for a key.
  ///
  /// - Parameter ask: A closure that shows a prompt. The method calls it after it has turned off
  ///   the echo.
  func answer(_ ask: () throws -> Void) throws -> Answer {
    guard let signals = SignalPipe() else { throw KeyReader.refusal() }
    guard let settings = terminal.enterKeyMode() else { return .end }
    defer { terminal.restore(settings) }
    try ask()
    guard terminal.waitForKey(orSignalOf: signals) else { throw KeyReader.refusal() }
    if let number = signals.next() { return .signal(number) }
    guard let byte = terminal.readByte() else { return .end }
    skipRest(of: byte)
    return byte == UInt8(ascii: "q") || byte == UInt8(ascii: "Q") ? .end : .proceed
  }

  /// Reads and ignores the remaining bytes of a key. A key can be an escape sequence, or a
  /// character outside ASCII.
  private func skipRest(of first: UInt8) {
    switch first {
    case 0x1B:
      guard terminal.hasInput, let second = terminal.readByte(), "[O".utf8.contains(second) else {
        return
      }
      while terminal.hasInput, let next = terminal.readByte(), !(0x40...0x7E).contains(next) {}
    case 0xC0...:
      for _ in 1..<(first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4) where terminal.hasInput {
        _ = terminal.readByte()
      }
    default: break
    }
  }

  private static func refusal() -> ToolError {
    ToolError(.refused, sentence: "\(DiskError(.read, path: "the terminal", code: Errno.last))")
  }
}
