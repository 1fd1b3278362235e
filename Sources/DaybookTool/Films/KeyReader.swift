import DaybookJournal
import DaybookPlatform

/// Reads keys from a terminal, one at a time, as they are pressed.
///
/// Only while a key is waited for the terminal gives keys out at once and does not show them. Before an
/// answer is given, whatever it is, the terminal is again as it was: what ends the process between two keys
/// finds nothing to put in order.
final class KeyReader {
  /// What was waited for.
  enum Answer: Hashable {
    /// A key that asks for the end, or there are no more keys, as the terminal is gone.
    case end
    /// Any other key.
    case goOn
    /// A signal came, which has done nothing yet.
    case signal(Int32)
  }

  private let terminal: TerminalInput

  /// Finds a terminal: standard input if it is one, else the one that the process was started from.
  ///
  /// - Returns: nil if there is none.
  init?() {
    guard let terminal = TerminalInput() else { return nil }
    self.terminal = terminal
  }

  /// Waits for a key.
  ///
  /// - Parameter ask: Says that one is waited for, when one that is pressed now is not shown any more.
  func answer(_ ask: () throws -> Void) throws -> Answer {
    guard let signals = SignalPipe() else { throw KeyReader.refusal() }
    guard let settings = terminal.enterKeyMode() else { return .end }
    defer { terminal.restore(settings) }
    try ask()
    guard terminal.waitForKey(orSignalOf: signals) else { throw KeyReader.refusal() }
    if let number = signals.next() { return .signal(number) }
    guard let byte = terminal.readByte() else { return .end }
    passOverRest(of: byte)
    return byte == UInt8(ascii: "q") || byte == UInt8(ascii: "Q") ? .end : .goOn
  }

  /// A key can be several bytes: an escape and what follows, or a letter that is not ASCII.
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
