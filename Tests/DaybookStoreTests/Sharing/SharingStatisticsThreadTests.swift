import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// The counts of a store that shares a log, and its lag.
@Suite struct `Statistics of a shared log` {
  /// A machine whose calls a test observes: below the faults, where the log performs them, and
  /// above, where the store gets their results.
  private struct ObservedMachine {
    let machine: SharedMachine
    let store: Store
    let faulty: FaultySharedLog
    let below: ObservedLog
    let above: ObservedLog

    init(_ number: Int, log: MemorySharedLog) async throws {
      below = ObservedLog(log.connect())
      faulty = FaultySharedLog(over: below)
      above = ObservedLog(faulty)
      machine = SharedMachine(number, log: above)
      store = try await machine.open()
    }

    var statistics: SharingStatistics {
      get throws { try #require(store.statistics.sharing) }
    }

    /// Compares the counts of the store with the calls that the test has observed, after all
    /// outcomes are known.
    func check(_ log: MemorySharedLog, seed: Int) throws {
      let statistics = try statistics
      let (own, losers) = below.outcomes
      let last = try #require(log.groups.last?.next.rawValue) - 1
      #expect(statistics.appendedGroupCount == own.count, "seed \(seed)")
      #expect(statistics.appendedTransactionCount == own.values.reduce(0, +), "seed \(seed)")
      #expect(statistics.conflictCount == losers.count, "seed \(seed)")
      #expect(statistics.unansweredAppendCount == above.unansweredCount, "seed \(seed)")
      #expect(
        statistics.appendedTransactionCount + statistics.pulledTransactionCount == Int(last),
        "seed \(seed)")
      #expect(statistics.lastInLog == SequenceNumber(last), "seed \(seed)")
      #expect(statistics.lastInReplica == store.snapshot.sequence && statistics.lag == 0)
    }
  }

