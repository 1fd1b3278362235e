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
    /// The number of attempts of ``lock()``. An attempt can fail because ``isLocked`` of a
    /// different opening has taken the lock for a short time. The second constant is the time
    /// between two attempts.
    private static let lockAttemptMax = 200
    private static let lockPauseMilliseconds = 1

    func barrier() throws(DiskError) { try sync() }

    func startSync(at offset: UInt64, byteCount: Int) {}

    // On some file systems, a mapping does not show the writes of other openings. No call
    // identifies the files on such a file system.
    var mappingsFollowWrites: Bool { access == .readingAndWriting }

    func lock() throws(DiskError) -> Bool {
      for _ in 1..<SystemFile.lockAttemptMax {
        if try acquireLock() { return true }
        SystemThread.pause(milliseconds: SystemFile.lockPauseMilliseconds)
      }
      return try acquireLock()
    }

    /// A Boolean value that indicates whether an opening of the file, this one included, has the
    /// exclusive lock.
    ///
    /// The getter tries to take a shared lock, and releases it at once. Meanwhile ``lock()`` of a
    /// different opening fails. So ``lock()`` repeats its attempts for a short time.
    var isLocked: Bool {
      // A lock belongs to an opening, and this opening may have the lock. So the query opens the
      // file a second time.
      let other = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      guard other >= 0 else { return false }
      defer { close(other) }
      // The name may refer to a different file by this time.
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

    /// Returns nil, because POSIX has no call that finds the process.
    func lockHolder() -> LockHolder? { nil }
  }
#endif
