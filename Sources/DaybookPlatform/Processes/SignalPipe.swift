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
