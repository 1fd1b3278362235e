/// The interface to the file system that a journal uses.
///
/// A journal makes every call of the file system through its disk. So a test can pass a disk of its
/// own. The disk of a test can let each call fail, or write only a part of the bytes. It can report
/// a success that did not occur, and can simulate a power failure at any call. ``SystemDisk`` uses
/// the file system of this machine. `SimulatedDisk`, in `DaybookTesting`, simulates faults.
///
/// A disk does not hide incomplete calls. A disk reports a short read, a short write or an
/// interrupted call to its caller. ``DiskFile/writeAll(_:at:)`` and similar functions repeat such
/// calls. Every method may be called from any thread.
public protocol Disk: Sendable {
  /// Opens a file that exists.
  ///
  /// The call neither creates nor truncates a file, and it never waits. The call also opens a named
  /// pipe that has no writer. The caller recognizes a named pipe by its ``FileStatus/kind``.
  func open(_ path: String, for access: FileAccess) throws(DiskError) -> any DiskFile

  /// Creates a file that does not exist yet, open for reading and writing.
  ///
  /// - Throws: ``DiskError`` with `EEXIST` if the name exists, even as a symbolic link without a
  ///   target.
  func create(_ path: String, permissions: UInt16) throws(DiskError) -> any DiskFile

  /// Renames a file, and atomically replaces the file that has the new name.
  func rename(_ source: String, to target: String) throws(DiskError)

  /// Creates a second name for a file.
  ///
  /// - Throws: ``DiskError`` with `EEXIST` if the name exists. If several processes link files
  ///   under one name, the first one succeeds.
  func link(_ source: String, to target: String) throws(DiskError)

  /// Removes a name of a file.
  func remove(_ path: String) throws(DiskError)

  /// Returns the names in a directory, without `.` and `..`, in no particular order.
  func list(_ directory: String) throws(DiskError) -> [String]

  /// Returns the status of the file at a path, after following symbolic links.
  func status(of path: String) throws(DiskError) -> FileStatus

  /// Returns the path with every symbolic link resolved. The last component need not exist.
  ///
  /// - Throws: ``DiskError`` with `ELOOP` if links form a cycle, or `ENOENT` if a link has no
  ///   target.
  func resolve(_ path: String) throws(DiskError) -> String

  /// Syncs the names in a directory: after the call, all creations, links, renames and removals are
  /// durable.
  func syncDirectory(_ path: String) throws(DiskError)

  /// Returns a new watch, which reports the changes that any process makes to the files in a
  /// directory.
  func watch(_ directory: String) throws(DiskError) -> any DiskWatch
}

/// The kind of access for which a file is opened.
public enum FileAccess: Hashable, Sendable {
  /// Access for reading only.
  case reading
  /// Access for reading and writing.
  case readingAndWriting
}

/// A file that a ``Disk`` has opened. The file is closed when its last reference is released.
public protocol DiskFile: AnyObject, Sendable {
  /// The current path of the file, for error messages: the path of the opening, or the last path
  /// that was passed to ``moved(to:)``.
  var path: String { get }

  /// Records that the file has a new path. Later errors contain the new path.
  func moved(to path: String)

  /// Reads bytes at an offset into a buffer.
  ///
  /// - Returns: The number of bytes that were read. The number is 0 at the end of the file. The
  ///   number is less than the size of the buffer if the system has read only a part of the bytes.
  func read(at offset: UInt64, into buffer: inout MutableRawSpan) throws(DiskError) -> Int

  /// Writes bytes at an offset.
  ///
  /// - Returns: The number of bytes that were written. The number is less than the number of bytes
  ///   in the span if the system has written only a part of them.
  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) -> Int

  /// Starts to write bytes that the caller is about to sync, and does not wait for the writes.
  ///
  /// The call guarantees nothing, and it reports no errors: the sync reports them. If the system
  /// has no such function, the disk uses the default implementation, which does nothing.
  func startSync(at offset: UInt64, byteCount: Int)

  /// Orders writes: the bytes and the size become durable before any later write, rename or link.
  ///
  /// The call may return before the bytes are durable. The call is for a file that is renamed next.
  /// The sync of the directory after the rename then makes both the bytes and the name durable.
  func barrier() throws(DiskError)

  /// Syncs the file: after the call, its bytes and its size are durable.
  ///
  /// If the call throws, the state of all bytes written after the last successful sync is unknown.
  /// A second call cannot prove that these bytes are durable, because the system may have marked
  /// their pages as clean.
  func sync() throws(DiskError)

  /// Truncates or extends the file to a size. New bytes are zeros.
  func truncate(to byteCount: UInt64) throws(DiskError)

  /// Returns the current status of the file.
  func status() throws(DiskError) -> FileStatus

  /// Returns a read-only mapping of the first bytes of the file. Later writes become visible in the
  /// mapping.
  ///
  /// The requested size may exceed the size of the file. The bytes after the end of the file may be
  /// read after the file has grown to include them. A disk may map fewer bytes than requested; see
  /// ``Mapping/byteCount``.
  func map(byteCount: Int) throws(DiskError) -> Mapping

  /// A Boolean value that indicates whether a mapping shows writes that other openings of the file
  /// make.
  ///
  /// The value is false for a file of an overlay file system that is open for reading. The first
  /// opening for writing copies such a file, and existing mappings continue to show the old file.
  /// If the value is false, followers read the file by copying.
  var mappingsFollowWrites: Bool { get }

  /// Tries to lock the file against other processes, and against other openings in this process.
  ///
  /// - Returns: False if a different opening has the lock.
  func lock() throws(DiskError) -> Bool

  /// Locks the file, and waits while a different opening has the lock.
  func lockWaiting() throws(DiskError)

  /// Releases the lock, if this opening has it.
  func unlock()

  /// A Boolean value that indicates whether any opening of the file, this one included, has the
  /// lock.
  var isLocked: Bool { get }

  /// Returns the process that has the lock of the file, or nil if it cannot be determined.
  func lockHolder() -> LockHolder?

  /// Sets the permissions, and the owner if this process is allowed to.
  func setPermissions(_ permissions: UInt16, owner: UInt32, group: UInt32) throws(DiskError)
}

