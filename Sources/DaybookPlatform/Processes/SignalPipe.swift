import DaybookCLibrary
import Synchronization

/// A pipe that receives the numbers of signals instead of letting them end or stop the process.
///
/// While it exists, such a signal only writes its number. The reader can restore what needs to be restored, and
/// raise the signal again after the pipe is gone.
public struct SignalPipe: ~Copyable {
  // Shared state
  //
  // - `currentEnd`: the end that handlers write to; they can run at any moment on any thread, so it is one atomic
  //   number. There is one pipe at a time.

  /// The descriptor from which the numbers can be read, a byte each.
  public let descriptor: Int32
  private let writingEnd: Int32
  private let handlers: [(signal: Int32, handler: (@convention(c) (Int32) -> Void)?)]

  private static let currentEnd = Atomic<Int32>(-1)
  /// The signals that end a process from outside, from the keyboard or otherwise.
  public static var ending: [Int32] { [SIGINT, SIGTERM, SIGHUP] }
  /// The signals that end or stop a process.
  public static var all: [Int32] { [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] }

  /// Creates a pipe, and handlers that write to it.
  ///
  /// - Returns: nil if the system has no pipe left, with the reason in ``Errno/last``.
  public init?(_ signals: [Int32] = SignalPipe.all) {
    var pipe: [Int32] = [-1, -1]
    guard DaybookCLibrary.pipe(&pipe) == 0 else { return nil }
    for end in pipe {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (descriptor, writingEnd) = (pipe[0], pipe[1])
    SignalPipe.currentEnd.store(pipe[1], ordering: .sequentiallyConsistent)
    handlers = signals.map { number in
      let handler = signal(number) { number in
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(SignalPipe.currentEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = code
      }
      // A signal that the process was started to ignore is still ignored.
      if unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
      return (number, handler)
    }
  }

  /// Writes a number that is not a signal's, for a thread that waits for one.
  public func send(_ number: UInt8) {
    var number = number
    _ = write(writingEnd, &number, 1)
  }

  /// The number of the next signal that has come; nil if none has.
  public func next() -> Int32? {
    var number: UInt8 = 0
    return read(descriptor, &number, 1) == 1 ? Int32(number) : nil
  }

  /// Waits for a number on the reading end of a pipe.
  public static func wait(for descriptor: Int32) -> UInt8 {
    var number: UInt8 = 0
    while read(descriptor, &number, 1) != 1 {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&polled, 1, -1)
    }
    return number
  }

  deinit {
    for (number, handler) in handlers { signal(number, handler) }
    SignalPipe.currentEnd.store(-1, ordering: .sequentiallyConsistent)
    // Signals that were not read are not lost.
    while let number = next() { raise(number) }
    close(descriptor)
    close(writingEnd)
  }
}

/// The actions of signals on this process.
public enum Signals {
  /// Lets a write to a pipe without a reader fail, instead of ending the process.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Sends a signal to this process.
  public static func raise(_ number: Int32) { _ = DaybookCLibrary.raise(number) }

  /// Restores the default action of a signal, and sends it to this process.
  public static func raiseWithDefaultAction(_ number: Int32) {
    signal(number, SIG_DFL)
    _ = DaybookCLibrary.raise(number)
  }

  // Shared state: both are written before the handler is installed, and only read after that.
  private nonisolated(unsafe) static var busErrorMessage: StaticString = ""
  private nonisolated(unsafe) static var busErrorStatus: Int32 = 0

  /// Makes a bus error end the process with a message and a status.
  ///
  /// Reading a mapped page beyond the end of a shortened file is a bus error.
  public static func exitOnBusError(message: StaticString, status: Int32) {
    (busErrorMessage, busErrorStatus) = (message, status)
    signal(SIGBUS) { _ in
      // Only functions that are safe in a signal handler may be called here.
      let message = Signals.busErrorMessage
      _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
      _exit(Signals.busErrorStatus)
    }
  }

  private static let interruptFlag = Atomic(false)

  /// A Boolean value that indicates whether an interrupt has come since ``catchInterrupts()``.
  public static var hasInterrupt: Bool { interruptFlag.load(ordering: .relaxed) }

  /// Lets an interrupt or a request to end set ``hasInterrupt`` instead of ending the process.
  public static func catchInterrupts() {
    // Created before a signal can come, as its creation takes a lock.
    interruptFlag.store(false, ordering: .relaxed)
    var awaited = sigset_t()
    sigemptyset(&awaited)
    for number in [SIGINT, SIGTERM] {
      signal(number) { _ in Signals.interruptFlag.store(true, ordering: .relaxed) }
      // Calls that wait return, and are not restarted.
      var action = sigaction()
      sigaction(number, nil, &action)
      action.sa_flags &= ~SA_RESTART
      sigaction(number, &action, nil)
      sigaddset(&awaited, number)
    }
    // A thread that blocks signals passes that on to the processes that it starts.
    sigprocmask(SIG_UNBLOCK, &awaited, nil)
  }
}