  @Test(arguments: 0..<30)
  func `the counts are those of the calls, over logs with random faults`(seed: Int) async throws {
    let log = MemorySharedLog()
    var machines: [ObservedMachine] = []
    for number in 0..<3 { machines.append(try await ObservedMachine(number, log: log)) }
    for (number, machine) in machines.enumerated() {
      machine.faulty.plan = .random(seed: UInt64(seed * 3 + number))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, machine) in machines.enumerated() {
        let (store, disk) = (machine.store, machine.machine.disk)
        for task in 0..<2 {
          group.addTask {
            for turn in 0..<12 {
              // In some histories, the replica cannot be written after its log was.
              if seed % 3 == 0, turn == 6 {
                disk.clearLog()
                disk.plan = .fail(call: 1, with: Errno.inputOutputError, only: [.write])
              }
              let id = number * 1000 + task * 100 + turn
              do { try await store.insert(id) } catch { _ = try? await store.recover() }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for machine in machines {
      machine.faulty.plan = .none
      await machine.faulty.performLateRequests()
      machine.machine.disk.plan = .none
      for _ in 0..<10 where (try? await machine.store.recover()) == nil { continue }
    }
    for machine in machines {
      for _ in 0..<10 where (try? await machine.store.pull()) == nil { continue }
    }
    for machine in machines { try machine.check(log, seed: seed) }
    let appended = try machines.map { try $0.statistics.appendedTransactionCount }
    #expect(appended.reduce(0, +) == Int(machines[0].store.snapshot.sequence.rawValue))
    for machine in machines {
      try await machine.store.close()
      #expect(machine.machine.frames == log.frames)
    }
  }

  @Test func `a store that shares no log has no statistics of sharing`() async throws {
    let disk = SimulatedDisk()
    let store = try Store(
      at: "own.daybook", types: [SharedCounter.self], options: .simulated(disk))
    try await store.insert(1)
    #expect(store.statistics.sharing == nil)
    try await store.close()
  }

  @Test func `an opened replica has pulled what it had missed`() async throws {
    let log = MemorySharedLog()
    let machine = try await ObservedMachine(1, log: log)
    let other = try await SharedMachine(2, log: log.connect()).open()
    for id in 1...3 { try await other.insert(id) }
    try await other.close()
    try await machine.store.close()
    let again = try await machine.machine.open(connectedTo: log.connect())
    var expected = SharingStatistics()
    expected.pulledTransactionCount = 3
    (expected.lastInReplica, expected.lastInLog) = (3, 3)
    expected.lastAgreement = ManualClock.defaultStart
    #expect(again.statistics.sharing == expected)
    try await again.close()
  }

  @Test func `the lag is the distance to the end of the log as last seen`() async throws {
    let clock = ManualClock()
    let log = MemorySharedLog()
    let faulty = FaultySharedLog(over: log.connect())
    let store = try await Store(
      at: SharedMachine.path, sharing: faulty, types: [SharedCounter.self],
      options: .simulated(on: SimulatedDisk(seed: 1), clock: clock))
    let other = try await SharedMachine(2, log: log.connect()).open()
    let start = clock.now
    func statistics() throws -> SharingStatistics { try #require(store.statistics.sharing) }
    #expect(try statistics().lastAgreement == start && statistics().lag == 0)

    clock.advance(by: .seconds(1))
    for id in 1...3 { try await other.insert(id) }
    // The store has not reached the log since.
    #expect(try statistics().lag == 0 && statistics().lastInLog == 0)

    // The head is returned, and the groups after it are not.
    faulty.plan = .random(seed: 1, percent: 100, from: [.unavailable], only: [.read])
    await #expect(throws: StoreError.self) { try await store.pull() }
    #expect(try statistics().lag == 3 && statistics().lastInLog == 3)
    #expect(try statistics().lastInReplica == 0 && statistics().lastAgreement == start)
    #expect(try statistics().reconnectionCount == 0)

    // A server that is late returns no groups, and the replica does not contain the log.
    faulty.plan = .random(seed: 1, percent: 100, from: [.stale], only: [.read])
    try await store.pull()
    #expect(try statistics().lag > 0 && statistics().lastAgreement == start)
    #expect(try statistics().reconnectionCount == 1)

    faulty.plan = .none
    try await store.pull()
    #expect(try statistics().lag == 0 && statistics().lastInReplica == 3)
    #expect(try statistics().lastAgreement == clock.now)

    clock.advance(by: .seconds(1))
    try await store.insert(9)
    #expect(try statistics().lastAgreement == clock.now && statistics().lastInLog == 4)
    try await store.close()
    try await other.close()
  }

  @Test func `a log that has lost its end leaves no negative lag`() async throws {
    let log = MemorySharedLog()
    let store = try await SharedMachine(1, log: log.connect()).open()
    for id in 1...3 { try await store.insert(id) }
    log.replaceGroups(Array(log.groups.dropLast(2)))
    await #expect(throws: StoreError.self) { try await store.pull() }
    let statistics = try #require(store.statistics.sharing)
    #expect(statistics.lag == 0 && statistics.lastInLog == 1 && statistics.lastInReplica == 3)
    let plan = try #require(try await store.repairPlan())
    try await store.repair(plan)
    // The repair appends what was counted before.
    #expect(store.statistics.sharing?.appendedTransactionCount == 3)
    #expect(store.statistics.sharing?.lastInLog == 3)
    try await store.close()
  }

  @Test func `an append that is in the log and not in the replica counts once`() async throws {
    let log = MemorySharedLog()
    let machine = SharedMachine(1, log: log.connect())
    let store = try await machine.open()
    try await store.insert(1)
    machine.disk.clearLog()
    machine.disk.plan = .fail(call: 1, with: Errno.inputOutputError, only: [.write])
    await #expect(throws: StoreError.self) { try await store.insert(2) }
    let failed = try #require(store.statistics.sharing)
    #expect(failed.appendedGroupCount == 2 && failed.lag == 1)
    try await store.recover()
    let recovered = try #require(store.statistics.sharing)
    #expect(recovered.appendedGroupCount == 2 && recovered.appendedTransactionCount == 2)
    #expect(recovered.pulledTransactionCount == 0 && recovered.lag == 0)
    try await store.close()
  }
}

/// A shared log that passes each call on, and records the outcomes of appends.
private final class ObservedLog: SharedLog {
  private struct State {
    /// The numbers of transactions of the groups that are in the log, by their nonces.
    var appended: [UInt64: Int] = [:]
    var conflicts: Set<UInt64> = []
    var unansweredCount = 0
  }

  private let base: any SharedLog
  private let state = Mutex(State())

  init(_ base: any SharedLog) { self.base = base }

  var name: String { base.name }

  /// The groups that were appended, and those that lost.
  var outcomes: (appended: [UInt64: Int], conflicts: Set<UInt64>) {
    state.withLock { ($0.appended, $0.conflicts) }
  }

  /// The number of appends without an answer.
  var unansweredCount: Int { state.withLock { $0.unansweredCount } }

  func head() async throws(SharedLogError) -> SharedHead? { try await base.head() }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    do throws(SharedLogError) {
      let outcome = try await base.append(group)
      state.withLock { state in
        // The first group of the log contains no transactions.
        switch outcome {
        case .appended where group.first > .zero:
          state.appended[group.nonce] = Int(group.next.rawValue - group.first.rawValue)
        case .conflict: state.conflicts.insert(group.nonce)
        default: break
        }
      }
      return outcome
    } catch {
      if case .unknown = error.reason { state.withLock { $0.unansweredCount += 1 } }
      throw error
    }
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    try await base.read(from: first, byteCount: byteCount)
  }

  func changes() -> AsyncStream<Void> { base.changes() }

  func close() async { await base.close() }
}
