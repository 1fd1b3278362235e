import DaybookCLibrary

/// A pipe through which a thread ends the wait of a second thread.
///
/// The watches of Linux and POSIX use it, because they wait with `poll`. The watch of Darwin uses a
/// user event of kqueue instead. A thread that waits for a socket of a client library uses it too.
package struct WakingPipe: ~Copyable, Sendable {
  /// The end that becomes readable when ``wake()`` is called.
  let descriptor: Int32
  private let writingEnd: Int32

  /// Creates a pipe for a watch on a directory.
  init(watching directory: String) throws(DiskError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw DiskError(.watch, path: directory, code: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (descriptor, writingEnd) = (ends[0], ends[1])
  }

  /// Creates a pipe for waits on sockets. If the system has no free descriptor, ``wake()`` ends no
  /// wait.
  package init() {
    if let pipe = try? WakingPipe(watching: "") {
      self = pipe
    } else {
      (descriptor, writingEnd) = (-1, -1)
    }
  }

  deinit {
    close(descriptor)
    close(writingEnd)
  }

  /// Ends the current or the next wait.
  package func wake() {
    // If the pipe is full, it is already readable and wakes the waiting thread. So the byte may be
    // dropped.
    _ = write(writingEnd, [1], 1)
  }

  /// Waits until a second descriptor becomes readable, until ``wake()`` is called, or until the
  /// time has passed.
  ///
  /// The method reads all available bytes of both descriptors and drops them.
  ///
  /// - Parameter other: The second descriptor, or -1 to wait for ``wake()`` alone.
  /// - Returns: False if the time has passed.
  func wait(milliseconds: Int, orFor other: Int32 = -1) -> Bool {
    var polled = [
      // A descriptor below zero is ignored.
      pollfd(fd: other, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&polled, 2, Int32(clamping: milliseconds)) > 0 else { return false }
    var scratch = [UInt8](repeating: 0, count: 4096)
    for end in [other, descriptor] where end >= 0 {
      while read(end, &scratch, scratch.count) > 0 {}
    }
    return true
  }

  /// Waits until a socket is ready, until ``wake()`` is called, or until the time has passed. The
  /// method reads nothing from the socket.
  ///
  /// - Parameters:
  ///   - socket: The socket, or -1 to wait for ``wake()`` alone.
  ///   - isWriting: A Boolean value that indicates whether the wait also ends when the socket
  ///     accepts bytes.
  ///   - milliseconds: The longest wait; -1 for a wait without a limit.
  /// - Returns: False if the time has passed.
  package func wait(forSocket socket: Int32, isWriting: Bool, milliseconds: Int) -> Bool {
    let events = isWriting ? POLLIN | POLLOUT : POLLIN
    var polled = [
      pollfd(fd: socket, events: Int16(events), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let readyCount = poll(&polled, 2, Int32(clamping: milliseconds))
    if polled[1].revents != 0 {
      var scratch = [UInt8](repeating: 0, count: 64)
      while read(descriptor, &scratch, scratch.count) > 0 {}
    }
    // After a signal, the result is -1. The caller then finds that nothing is ready.
    return readyCount != 0
  }
}
