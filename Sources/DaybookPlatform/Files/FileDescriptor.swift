import DaybookCLibrary

/// The number of an open file, pipe or terminal, with the name that errors use for it.
///
/// A descriptor does not close itself, because standard input and the descriptors of callers must
/// stay open. A file of a ``Disk`` closes itself.
public struct FileDescriptor: Sendable {
  /// The number that identifies the file in system calls.
  public let number: Int32
  package let path: String

  /// Creates a descriptor from the number of an open file.
  public init(_ number: Int32, path: String) {
    self.number = number
    self.path = path
  }

  /// The standard input of the process.
  public static var standardInput: FileDescriptor {
    FileDescriptor(STDIN_FILENO, path: "standard input")
  }

  /// The standard output of the process.
  public static var standardOutput: FileDescriptor {
    FileDescriptor(STDOUT_FILENO, path: "standard output")
  }

  /// The standard error of the process.
  public static var standardError: FileDescriptor {
    FileDescriptor(STDERR_FILENO, path: "standard error")
  }

  /// Opens a file for reading. Opening a named pipe waits for a writer.
  package static func open(_ path: String) throws(DiskError) -> FileDescriptor {
    let number = DaybookCLibrary.open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw DiskError(.open, path: path, code: errno) }
    return FileDescriptor(number, path: path)
  }

  /// Creates a file for reading and writing, or empties the file that exists.
  package static func create(
    _ path: String, permissions: UInt16
  ) throws(DiskError) -> FileDescriptor {
    let flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC
    let number = DaybookCLibrary.open(path, flags, mode_t(permissions))
    guard number >= 0 else { throw DiskError(.create, path: path, code: errno) }
    return FileDescriptor(number, path: path)
  }

  /// Creates a temporary file and removes its name. The file is deleted when it is closed.
  static func createUnlinkedFile(in directory: String) throws(DiskError) -> FileDescriptor {
    var name = Array("\(directory)/daybook-XXXXXX".utf8CString)
    let number = mkstemp(&name)
    guard number >= 0 else { throw DiskError(.create, path: directory, code: errno) }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    unlink(name)
    return FileDescriptor(number, path: directory)
  }

  package func close() { _ = DaybookCLibrary.close(number) }

  /// Returns the kind, size and identity of the open file.
  package func status() throws(DiskError) -> FileStatus {
    guard let status = FileStatus(descriptor: number) else {
      throw DiskError(.status, path: path, code: errno)
    }
    return status
  }

  /// Returns the offset of the next ``read(into:)``.
  package func position() throws(DiskError) -> UInt64 {
    let position = lseek(number, 0, SEEK_CUR)
    guard position >= 0 else { throw DiskError(.read, path: path, code: errno) }
    return UInt64(position)
  }

  /// Reads from the current position. Repeats calls that a signal interrupts.
  ///
  /// - Returns: The number of bytes; 0 at the end.
  public func read(into memory: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
    while true {
      let count = DaybookCLibrary.read(number, memory.baseAddress, memory.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw DiskError(.read, path: path, code: errno) }
    }
  }

  /// Reads from an offset, and leaves the current position as it is.
  package func read(
    into memory: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    while true {
      let count = pread(number, memory.baseAddress, memory.count, off_t(offset))
      if count >= 0 { return count }
      guard errno == EINTR else { throw DiskError(.read, path: path, code: errno) }
    }
  }

  /// Writes every byte. Repeats calls that a signal interrupts.
  public func writeAll(_ bytes: RawSpan) throws(DiskError) {
    var done = 0
    while done < bytes.byteCount {
      let count = bytes.extracting(done..<bytes.byteCount).withUnsafeBytes {
        DaybookCLibrary.write(number, $0.baseAddress, $0.count)
      }
      if count > 0 {
        done += count
      } else {
        let code = count == 0 ? EIO : errno
        guard code == EINTR else { throw DiskError(.write, path: path, code: code) }
      }
    }
  }

  /// Writes at an offset, by one call.
  ///
  /// - Returns: The number of bytes written, or -1 with the reason in ``Errno/last``.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    pwrite(number, bytes.baseAddress, bytes.count, off_t(offset))
  }

  /// Makes the bytes and the size durable, by one call.
  ///
  /// - Returns: 0, or -1 with the reason in ``Errno/last``.
  package func sync() -> Int32 { FileDescriptor.sync(number) }

  /// A Boolean value that indicates whether the reading end of the pipe is closed.
  public var hasLostReader: Bool {
    var polled = pollfd(fd: number, events: 0, revents: 0)
    return poll(&polled, 1, 0) == 1 && polled.revents & Int16(POLLERR) != 0
  }

  /// Opens `/dev/null` in place of standard descriptors that are closed.
  ///
  /// If such a descriptor stayed closed, the next file that the process opens would get its number,
  /// and would receive the output of the program. Standard input is opened only for writing, and
  /// the other two only for reading. So reading standard input and writing to the other two still
  /// fail.
  public static func openClosedStandardDescriptors() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(number, F_GETFD) == -1 {
      // The system assigns the lowest free number. This number is the lowest free one, because the
      // numbers below it are in use.
      _ = DaybookCLibrary.open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
