import DaybookJournal
import DaybookPlatform

/// Reads single keys from a terminal.
///
/// The terminal is in key mode only while the reader waits for a key: it then passes each key at
/// once and does not echo it. The settings are restored before every return. A signal that ends the
/// process between two keys therefore leaves the terminal in its original state.
final class KeyReader {
  /// The result of waiting for a key.
  enum Answer: Hashable {
    /// The user pressed q, or the terminal was closed.
    case end
    /// The user pressed any other key.
    case proceed
    /// A signal arrived. It has not taken effect yet.
    case signal(Int32)
  }

  private let terminal: TerminalInput

  /// Opens a terminal: standard input if it is one, else the controlling terminal of the process.
  ///
  /// - Returns: nil if there is no terminal.
  init?() {
    guard let terminal = TerminalInput() else { return nil }
    self.terminal = terminal
  }

  /// Waits for a key.
  ///
  /// - Parameter ask: A closure that shows a prompt. It is called when keys are no longer echoed.
  func answer(_ ask: () throws -> Void) throws -> Answer {
    guard let signals = SignalPipe() else { throw KeyReader.refusal() }
    guard let settings = terminal.enterKeyMode() else { return .end }
    defer { terminal.restore(settings) }
    try ask()
    guard terminal.waitForKey(orSignalOf: signals) else { throw KeyReader.refusal() }
    if let number = signals.next() { return .signal(number) }
    guard let byte = terminal.readByte() else { return .end }
    passOverRest(of: byte)
    return byte == UInt8(ascii: "q") || byte == UInt8(ascii: "Q") ? .end : .proceed
  }

  /// Reads the other bytes of a key: an escape sequence, or a letter that is not ASCII.
  private func passOverRest(of first: UInt8) {
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
