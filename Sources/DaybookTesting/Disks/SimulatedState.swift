import DaybookJournal
import DaybookPlatform

/// All that a simulated disk knows: names, files, who has what open, and what is to go wrong.
///
/// A value: a copy of it is another disk with the same past.
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
  private var counts: [DiskError.Operation: Int] = [:]

  // A handle belongs to one life of the program; a killed one leaves handles that belong to none.
  private var life = 0
  private var handleCount: UInt64 = 0
  private var openings: [UInt64: Int] = [:]
  private var locks: [UInt64: UInt64] = [:]
  private var inodeCount: UInt64 = 1

  init() {
    names = SimulatedNames(root: 1, workingDirectory: Self.workingDirectory)
    inodes = [1: SimulatedInode(number: 1, kind: .directory, permissions: 0o755)]
    makeDirectory(Self.workingDirectory)
  }

  /// The same disk as another program would find it that has called nothing and opened nothing.
  func untouched() -> SimulatedState {
    var state = self
    state.plan = .none
    state.recordsCalls = false
    state.forgetCalls()
    state.killProcess()
    state.inodes = state.inodes.mapValues { $0.unmapped() }
    state.collect()
    return state
  }

  /// The disk that a loss of power leaves.
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

  mutating func forgetCalls() {
    callCount = 0
    counts = [:]
    log = []
  }

  /// Counts a call, and throws if it is to fail.
  mutating func admit(_ call: DiskCall) throws(DiskError) -> Mischief? {
    callCount += 1
    counts[call.operation, default: 0] += 1
    if recordsCalls { log.append(call) }
    let mischief = plan.mischief(in: call.operation, counts, callCount: callCount)
    if case .fail(let code) = mischief { throw call.error(code) }
    return mischief
  }

  /// Makes a call that either happens or does not.
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

  /// A number that a call's own number decides, for faults whose size is free.
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

  /// Takes a lock, and says whether the handle has it now.
  mutating func lock(_ handle: SimulatedHandle) -> Bool {
    if let holder = locks[handle.number] { return holder == handle.id }
    locks[handle.number] = handle.id
    return true
  }

  /// Lets go of a lock, if the handle has it.
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

  /// Forgets the files that nothing leads to any more.
  mutating func collect() {
    let used = names.numbersInUse
    inodes = inodes.filter { number, inode in
      inode.kind == .directory || used.contains(number) || openings[number] != nil
    }
  }

  func status(of number: UInt64) -> FileStatus? {
    guard let inode = inodes[number] else { return nil }
    return FileStatus(
      kind: inode.kind, identity: FileIdentity(device: 1, number: number),
      byteCount: UInt64(inode.cached.count), linkCount: names.linkCount(of: number),
      permissions: inode.permissions, owner: inode.owner, group: inode.group)
  }

  /// How many more bytes the files may hold, together.
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

/// An open file as the disk knows it.
struct SimulatedHandle {
  let id: UInt64
  let number: UInt64
  let life: Int
  var path: String
  let access: FileAccess
}
