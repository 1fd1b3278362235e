import DaybookJournal
import DaybookPlatform

/// The complete state of a simulated disk: names, files, open files, locks, and the fault plan.
///
/// The state is a value, so a copy of it is the state of an independent disk.
struct SimulatedState {
  static let workingDirectory = "/disk"

  var names: SimulatedNames
  var inodes: [UInt64: SimulatedInode]
  var capacity: Int?
  var mapsFiles = false
  var generator = SplitMix64(seed: 0)

  var plan = FaultPlan.none
  var recordsCalls = false
  private(set) var log: [DiskCall] = []
  private(set) var callCount = 0
  /// The number of calls of each operation.
  private var counts: [DiskError.Operation: Int] = [:]

  // The number of times that the program was killed. A handle contains this number from its
  // opening. After the program was killed, the numbers differ, so the handle is invalid.
  private var life = 0
  private var handleCount: UInt64 = 0
  /// The number of open handles of each file, by the number of the file.
  private var openings: [UInt64: Int] = [:]
  /// The handle that has the lock of each locked file, by the number of the file.
  private var locks: [UInt64: UInt64] = [:]
  private var inodeCount: UInt64 = 1

  init() {
    names = SimulatedNames(root: 1, workingDirectory: Self.workingDirectory)
    inodes = [1: SimulatedInode(number: 1, kind: .directory, permissions: 0o755)]
    makeDirectory(Self.workingDirectory)
  }

  /// Returns a copy of the state without calls, open files, locks, mappings and faults.
  func untouched() -> SimulatedState {
    var state = self
    state.plan = .none
    state.recordsCalls = false
    state.clearLog()
    state.killProcess()
    state.inodes = state.inodes.mapValues { $0.unmapped() }
    state.collect()
    return state
  }

  /// Returns the state after a power loss.
  func restarted(_ fate: inout PowerLossFate) -> SimulatedState {
    var state = self
    state.names = names.restarted { _ in fate.keepsChange() }
    state = state.untouched()
    for number in state.inodes.keys.sorted() {
      guard let inode = state.inodes[number], inode.kind == .file else { continue }
      state.inodes[number] = inode.restarted(with: inode.bytes(after: &fate))
    }
    return state
  }

  // MARK: Calls

  mutating func clearLog() {
    callCount = 0
    counts = [:]
    log = []
  }

  /// Counts a call, and throws an error if the plan lets the call fail. Returns every other fault;
  /// the caller must simulate it.
  mutating func admit(_ call: DiskCall) throws(DiskError) -> InjectedFault? {
    callCount += 1
    counts[call.operation, default: 0] += 1
    if recordsCalls { log.append(call) }
    let fault = plan.fault(in: call.operation, counts, callCount: callCount)
    if case .fail(let code) = fault { throw call.error(code) }
    return fault
  }

  /// Performs a call that happens completely or not at all. Throws an error if the plan lets the
  /// call fail.
  mutating func perform<Result>(
    _ call: DiskCall,
    body: (inout SimulatedState) throws(DiskError) -> Result
  ) throws(DiskError) -> Result {
    if case .losePower(var generator) = try admit(call) {
      if generator.next() & 1 == 0 { _ = try? body(&self) }
      throw call.error(Errno.inputOutputError)
    }
    return try body(&self)
  }

  /// Returns a random number that depends only on the number of the call. A short read or write
  /// uses it as its size.
  func lot(below bound: Int) -> Int {
    var generator = SplitMix64(seed: UInt64(callCount))
    return generator.below(bound)
  }

  // MARK: Handles and locks

  mutating func killProcess() {
    life += 1
    openings = [:]
    locks = [:]
  }

  mutating func opened(
    _ number: UInt64, at path: String, for access: FileAccess
  ) -> SimulatedHandle {
    handleCount += 1
    openings[number, default: 0] += 1
    return SimulatedHandle(
      id: handleCount, number: number, life: life, path: path, access: access)
  }

  mutating func close(_ handle: SimulatedHandle) {
    guard handle.life == life else { return }
    if locks[handle.number] == handle.id { locks[handle.number] = nil }
    openings[handle.number, default: 1] -= 1
    if openings[handle.number] == 0 { openings[handle.number] = nil }
  }

  func isOpen(_ handle: SimulatedHandle) -> Bool { handle.life == life }

  func isLocked(_ number: UInt64) -> Bool { locks[number] != nil }

  /// Locks the file of a handle if it is not locked. Returns whether the handle has the lock after
  /// the call.
  mutating func lock(_ handle: SimulatedHandle) -> Bool {
    if let holder = locks[handle.number] { return holder == handle.id }
    locks[handle.number] = handle.id
    return true
  }

  /// Releases the lock of a file if the handle has the lock.
  mutating func unlock(_ handle: SimulatedHandle) {
    if isOpen(handle), locks[handle.number] == handle.id { locks[handle.number] = nil }
  }

  // MARK: Files

  mutating func makeFile(permissions: UInt16) -> UInt64 {
    makeInode(.file, permissions: permissions)
  }

  private mutating func makeInode(_ kind: FileStatus.Kind, permissions: UInt16) -> UInt64 {
    inodeCount += 1
    inodes[inodeCount] = SimulatedInode(number: inodeCount, kind: kind, permissions: permissions)
    return inodeCount
  }

  mutating func makeDirectory(_ path: String) {
    let number = makeInode(.directory, permissions: 0o755)
    names.perform(.add(path, .directory(number)))
    names.sync(path)
  }

  /// Removes the files that have no name and are not open.
  mutating func collect() {
    let used = names.numbersInUse
    inodes = inodes.filter { number, inode in
      inode.kind == .directory || used.contains(number) || openings[number] != nil
    }
  }

  func status(of number: UInt64) -> FileStatus? {
    guard let inode = inodes[number] else { return nil }
    var status = FileStatus(
      kind: inode.kind, identity: FileIdentity(device: 1, number: number),
      byteCount: UInt64(inode.cached.count), linkCount: names.linkCount(of: number),
      permissions: inode.permissions)
    (status.owner, status.group) = (inode.owner, inode.group)
    return status
  }

  /// The number of free bytes; it is `Int.max` without a capacity.
  var bytesFree: Int {
    guard let capacity else { return .max }
    let named = Set(
      names.current.values.compactMap { if case .file(let number) = $0 { number } else { nil } })
    return inodes.values.reduce(capacity) { free, inode in
      let isAllocated = named.contains(inode.number) || openings[inode.number] != nil
      return isAllocated ? free - inode.cached.count : free
    }
  }
}

/// An open file: its number, its kind of access, and the run of the program that has opened it.
struct SimulatedHandle {
  /// The number of the handle, which is unique on the disk.
  let id: UInt64
  let number: UInt64
  /// The run of the program that has opened the file; see ``SimulatedState``.
  let life: Int
  var path: String
  let access: FileAccess
}
