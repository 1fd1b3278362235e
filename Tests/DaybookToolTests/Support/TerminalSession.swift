import Glibc
import Synchronization
import TestSupport

/// The tool at work on a terminal of its own, at which somebody looks and presses keys.
///
/// It is killed, if it still runs, when the test lets go of it.
final class TerminalSession {
  private let process: pid_t
  /// Where the keys go in and what is shown comes out.
  private let keyboard: Int32
  /// The terminal as the tool has it; held, so that it stays as it is when the tool has ended.
  private let screen: Int32
  private var shown: [UInt8] = []
  private var status: Int32?

  /// Held while a terminal is made and a process is started, so that no other inherits its ends.
  private static let starting = Mutex(())

  init(_ words: [String], columnCount: Int = 80, rowCount: Int = 24, input: String? = nil) throws {
    (process, keyboard, screen) = try TerminalSession.starting.withLock { _ in
      try TerminalSession.start(words, columnCount, rowCount, input)
    }
  }

  private static func start(
    _ words: [String], _ columnCount: Int, _ rowCount: Int, _ input: String?
  ) throws -> (process: pid_t, keyboard: Int32, screen: Int32) {
    let keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // What `unlockpt` and `ptsname` ask of the system.
    let (unlock, askForNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (isLocked, number): (Int32, Int32) = (0, 0)
    guard keyboard >= 0, ioctl(keyboard, unlock, &isLocked) == 0,
      ioctl(keyboard, askForNumber, &number) == 0
    else { throw Surprise("there is no terminal: errno \(errno)") }
    let path = "/dev/pts/\(number)"
    let screen = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard screen >= 0 else { throw Surprise("\(path): errno \(errno)") }
    var size = winsize()
    (size.ws_col, size.ws_row) = (UInt16(columnCount), UInt16(rowCount))
    var settings = termios()
    tcgetattr(screen, &settings)
    // Line ends come as they were written.
    settings.c_oflag &= ~tcflag_t(OPOST)
    tcsetattr(screen, TCSANOW, &settings)
    guard ioctl(screen, UInt(TIOCSWINSZ), &size) == 0 else {
      throw Surprise("\(path): errno \(errno)")
    }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens is the one that it is started from.
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

    let program = try BuiltTool.path
    var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) }
    arguments.append(nil)
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("TERM=xterm"), strdup("PATH=/bin")]
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

  /// What is shown up to a text, and that; it is waited for.
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

  /// Takes what is shown next; false if nothing is.
  private func takeMore(withinMilliseconds limit: Int32) throws -> Bool {
    var polled = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, limit) == 1 else { return false }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(keyboard, &bytes, bytes.count)
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

  /// Waits until the tool has ended, and says how: `exit 0`, `signal 2`.
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

  /// What is shown and was not read yet.
  func rest() throws -> String {
    while try takeMore(withinMilliseconds: 0) {}
    defer { shown = [] }
    return String(decoding: shown, as: UTF8.self)
  }

  /// Whether it shows what is typed, and hands it out in lines.
  var isAsBefore: Bool {
    var settings = termios()
    tcgetattr(screen, &settings)
    let flags = tcflag_t(ICANON | ECHO)
    return settings.c_lflag & flags == flags
  }
}
