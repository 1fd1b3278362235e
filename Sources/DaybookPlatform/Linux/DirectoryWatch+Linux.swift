#if canImport(Glibc) && !DAYBOOK_PORTABLE
  import DaybookCLibrary

  /// A watch on a directory, based on inotify.
  final class DirectoryWatch: DiskWatch {
    private let events: Int32
    private let pipe: WakingPipe

    init(directory: String) throws(DiskError) {
      pipe = try WakingPipe(watching: directory)
      events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard events >= 0 else { throw DiskError(.watch, path: directory, code: errno) }
      let mask = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE)
      guard inotify_add_watch(events, directory, mask) >= 0 else {
        // All stored properties are set, so `deinit` closes the descriptor.
        throw DiskError(.watch, path: directory, code: errno)
      }
    }

    deinit { if events >= 0 { close(events) } }

    func wait(milliseconds: Int) { _ = pipe.wait(milliseconds: milliseconds, orFor: events) }

    func wake() { pipe.wake() }
  }
#endif
