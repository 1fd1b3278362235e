/// Everything a journal asks of a file system, behind one door.
///
/// A journal never calls the operating system by another way, so a test that puts its own disk here
/// can make each call fail, tear, or lie, and can take the power away at any of them.
/// ``SystemDisk`` is the real one; `SimulatedDisk`, in `DaybookTesting`, is the one that
/// misbehaves.
///
/// A disk does one call at a time and hides nothing: a short read, a short write, and an
/// interrupted call come back as they are, and the journal deals with them. Every method may be
/// called from any thread.
public protocol Disk: Sendable {
  /// Opens the file that is there. It neither creates nor truncates, and never waits (a FIFO
  /// without a writer is opened, and told by its status).
  func open(_ path: String, for access: FileAccess) throws(DiskError) -> any DiskFile

  /// Creates a file where there was none, open for reading and writing.
  ///
  /// - Throws: ``DiskError`` with `EEXIST` if the name is taken, also by a link that leads nowhere.
  func create(_ path: String, permissions: UInt16) throws(DiskError) -> any DiskFile

  /// Gives a file another name, replacing in one step whatever had it.
  func rename(_ source: String, to target: String) throws(DiskError)

  /// Gives a file a second name.
  ///
  /// - Throws: ``DiskError`` with `EEXIST` if the name is taken: whoever links first has made the
  ///   file.
  func link(_ source: String, to target: String) throws(DiskError)

  /// Takes a name away.
  func remove(_ path: String) throws(DiskError)

  /// The names in a directory, without `.` and `..`, in no order.
  func list(_ directory: String) throws(DiskError) -> [String]

  /// What stands at a path, links followed.
  func status(of path: String) throws(DiskError) -> FileStatus

  /// The path with every link followed. The last component need not exist.
  ///
  /// - Throws: ``DiskError`` with `ELOOP` or `ENOENT` if a link leads in a circle or nowhere.
  func resolve(_ path: String) throws(DiskError) -> String

  /// Makes the names in a directory durable: what was created, linked, renamed or removed.
  func syncDirectory(_ path: String) throws(DiskError)

  /// Hears of changes to the files in a directory, from any process.
  func watch(_ directory: String) throws(DiskError) -> any DiskWatch
}

/// What an open file is to be used for.
public enum FileAccess: Hashable, Sendable {
  case reading
  case readingAndWriting
}

/// A file that a ``Disk`` has opened. It closes itself when the last reference goes.
public protocol DiskFile: AnyObject, Sendable {
  /// The path it was opened by, or has been given since, for errors.
  var path: String { get }

  /// Takes note that the file has another path now, by which errors are to name it.
  func moved(to path: String)

  /// Reads at an offset into the buffer and says how many bytes came: fewer than asked for if the
  /// call was cut short, 0 at the end of the file.
  func read(at offset: UInt64, into buffer: inout MutableRawSpan) throws(DiskError) -> Int

  /// Writes at an offset and says how many bytes went: fewer than given if the call was cut short.
  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) -> Int

  /// Has the disk begin with bytes that are about to be synced, and does not wait for it.
  ///
  /// It promises nothing: whatever goes wrong is heard by the sync. A disk that has no such call leaves it out.
  func beginSync(at offset: UInt64, byteCount: Int)

  /// Makes the bytes and the size durable before anything that is written or named after this call.
  ///
  /// The call may return before they are durable. It is for a file that gets its name next: the sync of the directory
  /// then makes both durable.
  func barrier() throws(DiskError)

  /// Makes the bytes and the size durable.
  ///
  /// After a sync that throws, nothing is known of what was written since the last one that did
  /// not, and calling it again proves nothing: the system may have dropped the pages and called
  /// them clean.
  func sync() throws(DiskError)

  /// Sets the size. New bytes are zeros.
  func truncate(to byteCount: UInt64) throws(DiskError)

  /// Size, kind, identity and number of names, as they are now.
  func status() throws(DiskError) -> FileStatus

  /// A read-only view of the file's first bytes that follows later writes to them.
  ///
  /// It may be asked for more bytes than the file has; those may be read once the file has grown
  /// over them. A disk may give fewer than asked for, and says so in ``Mapping/byteCount``.
  func map(byteCount: Int) throws(DiskError) -> Mapping

  /// A Boolean value that indicates whether a mapping follows what other openings of the file write.
  ///
  /// It is false for a file of an overlay file system that is open for reading: the first opening for writing copies
  /// the file, and a mapping made before stays with the old one. Followers then read by copying.
  var mappingsFollowWrites: Bool { get }

  /// Takes the file's lock, which other processes and other openings in this one respect.
  ///
  /// - Returns: False if someone else holds it.
  func lock() throws(DiskError) -> Bool

  /// Takes the file's lock, waiting for whoever holds it.
  func lockWaiting() throws(DiskError)

  /// Lets go of the lock, if this opening has it.
  func unlock()

  /// A Boolean value that indicates whether an opening of the file, this one included, has its lock.
  var isLocked: Bool { get }

  /// The process that holds the file's lock, if that can be found out.
  func lockHolder() -> LockHolder?

  /// Sets permissions and, as far as this process may, the owner.
  func setPermissions(_ permissions: UInt16, owner: UInt32, group: UInt32) throws(DiskError)
}

