import DaybookJournal
import DaybookTesting
import Glibc

/// A simulated disk whose journal syncs wait until a test lets them go on, so that what happens
/// meanwhile can be looked at.
final class GatedDisk: Disk {
  let disk: SimulatedDisk
  let gate: Gate

  init(_ disk: SimulatedDisk) {
    self.disk = disk
    gate = Gate()
  }

  func open(_ path: String, for access: FileAccess) throws(DiskError) -> any DiskFile {
    GatedFile(try disk.open(path, for: access), gate)
  }
  func create(_ path: String, permissions: UInt16) throws(DiskError) -> any DiskFile {
    GatedFile(try disk.create(path, permissions: permissions), gate)
  }
  func rename(_ source: String, to target: String) throws(DiskError) {
    try disk.rename(source, to: target)
  }
  func link(_ source: String, to target: String) throws(DiskError) {
    try disk.link(source, to: target)
  }
  func remove(_ path: String) throws(DiskError) { try disk.remove(path) }
  func list(_ directory: String) throws(DiskError) -> [String] { try disk.list(directory) }
  func status(of path: String) throws(DiskError) -> FileStatus { try disk.status(of: path) }
  func resolve(_ path: String) throws(DiskError) -> String { try disk.resolve(path) }
  func syncDirectory(_ path: String) throws(DiskError) { try disk.syncDirectory(path) }
  func watch(_ directory: String) throws(DiskError) -> any DiskWatch { try disk.watch(directory) }
}

/// Where syncs wait.
//
// Shared state: the two semaphores, which are thread-safe; `isShut`, set by the test while nobody
// syncs.
final class Gate: @unchecked Sendable {
  private let arrivals = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private let departures = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private var isShut = false

  init() {
    sem_init(arrivals, 0, 0)
    sem_init(departures, 0, 0)
  }

  deinit {
    sem_destroy(arrivals)
    sem_destroy(departures)
    arrivals.deallocate()
    departures.deallocate()
  }

  /// From now on syncs wait.
  func shut() { isShut = true }

  /// Waits until a sync has come.
  func awaitArrival() { sem_wait(arrivals) }

  /// Lets one sync go on.
  func letOneGo() { sem_post(departures) }

  fileprivate func pass() {
    guard isShut else { return }
    sem_post(arrivals)
    sem_wait(departures)
  }
}

private final class GatedFile: DiskFile {
  private let file: any DiskFile
  private let gate: Gate
  var path: String { file.path }

  init(_ file: any DiskFile, _ gate: Gate) {
    self.file = file
    self.gate = gate
  }

  func moved(to path: String) { file.moved(to: path) }

  func sync() throws(DiskError) {
    gate.pass()
    try file.sync()
  }

  func read(at offset: UInt64, into buffer: inout MutableRawSpan) throws(DiskError) -> Int {
    try file.read(at: offset, into: &buffer)
  }
  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) -> Int {
    try file.write(bytes, at: offset)
  }
  func truncate(to byteCount: UInt64) throws(DiskError) { try file.truncate(to: byteCount) }
  func status() throws(DiskError) -> FileStatus { try file.status() }
  func map(byteCount: Int) throws(DiskError) -> Mapping { try file.map(byteCount: byteCount) }
  func lock() throws(DiskError) -> Bool { try file.lock() }
  func lockWaiting() throws(DiskError) { try file.lockWaiting() }
  func unlock() { file.unlock() }
  func lockHolder() -> LockHolder? { file.lockHolder() }
  func setPermissions(_ permissions: UInt16, owner: UInt32, group: UInt32) throws(DiskError) {
    try file.setPermissions(permissions, owner: owner, group: group)
  }
}
