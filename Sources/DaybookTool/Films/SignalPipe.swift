import Glibc
import Synchronization

/// Signals that would end or stop the process, as numbers that can be read from a pipe.
///
/// While there is one, such a signal does nothing but write its number. Whoever reads it can put things in
/// order and then raise it again, for what it does without the pipe.
//
// Shared state
//
// - `currentEnd`: the end that handlers write to; they can run at any moment on any thread, so it is one atomic
//   number. There is one pipe at a time.
struct SignalPipe: ~Copyable {
  /// Where the numbers can be read, a byte each.
  let descriptor: Int32
  private let writingEnd: Int32
  private let handlers: [(signal: Int32, handler: sighandler_t?)]

  private static let currentEnd = Atomic<Int32>(-1)
  /// The signals that end or stop a process.
  static let all = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

  /// Creates a pipe, and handlers that write to it.
  ///
  /// - Returns: nil if the system has no pipe left.
  init?(_ signals: [Int32] = SignalPipe.all) {
    var pipe: [Int32] = [-1, -1]
    guard Glibc.pipe(&pipe) == 0 else { return nil }
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
      // What the process was told to ignore it goes on to ignore.
      if unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
      return (number, handler)
    }
  }

  /// Writes a number that is not a signal's, for whoever waits for one.
  func send(_ number: UInt8) {
    var number = number
    _ = write(writingEnd, &number, 1)
  }

  /// Waits for a number on the reading end of a pipe.
  static func wait(for descriptor: Int32) -> UInt8 {
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
    // What came when nobody asked any more is not lost.
    var number: UInt8 = 0
    while read(descriptor, &number, 1) == 1 { raise(Int32(number)) }
    close(descriptor)
    close(writingEnd)
  }
}