extension DiskFile {
  /// Does nothing: the sync does it all.
  public func beginSync(at offset: UInt64, byteCount: Int) {}

  /// Syncs the file.
  public func barrier() throws(DiskError) { try sync() }

  /// True, as on most file systems.
  public var mappingsFollowWrites: Bool { true }

  /// Whether a process is known that holds the lock.
  public var isLocked: Bool { lockHolder() != nil }
}

/// What a disk says of a file.
public struct FileStatus: Hashable, Sendable {
  /// What kind of thing stands there.
  public enum Kind: Hashable, Sendable {
    case file, directory, fifo, socket, device, other
  }

  /// What kind of thing stands there.
  public var kind: Kind
  /// Which file it is, whatever its names.
  public var identity: FileIdentity
  /// The size in bytes.
  public var byteCount: UInt64
  /// How many names the file has; 0 when the last one has been taken away.
  public var linkCount: Int
  /// The permission bits.
  public var permissions: UInt16
  /// The owner's number.
  public var owner: UInt32
  /// The group's number.
  public var group: UInt32

  /// A status, for disks of your own.
  public init(
    kind: Kind, identity: FileIdentity, byteCount: UInt64, linkCount: Int,
    permissions: UInt16 = 0o600, owner: UInt32 = 0, group: UInt32 = 0
  ) {
    self.kind = kind
    self.identity = identity
    self.byteCount = byteCount
    self.linkCount = linkCount
    self.permissions = permissions
    self.owner = owner
    self.group = group
  }
}

/// Which file something is, whatever its names: the device and the number on it.
public struct FileIdentity: Hashable, Sendable {
  /// The device.
  public var device: UInt64
  /// The file's number on the device.
  public var number: UInt64

  /// An identity, for disks of your own.
  public init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

/// The process that holds a lock.
public struct LockHolder: Hashable, Sendable {
  /// The process's id.
  public var process: Int32
  /// The program's name, if it could be found out.
  public var name: String?

  /// A holder, for disks of your own.
  public init(process: Int32, name: String?) {
    self.process = process
    self.name = name
  }
}

extension LockHolder: CustomStringConvertible {
  /// `process 4711 (daybook)`
  public var description: String {
    "process \(process)" + (name.map { " (\($0))" } ?? "")
  }
}

/// Hears of changes to the files in a directory.
public protocol DiskWatch: AnyObject, Sendable {
  /// Waits until something has changed since the last call, or the time is over, or ``wake()``.
  ///
  /// It may return early for no reason, so the caller looks and waits again.
  func wait(milliseconds: Int)

  /// Makes the present or next ``wait(milliseconds:)`` return at once.
  func wake()
}

/// Directories and names, taken apart and put together.
public enum FilePaths {
  /// `a/b/c` is `c` in `a/b`, `c` is `c` in `.`, and `/c` is `c` in `/`.
  package static func split(_ path: String) -> (directory: String, name: String) {
    let bytes = path.utf8
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
    let name = String(path[bytes.index(after: slash)...])
    return (slash == bytes.startIndex ? "/" : String(path[..<slash]), name)
  }

  /// The path of a name in a directory.
  public static func join(_ directory: String, name: String) -> String {
    directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}
