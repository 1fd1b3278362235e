#if canImport(Darwin)
  import DaybookCLibrary

  extension FileDescriptor {
    package static func createUnnamedFile(
      in directory: String
    ) throws(DiskError) -> FileDescriptor {
      try createUnlinkedFile(in: directory)
    }

    /// Writes the bytes and the size of an open file to the medium.
    ///
    /// After `fsync` alone, the bytes may be only in the cache of the drive, and a power failure
    /// loses them. So the function uses the command `F_FULLFSYNC`, which also flushes that cache.
    /// Some file systems, such as network shares, do not have this command. For these file systems,
    /// the function calls `fsync`.
    ///
    /// - Returns: 0, or -1 with the reason in `errno`.
    static func sync(_ number: Int32) -> Int32 {
      if fcntl(number, F_FULLFSYNC) != -1 { return 0 }
      return isUnsupported(errno) ? fsync(number) : -1
    }

    /// Writes the entries of an open directory to the medium; see ``sync(_:)``.
    static func syncDirectory(_ number: Int32) -> Int32 { sync(number) }

    /// Orders writes: all earlier writes to the file reach the medium before any later write.
    ///
    /// A file system without this command is synced instead, because `fsync` alone guarantees no
    /// order.
    static func barrier(_ number: Int32) -> Int32 {
      if fcntl(number, F_BARRIERFSYNC) != -1 { return 0 }
      return isUnsupported(errno) ? sync(number) : -1
    }

    /// Returns a Boolean value that indicates whether an error code reports that the file system
    /// does not have a command.
    ///
    /// Other errors are not ignored. After an error of the medium, a second sync would not report
    /// the error again.
    private static func isUnsupported(_ code: Int32) -> Bool {
      [ENOTSUP, EOPNOTSUPP, ENOTTY, EINVAL, ENODEV].contains(code)
    }
  }

  extension FileStatus {
    init?(descriptor: Int32) { self.init(describing: descriptor) }
  }

  extension SystemFile {
    func barrier() throws(DiskError) {
      guard FileDescriptor.barrier(descriptor) == 0 else { throw error(.sync) }
    }

    func startSync(at offset: UInt64, byteCount: Int) {}

    var mappingsFollowWrites: Bool { true }

    func lock() throws(DiskError) -> Bool { try acquireLock() }

    var isLocked: Bool { conflictingLock != nil }

    func lockHolder() -> LockHolder? {
      // The system records the process only if no other process can have inherited the lock.
      guard let process = conflictingLock?.l_pid, process > 0 else { return nil }
      return LockHolder(process: process, name: nil)
    }

    /// The lock that prevents this process from locking the file with `fcntl`, or nil.
    ///
    /// The kernel keeps the locks of `flock` in the same list. The query takes no lock, so it
    /// cannot make an opening of the file fail.
    private var conflictingLock: flock? {
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      guard fcntl(descriptor, F_GETLK, &lock) != -1, lock.l_type != Int16(F_UNLCK) else {
        return nil
      }
      return lock
    }
  }
#endif
