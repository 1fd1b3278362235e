import DaybookCLibrary

/// A pipe by which one thread ends another's wait.
///
/// It is for watches that wait for descriptors; Darwin's has an event of its own for it.
struct WakingPipe: ~Copyable {
  /// The end that can be read from once ``wake()`` has been called.
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

  deinit {
    close(descriptor)
    close(writingEnd)
  }

  /// Ends the present or the next wait.
  func wake() {
    // A full pipe already wakes, so nothing is lost if this byte does not fit.
    _ = write(writingEnd, [1], 1)
  }

  /// Waits until another descriptor can be read from, until ``wake()``, or until the time is over.
  ///
  /// - Parameter other: The descriptor, or -1 to wait for ``wake()`` alone. What there is to read is read.
  /// - Returns: False if the time is over.
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
}
