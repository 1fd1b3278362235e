#if !canImport(Darwin) && (!canImport(Glibc) || DAYBOOK_PORTABLE)
  import DaybookCLibrary

  extension FileDescriptor {
    package static func createUnnamedFile(
      in directory: String
    ) throws(DiskError) -> FileDescriptor {
      try createUnlinkedFile(in: directory)
    }

    /// Writes the bytes and the size of an open file to the disk.
    ///
    /// - Returns: 0, or -1 with the reason in `errno`.
    static func sync(_ number: Int32) -> Int32 { fsync(number) }

    /// Writes the entries of an open directory to the disk; see ``sync(_:)``.
    static func syncDirectory(_ number: Int32) -> Int32 { fsync(number) }
  }

  extension FileStatus {
    init?(descriptor: Int32) { self.init(describing: descriptor) }
  }

  extension SystemFile {
    /// The number of attempts to take a lock that only ``isLocked`` may hold, and the time between two of them.
    private static let lockAttemptMax = 200
    private static let lockPauseMilliseconds = 1

    func barrier() throws(DiskError) { try sync() }

    func beginSync(at offset: UInt64, byteCount: Int) {}

    // A file system can have files whose mappings do not follow writes, and which those are is not known.
    var mappingsFollowWrites: Bool { access == .readingAndWriting }

    func lock() throws(DiskError) -> Bool {
      for _ in 1..<SystemFile.lockAttemptMax {
        if try takeLock() { return true }
        SystemThread.pause(milliseconds: SystemFile.lockPauseMilliseconds)
      }
      return try takeLock()
    }

    /// A Boolean value that indicates whether a shared lock cannot be taken. The getter releases the lock at once;
    /// ``lock()`` tries again for that time.
    var isLocked: Bool {
      // The lock belongs to the opening, and this one may have it.
      let other = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      guard other >= 0 else { return false }
      defer { close(other) }
      // Another file may have the name.
      guard let status = FileStatus(descriptor: other),
        let own = FileStatus(descriptor: descriptor),
        status.identity == own.identity
      else { return false }
      guard flock(other, LOCK_SH | LOCK_NB) != 0 else {
        flock(other, LOCK_UN)
        return false
      }
      return errno == EWOULDBLOCK
    }

    /// Returns nil: there is no call that names the process.
    func lockHolder() -> LockHolder? { nil }
  }
#endif
