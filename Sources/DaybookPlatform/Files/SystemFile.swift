import Glibc
import Synchronization

/// A file of this machine, by its descriptor.
final class SystemFile: DiskFile {
  let descriptor: Int32
  private let access: FileAccess
  // Guarded by its mutex, and asked for only when something has gone wrong.
  private let currentPath: Mutex<String>

  var path: String { currentPath.withLock { $0 } }

  init(descriptor: Int32, path: String, for access: FileAccess) {
    self.descriptor = descriptor
    self.access = access
    currentPath = Mutex(path)
  }

  func moved(to path: String) { currentPath.withLock { $0 = path } }

  // Closing lets go of the lock, but not while another process is being started: until that has its
  // own program it has copies of all descriptors. So it is let go of by name. An error here has
  // nobody to hear it and nothing to lose: what matters has been synced by its own call before.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  func read(at offset: UInt64, into buffer: inout MutableRawSpan) throws(DiskError) -> Int {
    let position = try place(offset, .read)
    let count = buffer.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, $0.count, position)
    }
    guard count >= 0 else { throw DiskError(.read, path: path, code: errno) }
    return count
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) -> Int {
    let position = try place(offset, .write)
    let count = bytes.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, $0.count, position)
    }
    guard count >= 0 else { throw DiskError(.write, path: path, code: errno) }
    return count
  }

  func beginSync(at offset: UInt64, byteCount: Int) {
    guard byteCount > 0, let position = off_t(exactly: offset) else { return }
    Writeback.begin(descriptor, at: position, byteCount: byteCount)
  }

  func sync() throws(DiskError) {
    guard fdatasync(descriptor) == 0 else { throw DiskError(.sync, path: path, code: errno) }
  }

  func truncate(to byteCount: UInt64) throws(DiskError) {
    guard ftruncate(descriptor, try place(byteCount, .truncate)) == 0 else {
      throw DiskError(.truncate, path: path, code: errno)
    }
  }

  func status() throws(DiskError) -> FileStatus {
    guard let status = FileStatus(descriptor: descriptor) else {
      throw DiskError(.status, path: path, code: errno)
    }
    return status
  }

  func map(byteCount: Int) throws(DiskError) -> Mapping {
    precondition(byteCount > 0, "a mapping of \(byteCount) bytes")
    let address = mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let address, address != MAP_FAILED else {
      throw DiskError(.map, path: path, code: errno)
    }
    return Mapping(mapped: UnsafeRawPointer(address), byteCount: byteCount)
  }

  var mappingsFollowWrites: Bool {
    access == .readingAndWriting || MountTable.fileSystem(ofDescriptor: descriptor) != "overlay"
  }

  func lock() throws(DiskError) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard errno == EWOULDBLOCK else { throw DiskError(.lock, path: path, code: errno) }
    return false
  }

  func lockWaiting() throws(DiskError) {
    while flock(descriptor, LOCK_EX) != 0 {
      // A signal is no reason to stop waiting: the caller asked to wait.
      guard errno == EINTR else { throw DiskError(.lock, path: path, code: errno) }
    }
  }

  func unlock() { flock(descriptor, LOCK_UN) }

  func lockHolder() -> LockHolder? {
    guard let status = try? status() else { return nil }
    return LockTable.holder(of: status.identity)
  }

  func setPermissions(_ permissions: UInt16, owner: UInt32, group: UInt32) throws(DiskError) {
    // Only a privileged process may give a file away; one that may not keeps it as its own.
    guard fchown(descriptor, owner, group) == 0 || errno == EPERM else {
      throw DiskError(.setPermissions, path: path, code: errno)
    }
    guard fchmod(descriptor, mode_t(permissions)) == 0 else {
      throw DiskError(.setPermissions, path: path, code: errno)
    }
  }

  private func place(
    _ offset: UInt64, _ operation: DiskError.Operation
  ) throws(DiskError) -> off_t {
    guard let place = off_t(exactly: offset) else {
      throw DiskError(operation, path: path, code: EOVERFLOW)
    }
    return place
  }
}
