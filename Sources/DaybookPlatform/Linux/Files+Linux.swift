#if canImport(Glibc) && !DAYBOOK_PORTABLE
  import DaybookCLibrary

  extension SystemFile {
    func startSync(at offset: UInt64, byteCount: Int) {
      guard byteCount > 0, let position = off_t(exactly: offset) else { return }
      Writeback.start(descriptor, at: position, byteCount: byteCount)
    }

    func barrier() throws(DiskError) { try sync() }

    var mappingsFollowWrites: Bool {
      access == .readingAndWriting || MountTable.fileSystem(ofDescriptor: descriptor) != "overlay"
    }

    func lock() throws(DiskError) -> Bool { try acquireLock() }

    var isLocked: Bool { lockHolder() != nil }

    func lockHolder() -> LockHolder? {
      guard let status = try? status() else { return nil }
      return LockTable.holder(of: status.identity)
    }
  }

  extension FileDescriptor {
    /// Creates a temporary file without a name. The system deletes the file when it is closed, even
    /// if the process crashes.
    package static func createUnnamedFile(in directory: String) throws(DiskError) -> FileDescriptor
    {
      // The flag O_TMPFILE, which Swift's module of the C library does not contain.
      let isUnnamed = 0o2000_0000 | O_DIRECTORY
      let unnamed = DaybookCLibrary.open(directory, isUnnamed | O_RDWR | O_CLOEXEC, 0o600)
      if unnamed >= 0 { return FileDescriptor(unnamed, path: directory) }
      // Some file systems do not support files without a name.
      return try createUnlinkedFile(in: directory)
    }

    /// Writes the bytes and the size of an open file to the disk.
    ///
    /// - Returns: 0, or -1 with the reason in `errno`.
    static func sync(_ number: Int32) -> Int32 { fdatasync(number) }

    /// Writes the entries of an open directory to the disk; see ``sync(_:)``.
    static func syncDirectory(_ number: Int32) -> Int32 { fsync(number) }
  }

  extension FileStatus {
    /// Creates the status of an open file.
    ///
    /// The call does not request the times. After a program has requested them, Linux records the
    /// exact time of the next write in the inode of the file. This record makes the write and the
    /// sync after the write more expensive.
    ///
    /// - Returns: nil if the system call fails, with the reason in `errno`.
    init?(descriptor: Int32) {
      let answer = StatusCall.function.flatMap { call in
        withUnsafeTemporaryAllocation(byteCount: StatusCall.answerByteCount, alignment: 8) {
          bytes in
          let result = call(
            descriptor, "", StatusCall.ofDescriptor, StatusCall.allButTimes, bytes.baseAddress)
          return result == 0 ? FileStatus(answer: UnsafeRawBufferPointer(bytes).bytes) : nil
        }
      }
      if let answer {
        self = answer
        return
      }
      self.init(describing: descriptor)
    }

    /// Creates a status from the result of `statx`. The offsets in the result are the same on every
    /// architecture.
    private init(answer: RawSpan) {
      func number<Number: BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
        answer.unsafeLoad(fromByteOffset: offset, as: type)
      }
      let major = UInt64(number(at: 136, as: UInt32.self))
      let minor = UInt64(number(at: 140, as: UInt32.self))
      // The device number, encoded as in `st_dev`.
      let device =
        (major & ~0xfff) << 32 | (major & 0xfff) << 8 | (minor & ~0xff) << 12 | minor & 0xff
      self.init(
        mode: UInt32(number(at: 28, as: UInt16.self)),
        identity: FileIdentity(device: device, number: number(at: 32, as: UInt64.self)),
        byteCount: number(at: 40, as: UInt64.self), linkCount: Int(number(at: 16, as: UInt32.self)))
      owner = number(at: 20, as: UInt32.self)
      group = number(at: 24, as: UInt32.self)
    }
  }

  /// The system call `statx`, which Swift's `Glibc` leaves out.
  private enum StatusCall {
    typealias Function =
      @convention(c) (
        Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer?
      ) -> Int32

    /// The function, or nil if the system does not have it.
    static let function: Function? = dlsym(nil, "statx").map {
      unsafeBitCast($0, to: Function.self)
    }

    static let answerByteCount = 256
    /// The flag `AT_EMPTY_PATH`: the path is empty, and the descriptor identifies the file.
    static let ofDescriptor: Int32 = 0x1000
    /// The requested fields: kind, permissions, number of names, owner, group, file number and
    /// size.
    static let allButTimes: UInt32 = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x100 | 0x200
  }

  /// The system call that starts to write the cached bytes of a file to the disk, without waiting
  /// for the writes.
  ///
  /// With this flag alone, the call neither reports nor clears errors. The next sync of the file
  /// reports them.
  enum Writeback {
    private typealias Call = @convention(c) (Int32, Int64, Int64, UInt32) -> Int32
    private static let writeOnly: UInt32 = 2

    /// The function, or nil if the system does not have it. Swift's `Glibc` does not contain it.
    private static let call: Call? = dlsym(nil, "sync_file_range").map {
      unsafeBitCast($0, to: Call.self)
    }

    /// Starts to write some bytes of a file. A system without the function does nothing.
    static func start(_ descriptor: Int32, at offset: off_t, byteCount: Int) {
      _ = call?(descriptor, Int64(offset), Int64(byteCount), writeOnly)
    }
  }
#endif