extension DiskFile {
  /// Returns at once: the sync does all of the work.
  public func startSync(at offset: UInt64, byteCount: Int) {}

  /// Syncs the file.
  public func barrier() throws(DiskError) { try sync() }

  /// A Boolean value that indicates whether mappings show later writes: true, which is correct on
  /// most file systems.
  public var mappingsFollowWrites: Bool { true }

  /// A Boolean value that indicates whether ``lockHolder()`` finds a process that has the lock.
  public var isLocked: Bool { lockHolder() != nil }
}

/// The facts that a disk reports about a file.
public struct FileStatus: Hashable, Sendable {
  /// The kind of a file system object.
  public enum Kind: Hashable, Sendable {
    /// A regular file, a directory, a named pipe, a socket, a device, or an object of any other
    /// kind.
    case file, directory, fifo, socket, device, other
  }

  /// The kind of the file system object.
  public var kind: Kind
  /// The identity of the file, which does not depend on its names.
  public var identity: FileIdentity
  /// The size in bytes.
  public var byteCount: UInt64
  /// The number of names of the file; 0 after the last name was removed.
  public var linkCount: Int
  /// The permission bits.
  public var permissions: UInt16
  /// The numeric identifier of the owner.
  public var owner: UInt32 = 0
  /// The numeric identifier of the group.
  public var group: UInt32 = 0

  /// Creates a status, for custom disks.
  public init(
    kind: Kind, identity: FileIdentity, byteCount: UInt64, linkCount: Int,
    permissions: UInt16 = 0o600
  ) {
    self.kind = kind
    self.identity = identity
    self.byteCount = byteCount
    self.linkCount = linkCount
    self.permissions = permissions
  }
}

/// The identity of a file, which does not depend on its names: the device, and the number of the
/// file on it.
public struct FileIdentity: Hashable, Sendable {
  /// The number of the device.
  public var device: UInt64
  /// The number of the file on the device.
  public var number: UInt64

  /// Creates an identity, for custom disks.
  public init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

/// The process that has a lock.
public struct LockHolder: Hashable, Sendable {
  /// The identifier of the process.
  public var process: Int32
  /// The name of the program, or nil if it cannot be determined.
  public var name: String?

  /// Creates a lock holder, for custom disks.
  public init(process: Int32, name: String?) {
    self.process = process
    self.name = name
  }
}

extension LockHolder: CustomStringConvertible {
  /// A description such as `process 4711 (daybook)`.
  public var description: String {
    "process \(process)" + (name.map { " (\($0))" } ?? "")
  }
}

/// A watch that reports changes to the files in a directory.
public protocol DiskWatch: AnyObject, Sendable {
  /// Waits until a file has changed since the last call of this method, until the time has passed,
  /// or until ``wake()`` is called.
  ///
  /// The call may also return early for no reason. So the caller checks for changes, and waits
  /// again.
  func wait(milliseconds: Int)

  /// Wakes the thread in ``wait(milliseconds:)``: the current or the next call of that method
  /// returns at once.
  func wake()
}

/// Functions that split paths into directories and names, and join them.
public enum FilePaths {
  /// Splits a path: `a/b/c` is `c` in `a/b`, `c` is `c` in `.`, and `/c` is `c` in `/`.
  package static func split(_ path: String) -> (directory: String, name: String) {
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[bytes.index(after: slash)...])
    return (slash == bytes.startIndex ? "/" : String(path[..<slash]), name)
  }

  /// Returns the path of a name in a directory.
  public static func join(_ directory: String, name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}
