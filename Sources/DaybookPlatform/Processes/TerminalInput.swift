import DaybookCLibrary

/// A terminal for reading single keys.
public final class TerminalInput {
  /// The saved settings of a terminal.
  public struct Settings {
    fileprivate var value = termios()
  }

  private let descriptor: Int32
  private let isOwned: Bool

  /// Opens standard input if it is a terminal, and otherwise the controlling terminal of the
  /// process.
  ///
  /// - Returns: nil if the process has no terminal.
  public init?() {
    guard !FileDescriptor.standardInput.isTerminal else {
      (descriptor, isOwned) = (STDIN_FILENO, false)
      return
    }
    descriptor = open("/dev/tty", O_RDONLY | O_CLOEXEC)
    isOwned = true
    if descriptor < 0 { return nil }
  }

  deinit { if isOwned { close(descriptor) } }

  /// Switches the terminal to a mode that delivers each key at once, without line editing and
  /// without echo.
  ///
  /// - Returns: The settings to restore, or nil if the terminal is not available.
  public func enterKeyMode() -> Settings? {
    guard let before = settings else { return nil }
    var direct = before
    direct.value.c_lflag &= ~tcflag_t(ICANON | ECHO)
    return tcsetattr(descriptor, TCSANOW, &direct.value) == 0 ? before : nil
  }

  /// The current settings, or nil if the terminal is not available.
  public var settings: Settings? {
    var settings = Settings()
    return tcgetattr(descriptor, &settings.value) == 0 ? settings : nil
  }

  /// Restores settings that ``enterKeyMode()`` or ``settings`` returned.
  public func restore(_ settings: Settings) {
    var settings = settings
    tcsetattr(descriptor, TCSANOW, &settings.value)
  }

  /// Installs handlers that restore settings, and send a text to standard output, if the process
  /// crashes. A later call with nil as the settings disables the handlers.
  public func restoreOnCrash(_ settings: Settings?, sending message: StaticString) {
    Signals.restoreOnCrash(descriptor, to: settings?.value, sending: message)
  }

  /// Waits for a key or a signal.
  ///
  /// - Parameters:
  ///   - signals: The pipe of the signals.
  ///   - milliseconds: The time after which the wait ends without a key; nil for no limit.
  /// - Returns: False if the wait fails, with the reason in ``Errno/last``.
  public func waitForKey(
    orSignalOf signals: borrowing SignalPipe, milliseconds: Int? = nil
  ) -> Bool {
    var polled = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let limit = milliseconds.map { Int32(clamping: $0) } ?? -1
    while poll(&polled, nfds_t(polled.count), limit) < 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }

  /// Reads the next byte.
  ///
  /// - Returns: nil at the end of the input, or after an error.
  public func readByte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = read(descriptor, &byte, 1)
      if count == 1 { return byte }
      guard count < 0, errno == EINTR else { return nil }
    }
  }

  /// A Boolean value that indicates whether ``readByte()`` returns at once.
  public var hasInput: Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 1
  }
}

extension FileDescriptor {
  /// A Boolean value that indicates whether the descriptor is a terminal.
  public var isTerminal: Bool { isatty(number) == 1 }

  /// The size of the terminal. A dimension is nil if it is not known.
  public var terminalSize: (columnCount: Int?, rowCount: Int?) {
    var size = winsize()
    guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0 else { return (nil, nil) }
    return (
      size.ws_col > 0 ? Int(size.ws_col) : nil, size.ws_row > 0 ? Int(size.ws_row) : nil
    )
  }
}
