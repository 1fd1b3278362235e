#if canImport(Darwin)
  import DaybookCLibrary
  import Synchronization

  /// A watch on a directory, based on kqueue.
  ///
  /// An event of a directory reports that its names have changed. Such an event does not report
  /// writes to the files. So the watch observes the files one by one, and lists the directory again
  /// when its names have changed.
  //
  // Shared state: `files`, guarded by its mutex; only `wait` uses it after `init`.
  final class DirectoryWatch: DiskWatch {
    private let directory: String
    private let queue: Int32
    private let directoryDescriptor: Int32
    private let files = Mutex(WatchedFiles())

    private struct WatchedFiles {
      /// The descriptors of the files, by name.
      var descriptors: [String: Int32] = [:]
      /// A Boolean value that indicates whether each file in the directory has a descriptor.
      var areAll = true
      /// A Boolean value that indicates whether the directory could not be listed after its names
      /// had changed.
      var isListingDue = false
    }

    /// The largest number of files that are watched.
    ///
    /// A directory can contain more files than a process can have descriptors. The usual limit of
    /// descriptors is 256.
    private static let fileCountMax = 32
    /// The longest wait in a directory with files that are not watched.
    private static let millisecondsMax = 20
    private static let wakingEvent: UInt = 1

    init(directory: String) throws(DiskError) {
      self.directory = directory
      queue = kqueue()
      guard queue >= 0 else { throw DiskError(.watch, path: directory, code: errno) }
      _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
      directoryDescriptor = open(directory, O_EVTONLY | O_DIRECTORY | O_CLOEXEC)
      guard directoryDescriptor >= 0 else {
        let code = errno
        close(queue)
        throw DiskError(.watch, path: directory, code: code)
      }
      guard watch(directoryDescriptor), addWakingEvent() else {
        // All stored properties are set, so `deinit` closes the descriptors.
        throw DiskError(.watch, path: directory, code: errno)
      }
      watchFiles()
    }

    deinit {
      for (_, descriptor) in files.withLock({ $0.descriptors }) { close(descriptor) }
      close(directoryDescriptor)
      close(queue)
    }

    func wait(milliseconds: Int) {
      let areAll = files.withLock { $0.areAll }
      let limit = areAll ? milliseconds : min(milliseconds, DirectoryWatch.millisecondsMax)
      var time = timespec()
      time.tv_sec = max(0, limit) / 1000
      time.tv_nsec = max(0, limit) % 1000 * 1_000_000
      var events = Array(repeating: kevent(), count: 16)
      let count = kevent(queue, nil, 0, &events, Int32(events.count), &time)
      let namesChanged = events.prefix(Int(max(0, count))).contains { event in
        event.ident == UInt(directoryDescriptor) && event.filter == Int16(EVFILT_VNODE)
      }
      if namesChanged || files.withLock({ $0.isListingDue }) { watchFiles() }
    }

    func wake() {
      _ = change(
        DirectoryWatch.wakingEvent, filter: EVFILT_USER, flags: 0, facts: UInt32(NOTE_TRIGGER))
    }

    /// Watches the files that are new in the directory, and closes the files that were removed.
    private func watchFiles() {
      let listed = try? SystemDisk().list(directory)
      files.withLock { files in
        files.isListingDue = listed == nil
        guard let names = listed.map(Set.init) else {
          files.areAll = false
          return
        }
        for (name, descriptor) in files.descriptors where !isNamed(name, file: descriptor) {
          close(descriptor)
          files.descriptors[name] = nil
        }
        files.areAll = true
        for name in names where files.descriptors[name] == nil {
          let descriptor =
            files.descriptors.count < DirectoryWatch.fileCountMax
            ? open(FilePaths.join(directory, name: name), O_EVTONLY | O_NONBLOCK | O_CLOEXEC) : -1
          if descriptor >= 0, watch(descriptor) {
            files.descriptors[name] = descriptor
          } else {
            // There are too many files, or the file was removed after the listing. In the second
            // case, the removal causes an event, so that the next ``wait(milliseconds:)`` lists the
            // directory again.
            if descriptor >= 0 { close(descriptor) }
            files.areAll = false
          }
        }
      }
    }

    /// Returns a Boolean value that indicates whether a name still refers to the open file.
    private func isNamed(_ name: String, file descriptor: Int32) -> Bool {
      guard let named = try? SystemDisk().status(of: FilePaths.join(directory, name: name)) else {
        return false
      }
      return FileStatus(descriptor: descriptor)?.identity == named.identity
    }

    private func watch(_ descriptor: Int32) -> Bool {
      change(
        UInt(descriptor), filter: EVFILT_VNODE, flags: EV_ADD | EV_CLEAR,
        facts: UInt32(NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME))
    }

    private func addWakingEvent() -> Bool {
      change(DirectoryWatch.wakingEvent, filter: EVFILT_USER, flags: EV_ADD | EV_CLEAR, facts: 0)
    }

    private func change(_ identifier: UInt, filter: Int32, flags: Int32, facts: UInt32) -> Bool {
      var event = kevent(
        ident: identifier, filter: Int16(filter), flags: UInt16(flags), fflags: facts, data: 0,
        udata: nil)
      return kevent(queue, &event, 1, nil, 0, nil) == 0
    }
  }
#endif
