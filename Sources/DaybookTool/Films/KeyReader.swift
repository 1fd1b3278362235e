import DaybookJournal
import Glibc

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

  private let descriptor: Int32
  private let isOwn: Bool

  /// Finds a terminal: standard input if it is one, else the one that the process was started from.
  ///
  /// - Returns: nil if there is none.
  init?() {
    guard isatty(STDIN_FILENO) != 1 else {
      (descriptor, isOwn) = (STDIN_FILENO, false)
      return
    }
    descriptor = open("/dev/tty", O_RDONLY | O_CLOEXEC)
    isOwn = true
    if descriptor < 0 { return nil }
  }

  deinit { if isOwn { close(descriptor) } }

  /// Waits for a key.
  ///
  /// - Parameter ask: Says that one is waited for, when one that is pressed now is not shown any more.
  func answer(_ ask: () throws -> Void) throws -> Answer {
    guard let signals = SignalPipe() else { throw KeyReader.refusal() }
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { return .end }
    var direct = before
    direct.c_lflag &= ~tcflag_t(ICANON | ECHO)
    guard tcsetattr(descriptor, TCSANOW, &direct) == 0 else { return .end }
    defer { tcsetattr(descriptor, TCSANOW, &before) }
    try ask()
    var polled = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&polled, nfds_t(polled.count), -1) < 0 {
      guard errno == EINTR else { throw KeyReader.refusal() }
    }
    var number: UInt8 = 0
    if read(signals.descriptor, &number, 1) == 1 { return .signal(Int32(number)) }
    guard let byte = byte() else { return .end }
    passOverRest(of: byte)
    return byte == UInt8(ascii: "q") || byte == UInt8(ascii: "Q") ? .end : .goOn
  }

  /// The next byte; nil if there is none any more.
  private func byte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = read(descriptor, &byte, 1)
      if count == 1 { return byte }
      guard count < 0, errno == EINTR else { return nil }
    }
  }

  /// A key can be several bytes: an escape and what follows, or a letter that is not ASCII.
  private func passOverRest(of first: UInt8) {
    switch first {
    case 0x1B:
      guard isMoreThere, let second = byte(), "[O".utf8.contains(second) else { return }
      while isMoreThere, let next = byte(), !(0x40...0x7E).contains(next) {}
    case 0xC0...:
      for _ in 1..<(first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4) where isMoreThere { _ = byte() }
    default: break
    }
  }

  private var isMoreThere: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 1
  }

  private static func refusal() -> ToolError {
    ToolError(.refused, "\(DiskError(.read, path: "the terminal", code: errno))")
  }
}
