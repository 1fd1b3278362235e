import DaybookJournal
import DaybookPlatform
import Synchronization

/// A file that is open on a ``SimulatedDisk``.
final class SimulatedFile: DiskFile {
  private let disk: SimulatedDisk
  // The handle, guarded by its mutex. Only its path ever changes.
  private let state: Mutex<SimulatedHandle>

  private var handle: SimulatedHandle { state.withLock { $0 } }

  var path: String { handle.path }

  init(_ handle: SimulatedHandle, on disk: SimulatedDisk) {
    state = Mutex(handle)
    self.disk = disk
  }

  func moved(to path: String) { state.withLock { $0.path = path } }

  deinit {
    disk.state.withLock { $0.close(handle) }
  }

  func read(at offset: UInt64, into buffer: inout MutableRawSpan) throws(DiskError) -> Int {
    try buffer.withUnsafeMutableBytes { target throws(DiskError) in
      try disk.state.withLock { state throws(DiskError) in
        try state.read(at: offset, into: target, through: handle)
      }
    }
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) -> Int {
    try bytes.withUnsafeBytes { source throws(DiskError) in
      try disk.state.withLock { state throws(DiskError) in
        try state.write(source, at: offset, through: handle)
      }
    }
  }

  func sync() throws(DiskError) {
    try disk.state.withLock { state throws(DiskError) in try state.sync(handle) }
  }

  func truncate(to byteCount: UInt64) throws(DiskError) {
    try disk.state.withLock { state throws(DiskError) in
      try state.truncate(to: byteCount, through: handle)
    }
  }

  func status() throws(DiskError) -> FileStatus {
    let call = DiskCall(.status, at: path)
    return try disk.state.withLock { state throws(DiskError) in
      try state.perform(call) { state throws(DiskError) in
        guard state.isOpen(handle), let status = state.status(of: handle.number) else {
          throw call.error(Errno.badFileDescriptor)
        }
        return status
      }
    }
  }

  /// - Throws: ``DiskError`` with `ENODEV` if ``SimulatedDisk/mapsFiles`` is false.
  func map(byteCount: Int) throws(DiskError) -> Mapping {
    precondition(byteCount > 0, "a mapping of \(byteCount) bytes")
    let call = DiskCall(.map, at: path, byteCount: byteCount)
    return try disk.state.withLock { state throws(DiskError) in
      try state.perform(call) { state throws(DiskError) in
        _ = try state.inode(of: handle, for: call)
        guard state.mapsFiles, let mapping = state.inodes[handle.number]?.map(byteCount: byteCount)
        else { throw call.error(Errno.noDevice) }
        return mapping
      }
    }
  }

  func lock() throws(DiskError) -> Bool {
    let call = DiskCall(.lock, at: path)
    return try disk.state.withLock { state throws(DiskError) in
      try state.perform(call) { state throws(DiskError) in
        guard state.isOpen(handle) else { throw call.error(Errno.badFileDescriptor) }
        return state.lock(handle)
      }
    }
  }

  /// - Throws: ``DiskError`` with `EDEADLK` if the file is already locked. A simulated disk
  ///   performs one call after the other, so no call can release the lock during a wait.
  func lockWaiting() throws(DiskError) {
    guard try lock() else { throw DiskError(.lock, path: path, code: Errno.wouldDeadlock) }
  }

  func unlock() {
    disk.state.withLock { $0.unlock(handle) }
  }

  func lockHolder() -> LockHolder? {
    disk.state.withLock { $0.isLocked(handle.number) }
      ? LockHolder(process: 1, name: "simulated") : nil
  }

  func setPermissions(_ permissions: UInt16, owner: UInt32, group: UInt32) throws(DiskError) {
    let call = DiskCall(.setPermissions, at: path)
    try disk.state.withLock { state throws(DiskError) in
      try state.perform(call) { state throws(DiskError) in
        let number = try state.inode(of: handle, for: call).number
        state.inodes[number]?.permissions = permissions
        state.inodes[number]?.owner = owner
        state.inodes[number]?.group = group
      }
    }
  }
}

// MARK: Implementation of the calls

extension SimulatedState {
  func inode(of handle: SimulatedHandle, for call: DiskCall) throws(DiskError) -> SimulatedInode {
    guard isOpen(handle), let inode = inodes[handle.number] else {
      throw call.error(Errno.badFileDescriptor)
    }
    return inode
  }

