import DaybookCLibrary
import Synchronization
import TestSupport

/// The tool, run on a pseudo-terminal. Tests read its output and type keys.
///
/// If the tool still runs when the session is released, it is killed.
final class TerminalSession {
  private let process: pid_t
  /// The controlling side: keys are written to it, and output is read from it.
  private let keyboard: Int32
  /// The terminal side. It stays open, so that its settings can be read after the tool has exited.
  private let screen: Int32
  private var shown: [UInt8] = []
  private var status: Int32?

  /// A lock for opening a terminal and starting a process, so that no other process inherits the
  /// descriptors.
  private static let starting = Mutex(())

  /// The screen after the output that was read with ``read(until:)``.
  private(set) var emulator: ScreenEmulator

  /// - Parameters:
  ///   - words: The arguments of the tool.
  ///   - columnCount: The width of the terminal.
  ///   - rowCount: The height of the terminal.
  ///   - directory: The directory in which the tool runs; the default is the project's. With
  ///     names relative to it, a screen does not depend on the path of the project.
  ///   - input: The file of standard input; nil for the terminal.
  ///   - variables: More variables of the environment, such as `NO_COLOR=1`. The default turns the
  ///     pager off.
  init(
    _ words: [String], columnCount: Int = 80, rowCount: Int = 24,
    in directory: String = ProjectFiles.root, input: String? = nil,
    variables: [String] = ["DAYBOOK_PAGER="]
  ) throws {
    emulator = ScreenEmulator(columnCount: columnCount, rowCount: rowCount)
    (process, keyboard, screen) = try TerminalSession.starting.withLock { _ in
      try TerminalSession.start(
        words, size: (columnCount, rowCount), in: directory, input: input, variables: variables)
    }
  }

  private static func start(
    _ words: [String], size: (columnCount: Int, rowCount: Int), in directory: String,
    input: String?, variables: [String]
  ) throws -> (process: pid_t, keyboard: Int32, screen: Int32) {
    let keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // The requests of `unlockpt` and `ptsname`.
    let (unlock, askForNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (isLocked, number): (Int32, Int32) = (0, 0)
    guard keyboard >= 0, ioctl(keyboard, unlock, &isLocked) == 0,
      ioctl(keyboard, askForNumber, &number) == 0
    else { throw Surprise("there is no terminal: errno \(errno)") }
    let path = "/dev/pts/\(number)"
    let screen = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard screen >= 0 else { throw Surprise("\(path): errno \(errno)") }
    var window = winsize()
    (window.ws_col, window.ws_row) = (UInt16(size.columnCount), UInt16(size.rowCount))
    var settings = termios()
    tcgetattr(screen, &settings)
    // Line breaks are not converted.
    settings.c_oflag &= ~tcflag_t(OPOST)
    tcsetattr(screen, TCSANOW, &settings)
    guard ioctl(screen, UInt(TIOCSWINSZ), &window) == 0 else {
      throw Surprise("\(path): errno \(errno)")
    }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that a session leader opens becomes its controlling terminal.
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    if let input {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDIN_FILENO)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let newSession: Int32 = 0x80
    posix_spawnattr_setflags(
      &attributes, Int16(newSession | Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)))

    // `env` changes the directory and becomes the tool.
    let program = "/usr/bin/env"
    var arguments: [UnsafeMutablePointer<CChar>?] =
      ([program, "-C", directory, try BuiltTool.path] + words).map { strdup($0) }
    arguments.append(nil)
    var environment: [UnsafeMutablePointer<CChar>?] = (["TERM=xterm", "PATH=/bin"] + variables)
      .map { strdup($0) }
    environment.append(nil)
    defer { for word in arguments + environment { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, program, &actions, &attributes, arguments, environment)
    guard code == 0 else { throw Surprise("\(program): errno \(code)") }
    return (process, keyboard, screen)
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(keyboard)
    close(screen)
  }

  /// Waits for a text in the output, and returns the output up to the end of the text.
  func read(through text: String) throws -> String {
    let wanted = Array(text.utf8)
    while true {
      if let end = shown.firstRange(of: wanted)?.upperBound {
        defer { shown.removeSubrange(..<end) }
        return String(decoding: shown[..<end], as: UTF8.self)
      }
      guard try takeMore(withinMilliseconds: 60_000) else {
        throw Surprise("'\(text)' is not shown, but: \(String(decoding: shown, as: UTF8.self))")
      }
    }
  }

  /// Waits until the screen meets a condition, and returns its lines.
  func read(until isMet: ([String]) -> Bool) throws -> [String] {
    while true {
      emulator.write(shown)
      shown = []
      let lines = emulator.lines
      if isMet(lines) { return lines }
      guard try takeMore(withinMilliseconds: 60_000) else {
        throw Surprise("the screen stays:\n\(lines.joined(separator: "\n"))")
      }
    }
  }

  /// Changes the size of the terminal.
  func resize(columnCount: Int, rowCount: Int) {
    var window = winsize()
    (window.ws_col, window.ws_row) = (UInt16(columnCount), UInt16(rowCount))
    _ = ioctl(screen, UInt(TIOCSWINSZ), &window)
    emulator = ScreenEmulator(columnCount: columnCount, rowCount: rowCount)
  }

  /// Reads more output. Returns false if there is none within the time limit.
  private func takeMore(withinMilliseconds limit: Int32) throws -> Bool {
    var polled = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, limit) == 1 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = DaybookCLibrary.read(keyboard, &bytes, bytes.count)
    guard count > 0 else { throw Surprise("the terminal: errno \(errno)") }
    shown += bytes[..<count]
    return true
  }

  /// Presses keys.
  func press(_ keys: String) throws {
    let bytes = Array(keys.utf8)
    guard write(keyboard, bytes, bytes.count) == bytes.count else {
      throw Surprise("the terminal: errno \(errno)")
    }
  }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process, signal) }

  /// Waits until the tool is stopped by a signal. A signal to continue that arrives before has no
  /// effect.
  func waitUntilStopped() throws {
    for _ in 0..<6000 {
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG | WUNTRACED) == process {
        if status & 0xFF == 0x7F { return }
        self.status = status
        throw Surprise("the tool has ended with the status \(status)")
      }
      _ = try takeMore(withinMilliseconds: 10)
    }
    throw Surprise("the tool does not stop")
  }

  /// Waits until the tool has exited, and returns its status as `exit 0` or `signal 2`.
  func end() throws -> String {
    for _ in 0..<6000 {
      var status: Int32 = 0
      if waitpid(process, &status, WNOHANG) == process {
        self.status = status
        return status & 0x7F == 0 ? "exit \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
      }
      _ = try takeMore(withinMilliseconds: 10)
    }
    throw Surprise("the tool does not end, but shows: \(String(decoding: shown, as: UTF8.self))")
  }

  /// Returns the output that was not read yet.
  func rest() throws -> String {
    while try takeMore(withinMilliseconds: 0) {}
    defer { shown = [] }
    return String(decoding: shown, as: UTF8.self)
  }

  /// A Boolean value that indicates whether the terminal echoes keys and passes whole lines, as by
  /// default.
  var isAsBefore: Bool {
    var settings = termios()
    tcgetattr(screen, &settings)
    let flags = tcflag_t(ICANON | ECHO)
    return settings.c_lflag & flags == flags
  }
}
