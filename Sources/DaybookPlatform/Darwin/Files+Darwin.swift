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
    static func sync(_ number: Int32) -> Int32 { sync(number, by: F_FULLFSYNC) }

    /// Writes the entries of an open directory to the medium; see ``sync(_:)``.
    static func syncDirectory(_ number: Int32) -> Int32 { sync(number) }

    /// Writes to the drive what it then writes to the medium before anything that comes later.
    static func barrier(_ number: Int32) -> Int32 { sync(number, by: F_BARRIERFSYNC) }

    private static func sync(_ number: Int32, by command: Int32) -> Int32 {
      if fcntl(number, command) != -1 { return 0 }
      // An error of the medium must not be hidden: a second sync would not report it again.
      guard [ENOTSUP, EOPNOTSUPP, ENOTTY, EINVAL, ENODEV].contains(errno) else { return -1 }
      return fsync(number)
    }
  }

  extension FileStatus {
    init?(descriptor: Int32) { self.init(describing: descriptor) }
  }

  extension SystemFile {
    func barrier() throws(DiskError) {
      guard FileDescriptor.barrier(descriptor) == 0 else {
        throw DiskError(.sync, path: path, code: errno)
      }
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
