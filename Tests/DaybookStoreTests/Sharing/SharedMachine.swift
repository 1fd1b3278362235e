import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// A counter that several machines increment.
struct SharedCounter: Record {
  var id = 0
  var count = 0
  var note = ""
  static let schema = RecordSchema<SharedCounter>("Counter")
    .attribute("count", at: \.count).attribute("note", at: \.note)
}

/// A machine of a test: a disk with the replica of a shared log.
struct SharedMachine: Sendable {
  static let path = "banks.daybook"

  var disk: SimulatedDisk
  let log: any SharedLog

  init(_ seed: Int, log: any SharedLog) {
    disk = SimulatedDisk(seed: UInt64(seed))
    self.log = log
  }

  /// Opens the store of the machine, without threads in the background.
  func open(
    _ types: [any Record.Type] = [SharedCounter.self], connectedTo log: (any SharedLog)? = nil,
    clock: ManualClock = ManualClock(), repairs: RepairPolicy = .manual
  ) async throws -> Store {
    try await Store(
      at: SharedMachine.path, sharing: log ?? self.log, types: types, repairs: repairs,
      options: .simulated(on: disk, clock: clock))
  }

  /// The header and the frames of the replica, without the zeros after them.
  var frames: [UInt8] {
    let bytes = disk.contents(of: SharedMachine.path) ?? []
    let end = bytes.lastIndex { $0 != 0 } ?? -1
    return Array(bytes.prefix(4096)) + Array(bytes[min(16384, bytes.count)..<max(16384, end + 1)])
  }
}

extension Store {
  /// Saves a new counter.
  func insert(_ id: Int, author: String? = nil) async throws {
    let context = makeContext(isolation: nil)
    context.metadata.author = author
    try context.insert(SharedCounter(id: id))
    try await context.save(isolation: nil)
  }

  /// The identifiers of all counters, in order.
  var ids: [Int] {
    get throws { try snapshot.objects(SharedCounter.self).map(\.id).sorted() }
  }
}

/// Performs a save whose append gets no answer, and returns the append.
func unansweredAppend(of save: () async throws -> Void) async throws -> UnknownAppend {
  do { try await save() } catch let error as StoreError {
    if case .unknown(let append) = error.reason { return append }
    throw error
  }
  throw Surprise("the append was answered")
}

extension MemorySharedLog {
  /// The header and the frames of the log, without zeros at the end.
  var frames: [UInt8] {
    let bytes = groups.flatMap(\.bytes)
    return Array(bytes[...(bytes.lastIndex { $0 != 0 } ?? -1)])
  }

  /// Makes one group of the last groups. A replica that has lost a part of that group by a power
  /// loss is then the same as one that has read only some of the last groups.
  func joinGroups(_ count: Int) {
    let last = groups.suffix(count)
    guard var joined = last.last, let first = last.first else { return }
    joined.first = first.first
    joined.previousChecksum = first.previousChecksum
    joined.bytes = last.flatMap(\.bytes)
    replaceGroups(groups.dropLast(count) + [joined])
  }

  /// The checksums of the transactions in the log, by their numbers.
  var checks: [SequenceNumber: UInt64] {
    var checks: [SequenceNumber: UInt64] = [:]
    for group in groups.dropFirst() {
      var offset = 0
      while offset < group.bytes.count {
        let header = FrameHeader(group.bytes.span.bytes, at: offset)
        offset += header.frameByteCount
        checks[header.sequence] = ByteView(group.bytes).load(offset - 8, as: UInt64.self)
      }
    }
    return checks
  }
}

/// A shared log whose next calls fail as a test has planned.
final class PlannedLog: SharedLog {
  /// The result of one call.
  enum Plan: Sendable {
    case works
    /// Nothing is sent.
    case unavailable
    /// The append takes effect, and its answer is lost.
    case answerLost
    /// The append is lost, and so is its answer.
    case appendLost
    /// A different machine appends first, and the answer is lost.
    case outpaced(@Sendable () async -> Void)
  }

  private let log: MemorySharedLog
  private let state = Mutex(State())

  private struct State {
    var appends: [Plan] = []
    var isCut = false
    var head: SharedHead?
    var serverTime: JournalTime?
    var serverCount: Int?
    /// The calls of an operation until the cable is cut; nil for none.
    var callsUntilCut: (operation: LogOperation, count: Int)?
  }

  init(_ log: MemorySharedLog) { self.log = log.connect() }

  var name: String { log.name }

  /// Plans the results of the next appends.
  func plan(_ plans: Plan...) { state.withLock { $0.appends = plans } }

  /// A Boolean value that indicates whether no call reaches the log. Setting it ends the plan of a
  /// cut.
  var isCut: Bool {
    get { state.withLock { $0.isCut } }
    set { state.withLock { ($0.isCut, $0.callsUntilCut) = (newValue, nil) } }
  }

  /// The head that the log returns; nil for its real head.
  var head: SharedHead? {
    get { state.withLock { $0.head } }
    set { state.withLock { $0.head = newValue } }
  }

  /// The time on the clock of the server; nil if the log does not know it.
  var serverTime: JournalTime? {
    get { state.withLock { $0.serverTime } }
    set { state.withLock { $0.serverTime = newValue } }
  }

  /// The number of servers; nil if the log does not know it.
  var serverCount: Int? {
    get { state.withLock { $0.serverCount } }
    set { state.withLock { $0.serverCount = newValue } }
  }

  /// Cuts the cable when an operation is called for the given number of times.
  func cut(at operation: LogOperation, call number: Int) {
    state.withLock { $0.callsUntilCut = (operation, number) }
  }

  private func checkReachable(_ operation: LogOperation) throws(SharedLogError) {
    let isCut = state.withLock { state in
      if let (planned, count) = state.callsUntilCut, planned == operation {
        state.callsUntilCut = count > 1 ? (planned, count - 1) : nil
        if count == 1 { state.isCut = true }
      }
      return state.isCut
    }
    if isCut { throw SharedLogError(.unavailable("the cable is cut"), log: name) }
  }

  func head() async throws(SharedLogError) -> SharedHead? {
    try checkReachable(.head)
    if let head { return head }
    return try await log.head()
  }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try checkReachable(.append)
    let plan = state.withLock { $0.appends.isEmpty ? .works : $0.appends.removeFirst() }
    switch plan {
    case .works: return try await log.append(group)
    case .unavailable: throw SharedLogError(.unavailable("the cable is cut"), log: name)
    case .answerLost: _ = try await log.append(group)
    case .appendLost: break
    case .outpaced(let first):
      await first()
      _ = try await log.append(group)
    }
    throw SharedLogError(.unknown("the cable was cut"), log: name)
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    try checkReachable(.read)
    return try await log.read(from: first, byteCount: byteCount)
  }

  func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool {
    try await log.replaceGroups(with: base)
  }

  func changes() -> AsyncStream<Void> { log.changes() }

  func close() async { await log.close() }
}
