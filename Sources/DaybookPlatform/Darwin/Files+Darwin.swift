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
    /// `fsync` leaves them in the drive's cache, which loses them with the power. A file system without the command
    /// that flushes it, such as a network share, does what it can by `fsync`.
    ///
    /// - Returns: 0, or -1 with the reason in `errno`.
    static func sync(_ number: Int32) -> Int32 {
      if fcntl(number, F_FULLFSYNC) != -1 { return 0 }
      return isUnsupported(errno) ? fsync(number) : -1
    }

    /// Writes the entries of an open directory to the medium; see ``sync(_:)``.
    static func syncDirectory(_ number: Int32) -> Int32 { sync(number) }

    /// Writes to the drive what it then writes to the medium before anything that comes later. A file system without
    /// the command syncs instead: `fsync` alone keeps no order.
    static func barrier(_ number: Int32) -> Int32 {
      if fcntl(number, F_BARRIERFSYNC) != -1 { return 0 }
      return isUnsupported(errno) ? sync(number) : -1
    }

    /// Returns whether an error says that the file system does not have a command. An error of the medium must not be
    /// hidden: a second sync would not report it again.
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

    func beginSync(at offset: UInt64, byteCount: Int) {}

    var mappingsFollowWrites: Bool { true }

    func lock() throws(DiskError) -> Bool { try takeLock() }

    var isLocked: Bool { conflictingLock != nil }

    func lockHolder() -> LockHolder? {
      // The system knows the process only where no other could have inherited the lock.
      guard let process = conflictingLock?.l_pid, process > 0 else { return nil }
      return LockHolder(process: process, name: nil)
    }

    /// The lock that keeps this process from locking the file by `fcntl`.
    ///
    /// The kernel has locks of `flock` in the same list. Asking takes no lock, so no other opening fails by it.
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
