import DaybookCLibrary
import Synchronization

/// A pipe that receives the numbers of signals, so that the signals do not end or stop the process.
///
/// While the pipe exists, the arrival of such a signal only writes the number of the signal into
/// the pipe. A program reads the number, restores the state of the terminal, and raises the signal
/// again after the pipe is deinitialized.
public struct SignalPipe: ~Copyable {
  // Shared state
  //
  // - `currentEnd`: the end of the pipe that the signal handlers write to. A handler can run at any
  //   time on any thread, so the descriptor is an atomic number. If a second pipe is created, it
  //   receives the signals until it is deinitialized.

  /// The descriptor for reading the numbers. Each number is one byte.
  public let descriptor: Int32
  private let writingEnd: Int32
  /// The end of the pipe that received the signals before; -1 without one.
  private let earlierEnd: Int32
  /// The actions of the signals before this pipe.
  private let earlierActions: [(signal: Int32, action: sigaction)]

  private static let currentEnd = Atomic<Int32>(-1)
  /// The signals that request the end of a process, from the keyboard or from a different process.
  public static var ending: [Int32] { [SIGINT, SIGTERM, SIGHUP] }
  /// The signals that end or stop a process.
  public static var all: [Int32] { [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] }

  /// The signal that reports a change of the size of the terminal.
  public static var resize: Int32 { SIGWINCH }
  /// The signal that requests a stop of the process until the user continues it.
  public static var stop: Int32 { SIGTSTP }

  /// Returns whether a signal is the one that Ctrl-C sends.
  public static func isInterrupt(_ number: Int32) -> Bool { number == SIGINT }

  /// Creates a pipe, and installs signal handlers that write to it.
  ///
  /// - Returns: nil if the system cannot create a pipe, with the reason in ``Errno/last``.
  public init?(_ signals: [Int32] = SignalPipe.all) {
    var pipe: [Int32] = [-1, -1]
    guard DaybookCLibrary.pipe(&pipe) == 0 else { return nil }
    for end in pipe {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writingEnd) = (pipe[0], pipe[1])
    earlierEnd = SignalPipe.currentEnd.exchange(pipe[1], ordering: .sequentiallyConsistent)
    earlierActions = signals.map { number in
      var earlier = sigaction()
      sigaction(number, nil, &earlier)
      let handler = signal(number) { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.currentEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = code
      }
      // A signal that was ignored when the process started remains ignored.
      if unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
      return (number, earlier)
    }
  }

  /// Creates a bell for the pipe. The bell has its own descriptor, which is never closed. So other
  /// threads may ring the bell after the pipe is deinitialized.
  public func makeBell() -> Bell { Bell(descriptor: fcntl(writingEnd, F_DUPFD_CLOEXEC, 0)) }

  /// The writing end of a pipe, through which other threads wake the thread that waits for it.
  public struct Bell: Sendable {
    /// The number that a thread reads from the pipe after ``ring()``. It is not a signal.
    public static let number: Int32 = 255
    fileprivate let descriptor: Int32

    /// Wakes the thread that waits for the pipe.
    public func ring() {
      var number = UInt8(Bell.number)
      // If the pipe is full, the thread wakes anyway.
      _ = write(descriptor, &number, 1)
    }
  }

  /// Writes a number to the pipe, to wake a thread that waits for the pipe. The number must not be
  /// the number of a signal.
  public func send(_ number: UInt8) {
    var number = number
    _ = write(writingEnd, &number, 1)
  }

  /// Reads the number of the next signal.
  ///
  /// - Returns: nil if no number is available.
  public func next() -> Int32? {
    var number: UInt8 = 0
    return read(descriptor, &number, 1) == 1 ? Int32(number) : nil
  }

  /// Waits until a number is available at the reading end of a pipe.
  ///
  /// - Returns: The number.
  public static func wait(for descriptor: Int32) -> UInt8 {
    var number: UInt8 = 0
    while read(descriptor, &number, 1) != 1 {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&polled, 1, -1)
    }
    return number
  }

  deinit {
    for (number, earlier) in earlierActions {
      var action = earlier
      sigaction(number, &action, nil)
    }
    SignalPipe.currentEnd.store(earlierEnd, ordering: .sequentiallyConsistent)
    // Signals that were not read are raised again, so that none is lost.
    while let number = next() { raise(number) }
    close(descriptor)
    close(writingEnd)
  }
}

