import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Whether a save without an answer is in the log, also after the log has lost it and a different
/// machine has repaired the log.
@Suite struct `Outcomes of a shared log` {
  /// A machine whose log fails as planned.
  private struct Machine {
    let planned: PlannedLog
    let store: Store
    var number: Int
    /// The saves without an answer.
    var unknown: [(save: Save, append: UnknownAppend)] = []
  }

  private enum Save: Hashable {
    case insert(Int)
    case increment(Int)
  }

  /// Saves. Two machines that increment at the same time without an author build equal frames.
  private func perform(_ save: Save, on store: Store, author: String? = nil) async throws {
    switch save {
    case .insert(let id): try await store.insert(id)
    case .increment:
      try await store.write(isolation: nil) { context in
        context.metadata.author = author
        try context.update(SharedCounter.self, id: 0) { $0.count += 1 }
      }
    }
  }

  @Test func `a repair of a different machine includes a save without an answer`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    try await store.insert(1)
    let groups = log.groups
    planned.plan(.answerLost)
    let append = try await unansweredAppend { try await store.insert(2) }
    try await other.pull()
    // The server that had shown the save fails before the standbys have it.
    log.replaceGroups(groups)
    let plan = try #require(try await other.repairPlan())
    try await other.repair(plan)
    try await store.recover()
    #expect(store.isIncluded(append) == true)
    #expect(try store.ids == [1, 2])
    for store in [store, other] { try await store.close() }
  }

  @Test func `saves behind an append without an answer are refused with the reason of the log`()
    async throws
  {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    let waiting = Guarded([Task<String, Never>]())
    planned.plan(
      .outpaced {
        for id in 2...4 {
          let save = Task { await sentence { try await store.insert(id) } }
          waiting.withLock { $0.append(save) }
        }
      })
    #expect(
      await sentence { try await store.insert(1) }
        == "banks.daybook: the log banks did not answer: the cable was cut. Transaction 1 may or may "
        + "not be in it. The store sends it again until the log answers; isIncluded(_:) then returns "
        + "the outcome.")
    for save in waiting.withLock({ $0 }) {
      #expect(
        await save.value
          == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
          + "cannot be reached: an earlier append has no answer yet. The replica can be read.")
    }
    try await store.recover()
    #expect(try store.ids == [1])
    try await store.insert(2)
    try await store.close()
  }

  @Test func `a program can wait for the connection to the log`() async throws {
    let planned = PlannedLog(MemorySharedLog(name: "banks"))
    let store = try await SharedMachine(1, log: planned).open()
    try await store.connected()
    planned.isCut = true
    #expect(await sentence { try await store.insert(1) } != "no error")
    let waits = Task { try await store.connected() }
    let cancelled = Task { await sentence { try await store.connected() } }
    cancelled.cancel()
    #expect(await cancelled.value == "CancellationError()")
    planned.isCut = false
    try await store.pull()
    try await waits.value
    planned.isCut = true
    #expect(await sentence { try await store.insert(1) } != "no error")
    let closed = Task { await sentence { try await store.connected() } }
    try await store.close()
    #expect(await closed.value == "banks.daybook: the journal is closed.")
    let alone = try Store(
      at: "alone.daybook", types: [SharedCounter.self],
      options: .simulated(SimulatedDisk(seed: 1)))
    try await alone.connected()
    try await alone.close()
  }

  @Test func `a machine whose clock is ahead of the server saves nothing`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let clock = ManualClock()
    let store = try await SharedMachine(1, log: planned).open(clock: clock)
    planned.serverTime = clock.now
    clock.advance(by: .seconds(300))
    try await store.insert(1)
    clock.advance(by: .seconds(1))
    #expect(
      await sentence { try await store.insert(2) }
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be used: the clock of the machine \(CurrentProcess.hostName) shows "
        + "2026-01-01T00:05:01Z, and the clock of the log's server 2026-01-01T00:00:00Z. Set the "
        + "clock of the machine. The replica can be read.")
    #expect(!CurrentProcess.hostName.isEmpty)
    // A machine that is behind saves, and so does one that does not know the time of the server.
    for time in [clock.now + .seconds(86_400), nil] {
      planned.serverTime = time
      try await store.insert(time == nil ? 4 : 3)
    }
    #expect(try store.ids == [1, 3, 4])
    #expect(log.groups.count == 4)
    try await store.close()
  }

  @Test func `a conflict with a save that the log has lost is not the outcome`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    try await store.insert(1)
    try await other.pull()
    let groups = log.groups
    planned.plan(.appendLost)
    let append = try await unansweredAppend { try await store.insert(2) }
    try await other.insert(3)
    // The recovery finds the other save, and cannot read it. Then the log loses that save.
    planned.cut(at: .read, call: 1)
    await #expect(throws: StoreError.self) { try await store.recover() }
    planned.isCut = false
    log.replaceGroups(groups)
    try await store.recover()
    #expect(store.isIncluded(append) == true)
    #expect(try store.ids == [1, 2])
    for store in [store, other] { try await store.close() }
  }

  @Test func `equal frames of two machines are two saves`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    try await store.insert(0)
    try await other.pull()
    planned.plan(.outpaced { try? await perform(.increment(1), on: other) })
    let append = try await unansweredAppend { try await perform(.increment(2), on: store) }
    try await store.recover()
    #expect(store.isIncluded(append) == false)
    #expect(try store.snapshot.object(SharedCounter.self, id: 0)?.count == 1)
    for store in [store, other] { try await store.close() }
  }

  @Test(arguments: 0..<FaultRow.count(40, full: 2_000, least: 10))
  func `a save that is not included never appears, and one that is included never vanishes`(
    seed: Int
  ) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let log = MemorySharedLog(name: "banks")
    var machines: [Machine] = []
    for number in 0..<3 {
      let planned = PlannedLog(log)
      machines.append(
        Machine(
          planned: planned, store: try await SharedMachine(number, log: planned).open(),
          number: number))
    }
    try await machines[0].store.insert(0)
    for machine in machines { try await machine.store.pull() }
    var answers: [Save: Bool] = [.insert(0): true]
    // The servers keep what they have promised: an answer, or a different save in its place.
    var promised: SequenceNumber = 1
    func ask(_ number: Int) {
      for (save, append) in machines[number].unknown {
        guard let isIncluded = machines[number].store.isIncluded(append) else { continue }
        #expect(answers[save] ?? isIncluded == isIncluded, "\(save)")
        answers[save] = isIncluded
        promised = max(promised, append.sequence)
      }
    }
    for step in 1...60 {
      let number = random.pick(3)
      let (store, planned) = (machines[number].store, machines[number].planned)
      switch random.pick(12) {
      case 0..<5:
        let plans: [PlannedLog.Plan] = [.works, .works, .unavailable, .answerLost, .appendLost]
        planned.plan(plans[random.pick(plans.count)])
        let saves = (0...random.pick(2)).map { part in
          random.pick(2) == 0 ? Save.insert(10 * step + part) : .increment(10 * step + part)
        }
        let outcomes = await withTaskGroup(of: (Save, Result<Void, any Error>).self) { tasks in
          for save in saves {
            tasks.addTask {
              do {
                return (
                  save, .success(try await self.perform(save, on: store, author: "m\(number)"))
                )
              } catch {
                return (save, .failure(error))
              }
            }
          }
          return await tasks.reduce(into: []) { $0.append($1) }
        }
        planned.plan()
        for (save, outcome) in outcomes {
          switch outcome {
          case .success:
            answers[save] = true
            promised = max(promised, store.snapshot.sequence)
          case .failure(let error as StoreError):
            if case .unknown(let append) = error.reason {
              machines[number].unknown.append((save, append))
            } else {
              answers[save] = false
            }
          case .failure(let error): throw error
          }
        }
      case 5, 6: _ = try? await store.pull()
      case 7, 8:
        _ = try? await store.recover()
        ask(number)
      case 9:
        // A failover to a server that lacks groups without a promise.
        let kept = log.groups.count { $0.first <= promised }
        let lost = random.pick(log.groups.count - kept + 1)
        log.replaceGroups(Array(log.groups.dropLast(lost)))
      default:
        if let plan = try? await store.repairPlan() { _ = try? await store.repair(plan) }
        ask(number)
      }
    }
    for _ in 0..<2 {
      for (number, machine) in machines.enumerated() {
        _ = try? await machine.store.recover()
        if let plan = try await machine.store.repairPlan() {
          try await machine.store.repair(plan)
        }
        _ = try? await machine.store.pull()
        ask(number)
      }
    }
    for machine in machines { try await machine.store.pull() }
    let ids = try machines[0].store.ids
    let count = try #require(
      try machines[0].store.snapshot.object(SharedCounter.self, id: 0)?.count)
    var expected = 0
    for machine in machines {
      for (save, _) in machine.unknown { #expect(answers[save] != nil, "\(save) has no answer") }
    }
    for (save, isIncluded) in answers {
      switch save {
      case .insert(let id): #expect(ids.contains(id) == isIncluded, "\(save)")
      case .increment: expected += isIncluded ? 1 : 0
      }
    }
    #expect(count == expected)
    for machine in machines {
      #expect(Audit.differences(machine.store.snapshot, machines[0].store.snapshot) == [])
      try await machine.store.close()
    }
  }
}

/// Returns the text of the error that a call throws.
private func sentence(of call: () async throws -> Void) async -> String {
  do {
    try await call()
    return "no error"
  } catch { return "\(error)" }
}

extension SplitMix64 {
  /// Returns a random number below a count.
  fileprivate mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}