  fileprivate mutating func read(
    at offset: UInt64, into target: UnsafeMutableRawBufferPointer, through handle: SimulatedHandle
  ) throws(DiskError) -> Int {
    let call = DiskCall(.read, at: handle.path, offset: offset, byteCount: target.count)
    let fault = try admit(call)
    let inode = try inode(of: handle, for: call)
    guard inode.kind == .file else { throw call.error(Errno.isDirectory) }
    var count = target.count
    switch fault {
    case .losePower: throw call.error(Errno.inputOutputError)
    case .short where count > 1: count = 1 + lot(below: count - 1)
    default: break
    }
    guard let start = Int(exactly: offset), start < inode.cached.count, count > 0 else { return 0 }
    let end = start + min(count, inode.cached.count - start)
    inode.cached.withUnsafeBytes {
      target[..<(end - start)].copyBytes(from: $0[start..<end])
    }
    return end - start
  }

  fileprivate mutating func write(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64, through handle: SimulatedHandle
  ) throws(DiskError) -> Int {
    let call = DiskCall(.write, at: handle.path, offset: offset, byteCount: bytes.count)
    let fault = try admit(call)
    let byteCount = try inode(of: handle, for: call).cached.count
    guard handle.access == .readingAndWriting else { throw call.error(Errno.badFileDescriptor) }
    let limit = SimulatedDisk.fileByteCountMax
    guard let start = Int(exactly: offset), start <= limit - bytes.count else {
      throw call.error(Errno.fileTooLarge)
    }
    guard !bytes.isEmpty else { return 0 }

    var count = bytes.count
    switch fault {
    case .tear(let written): count = min(written, count)
    case .short where count > 1: count = 1 + lot(below: count - 1)
    default: break
    }
    if start + count > byteCount {
      let (end, isUnbounded) = byteCount.addingReportingOverflow(max(0, bytesFree))
      if !isUnbounded { count = max(0, min(count, max(end, byteCount) - start)) }
    }
    switch fault {
    case .losePower(var generator):
      write(bytes[..<count], at: start, to: handle.number, decidedBy: &generator)
      throw call.error(Errno.inputOutputError)
    case .tear:
      inodes[handle.number]?.write(.init(rebasing: bytes[..<count]), at: start)
      throw call.error(Errno.inputOutputError)
    default:
      guard count > 0 else { throw call.error(Errno.noSpace) }
      inodes[handle.number]?.write(.init(rebasing: bytes[..<count]), at: start)
      return count
    }
  }

  // Writes a part of the bytes: for each sector, the generator decides whether it is written.
  private mutating func write(
    _ bytes: Slice<UnsafeRawBufferPointer>, at offset: Int, to number: UInt64,
    decidedBy generator: inout SplitMix64
  ) {
    var done = 0
    while done < bytes.count {
      let sectorEnd = SimulatedInode.sectorByteCount
      let end = min(bytes.count, done + sectorEnd - (offset + done) % sectorEnd)
      if generator.next() & 1 == 0 {
        inodes[number]?.write(.init(rebasing: bytes[done..<end]), at: offset + done)
      }
      done = end
    }
  }

  fileprivate mutating func sync(_ handle: SimulatedHandle) throws(DiskError) {
    let call = DiskCall(.sync, at: handle.path)
    let fault: InjectedFault?
    do throws(DiskError) {
      fault = try admit(call)
    } catch {
      // The system marks the sectors as clean although it did not write them.
      if isOpen(handle) { inodes[handle.number]?.failSync() }
      throw error
    }
    guard isOpen(handle) else { throw call.error(Errno.badFileDescriptor) }
    switch fault {
    case .lie: break
    case .losePower: throw call.error(Errno.inputOutputError)
    default: inodes[handle.number]?.sync()
    }
  }

  fileprivate mutating func truncate(
    to byteCount: UInt64, through handle: SimulatedHandle
  ) throws(DiskError) {
    let call = DiskCall(.truncate, at: handle.path, offset: byteCount)
    try perform(call) { state throws(DiskError) in
      let oldCount = try state.inode(of: handle, for: call).cached.count
      guard handle.access == .readingAndWriting else { throw call.error(Errno.invalidArgument) }
      guard byteCount <= SimulatedDisk.fileByteCountMax else {
        throw call.error(Errno.fileTooLarge)
      }
      let count = Int(byteCount)
      guard count <= oldCount || count - oldCount <= state.bytesFree else {
        throw call.error(Errno.noSpace)
      }
      state.inodes[handle.number]?.truncate(to: count)
    }
  }
}
