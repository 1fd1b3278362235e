import Glibc

/// A watch on a directory, by inotify.
final class DirectoryWatch: DiskWatch {
  private let events: Int32
  // Writing a byte to one end of the pipe ends a wait.
  private let wakingEnd: Int32
  private let wokenEnd: Int32

  init(directory: String) throws(DiskError) {
    events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard events >= 0 else { throw DiskError(.watch, path: directory, code: errno) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      let code = errno
      close(events)
      throw DiskError(.watch, path: directory, code: code)
    }
    (wokenEnd, wakingEnd) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    let mask = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE)
    guard inotify_add_watch(events, directory, mask) >= 0 else {
      // All stored properties are set, so `deinit` closes the three descriptors.
      throw DiskError(.watch, path: directory, code: errno)
    }
  }

  deinit {
    close(events)
    close(wakingEnd)
    close(wokenEnd)
  }

  func wait(milliseconds: Int) {
    var polled = [
      pollfd(fd: events, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wokenEnd, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&polled, 2, Int32(clamping: milliseconds)) > 0 else { return }
    var scratch = [UInt8](repeating: 0, count: 4096)
    for descriptor in [events, wokenEnd] {
      while read(descriptor, &scratch, scratch.count) > 0 {}
    }
  }

  func wake() {
    // A full pipe already wakes, so nothing is lost if this byte does not fit.
    _ = write(wakingEnd, [1], 1)
  }
}
