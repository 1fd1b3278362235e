import DaybookJournal
import DaybookPlatform

/// A disk that passes every call on to a wrapped disk, and calls closures of a test before some.
package struct PassingDisk: Disk {
  package let disk: any Disk
  /// A Boolean value that indicates whether the holder of a lock can be determined.
  package var tellsHolders = true
  /// A Boolean value that indicates whether a mapping keeps the contents of the file at the time of
  /// mapping, as on an overlay file system.
  package var mapsOldCopies = false
  /// Called before each read of a file, with its path and the offset.
  package var beforeRead: @Sendable (String, UInt64) -> Void = { _, _ in }
  /// Called before each write to a file, with its path and the offset.
  package var beforeWrite: @Sendable (String, UInt64) -> Void = { _, _ in }
  /// Called before the announcement of a sync, with the path and the number of bytes.
  package var beforeBeginSync: @Sendable (String, Int) -> Void = { _, _ in }
  /// Called before each sync of a file, with its path.
  package var beforeSync: @Sendable (String) -> Void = { _ in }
  /// Called before each attempt to lock a file, with its path.
  package var beforeLock: @Sendable (String) -> Void = { _ in }
  /// Called before a file is renamed, with its path.
  package var beforeRename: @Sendable (String) -> Void = { _ in }
  /// Called after a file was created, with its path.
  package var afterCreate: @Sendable (String) -> Void = { _ in }

  package init(_ disk: any Disk) { self.disk = disk }

  package func open(_ path: String, for access: FileAccess) throws(DiskError) -> any DiskFile {
    PassingFile(try disk.open(path, for: access), self)
  }

  package func create(_ path: String, permissions: UInt16) throws(DiskError) -> any DiskFile {
    let file = PassingFile(try disk.create(path, permissions: permissions), self)
    afterCreate(path)
    return file
  }

  package func rename(_ source: String, to target: String) throws(DiskError) {
    beforeRename(source)
    try disk.rename(source, to: target)
  }

  package func link(_ source: String, to target: String) throws(DiskError) {
    try disk.link(source, to: target)
  }

  package func remove(_ path: String) throws(DiskError) { try disk.remove(path) }

  package func list(_ directory: String) throws(DiskError) -> [String] { try disk.list(directory) }

  package func status(of path: String) throws(DiskError) -> FileStatus { try disk.status(of: path) }

  package func resolve(_ path: String) throws(DiskError) -> String { try disk.resolve(path) }

  package func syncDirectory(_ path: String) throws(DiskError) { try disk.syncDirectory(path) }

  package func watch(_ directory: String) throws(DiskError) -> any DiskWatch {
    try disk.watch(directory)
  }
}

/// A file of a ``PassingDisk``.
private final class PassingFile: DiskFile {
  private let file: any DiskFile
  private let disk: PassingDisk

  init(_ file: any DiskFile, _ disk: PassingDisk) {
    self.file = file
    self.disk = disk
  }

  var path: String { file.path }

  func read(at offset: UInt64, into buffer: inout MutableRawSpan) throws(DiskError) -> Int {
    disk.beforeRead(path, offset)
    return try file.read(at: offset, into: &buffer)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) -> Int {
    disk.beforeWrite(path, offset)
    return try file.write(bytes, at: offset)
  }

  func moved(to path: String) { file.moved(to: path) }

  func startSync(at offset: UInt64, byteCount: Int) {
    disk.beforeBeginSync(path, byteCount)
    file.startSync(at: offset, byteCount: byteCount)
  }

  func sync() throws(DiskError) {
    disk.beforeSync(path)
    try file.sync()
  }

  func truncate(to byteCount: UInt64) throws(DiskError) { try file.truncate(to: byteCount) }

  func status() throws(DiskError) -> FileStatus { try file.status() }

  func map(byteCount: Int) throws(DiskError) -> Mapping {
    guard disk.mapsOldCopies else { return try file.map(byteCount: byteCount) }
    let old = try file.bytes(at: 0, count: Int(try file.status().byteCount))
    return Mapping(copying: old.span.bytes)
  }

  var mappingsFollowWrites: Bool { !disk.mapsOldCopies && file.mappingsFollowWrites }

  func lock() throws(DiskError) -> Bool {
    disk.beforeLock(path)
    return try file.lock()
  }

  func lockWaiting() throws(DiskError) { try file.lockWaiting() }

  func unlock() { file.unlock() }

  var isLocked: Bool { file.isLocked }

  func lockHolder() -> LockHolder? { disk.tellsHolders ? file.lockHolder() : nil }

  func setPermissions(_ permissions: UInt16, owner: UInt32, group: UInt32) throws(DiskError) {
    try file.setPermissions(permissions, owner: owner, group: group)
  }
}
