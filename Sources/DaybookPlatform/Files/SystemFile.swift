import DaybookCLibrary
import Synchronization

/// An open file of this machine, represented by its descriptor.
///
/// Members that differ between operating systems are in the folder of each system: ``barrier()``,
/// ``startSync(at:byteCount:)``, ``mappingsFollowWrites``, ``lock()``, ``isLocked`` and
/// ``lockHolder()``.
final class SystemFile: DiskFile {
  let descriptor: Int32
  let access: FileAccess
  // Guarded by its mutex. The path is read only to create an error.
  private let currentPath: Mutex<String>

  var path: String { currentPath.withLock { $0 } }

  init(descriptor: Int32, path: String, for access: FileAccess) {
    self.descriptor = descriptor
    self.access = access
    currentPath = Mutex(path)
  }

  /// Returns the error of the call that has just failed.
  func error(_ operation: DiskError.Operation) -> DiskError {
    // Reading the path takes a lock, which can change `errno`.
    let code = errno
    return DiskError(operation, path: path, code: code)
  }

  func moved(to path: String) { currentPath.withLock { $0 = path } }

  // Closing the file usually releases the lock. But while this process starts a child process, the
  // child has copies of all descriptors until it executes its own program. A copy would keep the
  // lock, so the lock is released explicitly. Errors are ignored, because no caller could receive
  // them.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  func read(at offset: UInt64, into buffer: inout MutableRawSpan) throws(DiskError) -> Int {
    let position = try systemOffset(offset, for: .read)
    let count = buffer.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, $0.count, position)
    }
    guard count >= 0 else { throw error(.read) }
    return count
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) -> Int {
    let position = try systemOffset(offset, for: .write)
    let count = bytes.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, position)
    }
    guard count >= 0 else { throw error(.write) }
    return count
  }

  func sync() throws(DiskError) {
    guard FileDescriptor.sync(descriptor) == 0 else {
      throw error(.sync)
    }
  }

  func truncate(to byteCount: UInt64) throws(DiskError) {
    guard ftruncate(descriptor, try systemOffset(byteCount, for: .truncate)) == 0 else {
      throw error(.truncate)
    }
  }

  func status() throws(DiskError) -> FileStatus {
    guard let status = FileStatus(descriptor: descriptor) else {
      throw error(.status)
    }
    return status
  }

  func map(byteCount: Int) throws(DiskError) -> Mapping {
    precondition(byteCount > 0, "a mapping cannot have \(byteCount) bytes")
    let address = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let address, address != MAP_FAILED else {
      throw error(.map)
    }
    return Mapping(mapped: UnsafeRawPointer(address), byteCount: byteCount)
  }

  /// Tries to take the lock with one call, without waiting.
  func acquireLock() throws(DiskError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw error(.lock) }
    return false
  }

  func lockWaiting() throws(DiskError) {
    while flock(descriptor, LOCK_EX) != 0 {
      // A signal does not end the wait: the caller asked to wait for the lock.
      guard errno == EINTR else { throw error(.lock) }
    }
  }

  func unlock() { flock(descriptor, LOCK_UN) }

  func setPermissions(_ permissions: UInt16, owner: UInt32, group: UInt32) throws(DiskError) {
    // Only a privileged process may change the owner. Without that right, the file keeps this
    // process's owner.
    guard fchown(descriptor, owner, group) == 0 || errno == EPERM else {
      throw error(.setPermissions)
    }
    guard fchmod(descriptor, mode_t(permissions)) == 0 else {
      throw error(.setPermissions)
    }
  }

  private func systemOffset(
    _ offset: UInt64, for operation: DiskError.Operation
  ) throws(DiskError) -> off_t {
    guard let systemOffset = off_t(exactly: offset) else {
      throw DiskError(operation, path: path, code: EOVERFLOW)
    }
    return systemOffset
  }
}

extension FileStatus {
  /// Creates the status of an open file with `fstat`, the call that all systems have.
  ///
  /// - Returns: nil if the call fails, with the reason in `errno`.
  init?(describing descriptor: Int32) {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return nil }
    self.init(information)
  }

  /// Creates a status from the result of a `stat` call.
  init(_ information: stat) {
    self.init(
      mode: UInt32(information.st_mode),
      identity: FileIdentity(
        device: UInt64(truncatingIfNeeded: information.st_dev), number: UInt64(information.st_ino)),
      byteCount: UInt64(max(0, information.st_size)), linkCount: Int(information.st_nlink))
    (owner, group) = (information.st_uid, information.st_gid)
  }

  /// Creates a status from the mode bits, which contain the kind and the permissions.
  init(
    mode: UInt32, identity: FileIdentity, byteCount: UInt64, linkCount: Int
  ) {
    let kind: Kind =
      switch mode & UInt32(S_IFMT) {
      case UInt32(S_IFREG): .file
      case UInt32(S_IFDIR): .directory
      case UInt32(S_IFIFO): .fifo
      case UInt32(S_IFSOCK): .socket
      case UInt32(S_IFCHR), UInt32(S_IFBLK): .device
      default: .other
      }
    self.init(
      kind: kind, identity: identity, byteCount: byteCount, linkCount: linkCount,
      permissions: UInt16(mode & 0o7777))
  }
}