/// Settings for the handling of signals in this process.
public enum Signals {
  /// Sets writes to a pipe without a reader to fail with an error, instead of ending the process.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Sends a signal to this process.
  public static func raise(_ number: Int32) { _ = DaybookCLibrary.raise(number) }

  /// Stops this process until the user continues it. The handlers of signals stay installed.
  public static func stopProcess() { _ = DaybookCLibrary.raise(SIGSTOP) }

  /// Restores the default action of a signal, and sends it to this process.
  public static func raiseWithDefaultAction(_ number: Int32) {
    signal(number, SIG_DFL)
    _ = DaybookCLibrary.raise(number)
  }

  // Shared state: both variables are written before the handler is installed. After that, the
  // handler only reads them.
  private nonisolated(unsafe) static var busErrorMessage: StaticString = ""
  private nonisolated(unsafe) static var busErrorStatus: Int32 = 0

  /// Installs a handler that ends the process with a message and a status after a bus error.
  ///
  /// A bus error occurs when the process reads a mapped page that is beyond the end of a truncated
  /// file.
  public static func exitOnBusError(message: StaticString, status: Int32) {
    (busErrorMessage, busErrorStatus) = (message, status)
    signal(SIGBUS) { _ in
      // A signal handler may call only functions that are async-signal-safe.
      Signals.restoreTerminal()
      let message = Signals.busErrorMessage
      _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
      _exit(Signals.busErrorStatus)
    }
  }

  // Shared state: the terminal to restore after a crash. The thread that changes the settings of
  // the terminal writes these variables, and the handlers of crashes read them.
  private nonisolated(unsafe) static var crashDescriptor: Int32 = -1
  private nonisolated(unsafe) static var crashSettings = termios()
  private nonisolated(unsafe) static var crashMessage: StaticString = ""

  /// Installs handlers that restore a terminal before a crash ends the process.
  fileprivate static func installCrashHandlers() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGFPE] {
      signal(number) { number in
        Signals.restoreTerminal()
        Signals.raiseWithDefaultAction(number)
      }
    }
  }

  /// Sets the terminal to restore after a crash; see ``TerminalInput/restoreOnCrash(_:sending:)``.
  static func restoreOnCrash(
    _ descriptor: Int32, to settings: termios?, sending message: StaticString
  ) {
    crashDescriptor = -1
    guard let settings else { return }
    (crashSettings, crashMessage) = (settings, message)
    crashDescriptor = descriptor
    installCrashHandlers()
  }

  private static func restoreTerminal() {
    guard crashDescriptor >= 0 else { return }
    _ = write(STDOUT_FILENO, crashMessage.utf8Start, crashMessage.utf8CodeUnitCount)
    tcsetattr(crashDescriptor, TCSANOW, &crashSettings)
  }

  private static let interruptFlag = Atomic(false)

  /// A Boolean value that indicates whether an interrupt has arrived after ``catchInterrupts()``.
  public static var hasInterrupt: Bool { interruptFlag.load(ordering: .relaxed) }

  /// Installs handlers that set ``hasInterrupt`` on `SIGINT` and `SIGTERM`, instead of ending the
  /// process.
  public static func catchInterrupts() {
    // This access creates the flag. The creation of a static variable takes a lock, and a signal
    // handler must not take a lock.
    interruptFlag.store(false, ordering: .relaxed)
    var awaited = sigset_t()
    sigemptyset(&awaited)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Signals.interruptFlag.store(true, ordering: .relaxed) }
      // Blocking calls return after the signal, and are not restarted.
      var action = sigaction()
      sigaction(number, nil, &action)
      action.sa_flags &= ~SA_RESTART
      sigaction(number, &action, nil)
      sigaddset(&awaited, number)
    }
    // A process inherits blocked signals from the thread that started it. So the signals are
    // unblocked here.
    sigprocmask(SIG_UNBLOCK, &awaited, nil)
  }
}
