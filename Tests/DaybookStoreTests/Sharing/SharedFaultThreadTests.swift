import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Testing

/// Saves in a store whose log cannot be reached, does not answer, or has lost transactions.
@Suite struct `Faults of a shared log` {
  private func increment(_ store: Store) async throws {
    try await store.write(isolation: nil) { context in
      try context.update(SharedCounter.self, id: 0) { $0.count += 1 }
    }
  }

  /// Opens a store over a log with planned faults, and a second store over the same log.
  private func pair() async throws -> (
    log: MemorySharedLog, planned: PlannedLog, store: Store, other: Store
  ) {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    try await store.write(isolation: nil) { try $0.insert(SharedCounter()) }
    let other = try await SharedMachine(2, log: log.connect()).open()
    return (log, planned, store, other)
  }

  private func count(_ store: Store) throws -> Int? {
    try store.snapshot.object(SharedCounter.self, id: 0)?.count
  }

  /// Returns the error of a call that must fail.
  private func error(of call: () async throws -> Void) async -> StoreError? {
    do {
      try await call()
      return nil
    } catch { return error as? StoreError }
  }

  @Test func `a save whose rival cannot be written is not included`() async throws {
    let log = MemorySharedLog(name: "banks")
    let machine = SharedMachine(1, log: log.connect())
    let store = try await machine.open()
    try await store.write(isolation: nil) { try $0.insert(SharedCounter()) }
    let other = try await SharedMachine(2, log: log.connect()).open()
    try await other.insert(7)
    // The log has a transaction 2 of the other machine, which the disk does not take.
    machine.disk.clearLog()
    machine.disk.plan = .fail(call: 1, with: Errno.inputOutputError, only: [.write])
    let error = await error { try await increment(store) }
    machine.disk.plan = .none
    guard case .unknown(let append)? = error?.reason else {
      Issue.record("the error was \(error as Any)")
      return
    }
    try await store.recover()
    #expect(store.isIncluded(append) == false)
    #expect(try store.ids == [0, 7] && count(store) == 0)
    try await increment(store)
    #expect(try count(store) == 1)
    try await store.close()
    try await other.close()
  }

  @Test(arguments: [false, true])
  func `a replica that ends within a group of the log saves`(losesAnswer: Bool) async throws {
    let (log, planned, store, other) = try await pair()
    try await other.insert(7)
    try await store.pull()
    try await other.insert(8)
    // The replica has transaction 2, and the log has 2 and 3 in one group.
    log.joinGroups(2)
    if losesAnswer {
      planned.plan(.appendLost)
      let error = await error { try await increment(store) }
      guard case .unknown(let append)? = error?.reason else {
        Issue.record("the error was \(error as Any)")
        return
      }
      try await store.recover()
      #expect(store.isIncluded(append) == false)
    }
    try await increment(store)
    #expect(try store.ids == [0, 7, 8])
    #expect(try count(store) == 1 && store.snapshot.sequence == 4)
    #expect(store.sharingStatus == .connected)
    try await other.pull()
    #expect(try count(other) == 1)
    try await store.close()
    try await other.close()
  }

  @Test func `a save throws while the log cannot be reached, and works after that`() async throws {
    let (_, planned, store, other) = try await pair()
    #expect(store.sharingStatus == .connected)
    planned.isCut = true
    let context = store.makeContext(isolation: nil)
    try context.update(SharedCounter.self, id: 0) { $0.note = "mine" }
    let error = await error { _ = try await context.save(isolation: nil) }
    #expect(
      error?.description
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be reached: the cable is cut. The replica can be read.")
    #expect(
      store.sharingStatus
        == .unavailable(SharedLogError(.unavailable("the cable is cut"), log: "banks")))
    #expect(try count(store) == 0 && context.hasChanges)
    try await increment(other)

    planned.isCut = false
    let receipt = try await context.save(isolation: nil)
    #expect(receipt?.sequence == 3 && receipt?.safety == .shared(serverCount: 1))
    #expect(store.sharingStatus == .connected)
    try await store.close()
    try await other.close()
  }

  @Test func `an append whose answer is lost is saved once`() async throws {
    let (log, planned, store, other) = try await pair()
    planned.plan(.answerLost)
    var unknown: UnknownAppend?
    let error = await error { try await increment(store) }
    if case .unknown(let append)? = error?.reason { unknown = append }
    let append = try #require(unknown)
    #expect(append.sequence == 2 && store.isIncluded(append) == nil)
    #expect(try count(store) == 0)

    let next = await self.error { try await increment(store) }
    #expect(
      next?.description
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be reached: an earlier append has no answer yet. The replica can be read.")

    try await store.recover()
    #expect(store.isIncluded(append) == true)
    #expect(try count(store) == 1)
    try await increment(other)
    try await increment(store)
    #expect(try count(store) == 3)
    #expect(log.groups.count == 5)
    try await store.close()
    try await other.close()
  }

  @Test func `an append that was lost is appended by the recovery`() async throws {
    let (_, planned, store, other) = try await pair()
    planned.plan(.appendLost, .appendLost)
    let error = await error { try await increment(store) }
    guard case .unknown(let append)? = error?.reason else {
      Issue.record("the save had another outcome: \(error as Any)")
      return
    }
    // The recovery does not get an answer either.
    let second = await self.error { try await store.recover() }
    #expect(
      second?.description
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "did not answer an append, which may be in the log or not: the cable was cut. The replica "
        + "can be read.")
    #expect(store.isIncluded(append) == nil)
    try await store.recover()
    #expect(store.isIncluded(append) == true)
    #expect(try count(store) == 1)
    try await store.close()
    try await other.close()
  }

  @Test func `an append without an answer is not included if a rival has its number`()
    async throws
  {
    let (_, planned, store, other) = try await pair()
    planned.plan(.outpaced { try? await self.increment(other) })
    let context = store.makeContext(isolation: nil)
    context.mergePolicy = .contextWins
    try context.update(SharedCounter.self, id: 0) { $0.note = "mine" }
    let error = await error { _ = try await context.save(isolation: nil) }
    guard case .unknown(let append)? = error?.reason else {
      Issue.record("the save had another outcome: \(error as Any)")
      return
    }
    try await store.recover()
    #expect(append.sequence == 2 && store.isIncluded(append) == false)
    #expect(try count(store) == 1)
    let receipt = try await context.save(isolation: nil)
    #expect(receipt?.sequence == 3)
    let counter = try store.snapshot.object(SharedCounter.self, id: 0)
    #expect(counter?.count == 1 && counter?.note == "mine")
    try await store.close()
    try await other.close()
  }

  @Test func `a store stops writing if the log has lost acknowledged transactions`() async throws {
    let (log, _, store, other) = try await pair()
    try await increment(store)
    try await increment(store)
    log.replaceGroups(Array(log.groups.dropLast()))
    let error = await error { try await increment(store) }
    #expect(
      error?.description
        == "banks.daybook: the log banks does not contain transaction 3, which it had acknowledged to "
        + "this replica: 3 (2026-01-01T00:00:00Z). The replica can be read, and nothing is written. Repair it."
    )
    guard case .diverged(let divergence)? = store.sharingStatus else {
      Issue.record("the status is \(store.sharingStatus as Any)")
      return
    }
    #expect(
      "\(SharingStatus.diverged(divergence))"
        == "Nothing is written, because the log banks does not contain transaction 3, which it had "
        + "acknowledged to this replica: 3 (2026-01-01T00:00:00Z).")
    #expect(!divergence.isForked && divergence.lastCommon == 2 && divergence.lastInLog == 2)
    #expect(try count(store) == 2)

    // The other machine has not seen the lost transaction. The store stays stopped nevertheless.
    try await other.write(isolation: nil) { try $0.insert(SharedCounter(id: 7)) }
    let again = await self.error { try await increment(store) }
    #expect(again?.reason == error?.reason)
    let pull = await self.error { try await store.pull() }
    #expect(pull?.reason == error?.reason)
    try await store.close()
    try await other.close()
  }

  @Test func `a pull finds a log that went on after it had lost transactions`() async throws {
    let (log, _, store, other) = try await pair()
    try await increment(store)
    log.replaceGroups(Array(log.groups.dropLast()))
    let shorter = await error { try await store.pull() }
    #expect(
      shorter?.description
        == "banks.daybook: the log banks does not contain transaction 2, which it had acknowledged to "
        + "this replica: 2 (2026-01-01T00:00:00Z). The replica can be read, and nothing is written. Repair it."
    )
    try await other.write(isolation: nil) { try $0.insert(SharedCounter(id: 7)) }
    let forked = await error { try await store.pull() }
    #expect(forked?.reason == shorter?.reason)
    let plan = try await store.repairPlan()
    #expect(plan?.divergence.isForked == true && plan?.divergence.lastCommon == 1)
    try await store.close()
    try await other.close()
  }

  @Test func `a journal throws if a different machine has appended first`() async throws {
    let log = MemorySharedLog(name: "banks")
    var journals: [FileJournal] = []
    for seed in 1...2 {
      let link = SharedLink(log.connect())
      let options = JournalOptions.simulated(SimulatedDisk(seed: UInt64(seed)))
      let opening = await WorkerThreads.shared.value {
        Result { () throws(JournalError) in
          try FileJournal(at: "banks.daybook", sharing: link, options: options) { _, _, _ in nil }
        }
      }
      journals.append(try opening.get())
    }
    guard case .appended(let receipt) = try await journals[0].append([1]) else {
      Issue.record("the first append had no receipt")
      return
    }
    #expect(receipt.sequence == 1 && receipt.safety == .shared(serverCount: 1))
    do {
      _ = try await journals[1].append([2])
      Issue.record("both appends got number 1")
    } catch {
      #expect(error.reason == .outpaced)
      #expect(
        "\(error)"
          == "banks.daybook: another machine appended to the shared log first. Nothing of it was "
          + "written, and the journal remains usable. Save again.")
    }
    guard case .appended(let next) = try await journals[1].append([2]) else {
      Issue.record("the second append had no receipt")
      return
    }
    #expect(next.sequence == 2)
    for journal in journals { try await journal.close() }
  }

  @Test func `a group with a wrong checksum is not pulled`() async throws {
    let (log, _, store, other) = try await pair()
    try await increment(other)
    var groups = log.groups
    groups[2].bytes[60] ^= 1
    log.replaceGroups(groups)
    let error = await error { try await store.pull() }
    #expect(
      error?.description
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be used: the frame of transaction 2 has wrong checksums or numbers. The replica "
        + "can be read.")
    #expect(store.snapshot.sequence == 1)
    groups[2].bytes[60] ^= 1
    log.replaceGroups(groups)
    #expect(try await store.pull())
    #expect(try count(store) == 1)
    try await store.close()
    try await other.close()
  }

  @Test(arguments: 0..<40)
  func `no acknowledged increment is lost over logs with random faults`(seed: Int) async throws {
    let log = MemorySharedLog()
    var faulty: [FaultySharedLog] = []
    var machines: [(machine: SharedMachine, store: Store)] = []
    for number in 0..<3 {
      let connection = FaultySharedLog(over: log.connect())
      let machine = SharedMachine(number, log: connection)
      faulty.append(connection)
      machines.append((machine, try await machine.open()))
    }
    try await machines[0].store.write(isolation: nil) { try $0.insert(SharedCounter()) }
    for (_, store) in machines { try await store.pull() }
    for (number, connection) in faulty.enumerated() {
      connection.plan = .random(seed: UInt64(seed * 3 + number))
    }
    let counts = Guarded((saved: 0, unknown: [(Int, UnknownAppend)]()))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, (_, store)) in machines.enumerated() {
        for _ in 0..<2 {
          group.addTask {
            for _ in 0..<15 {
              do {
                try await increment(store)
                counts.withLock { $0.saved += 1 }
              } catch let error as StoreError {
                switch error.reason {
                case .unknown(let append): counts.withLock { $0.unknown.append((number, append)) }
                case .journal: break
                default: throw error
                }
                _ = try? await store.recover()
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for (connection, (_, store)) in zip(faulty, machines) {
      connection.plan = .none
      await connection.performLateRequests()
      // A connection that is down fails a few more calls.
      for _ in 0..<10 where (try? await store.recover()) == nil { continue }
    }
    for (_, store) in machines {
      for _ in 0..<10 where (try? await store.pull()) == nil { continue }
    }
    let (saved, unknown) = counts.withLock { $0 }
    let included = unknown.map { machines[$0].store.isIncluded($1) }
    #expect(!included.contains(nil))
    let includedCount = included.filter { $0 == true }.count
    for (_, store) in machines {
      #expect(try count(store) == saved + includedCount)
      #expect(store.sharingStatus == .connected)
      try await store.close()
    }
    for (machine, _) in machines { #expect(machine.frames == log.frames) }
  }

  /// What a different machine does between two attempts to recover a store.
  enum Event: CaseIterable {
    case compaction, repair
  }

  /// The first recovery gets the answer, and fails at a read. Then the log contains the transaction
  /// in a different group.
  @Test(arguments: Event.allCases)
  func `a recovery keeps the answer that an earlier one got`(event: Event) async throws {
    for call in 1...3 {
      let log = MemorySharedLog(name: "banks")
      let planned = PlannedLog(log)
      let store = try await SharedMachine(1, log: planned).open()
      try await store.insert(1)
      let other = try await SharedMachine(2, log: log.connect()).open()
      planned.plan(.answerLost)
      let error = await error { try await store.insert(2) }
      guard case .unknown(let append)? = error?.reason else {
        Issue.record("the error was \(error as Any)")
        return
      }
      planned.cut(at: .read, call: call)
      let isRecovered = (try? await store.recover()) != nil
      #expect(isRecovered == !planned.isCut)
      planned.isCut = false
      try await other.pull()
      switch event {
      case .compaction:
        try await other.insert(3)
        try await other.compactSharedLog(keeping: .nothing)
      case .repair:
        log.replaceGroups(log.groups.dropLast())
        try await other.repair(try #require(try await other.repairPlan()))
      }
      try await store.recover()
      try await store.pull()
      #expect(try store.ids.contains(2))
      let isIncluded = store.isIncluded(append)
      #expect(isIncluded == true || isIncluded == nil && store.replicaRestart != nil)
      try await store.close()
      try await other.close()
    }
  }

  @Test(arguments: 0..<20)
  func `a replica that has lost its unsynced end reads it again`(seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let log = MemorySharedLog()
    let machine = SharedMachine(seed, log: log.connect())
    let store = try await machine.open()
    try await store.write(isolation: nil) { try $0.insert(SharedCounter()) }
    let other = try await SharedMachine(1000, log: log.connect()).open()
    for turn in 0..<10 {
      try await increment(turn % 3 == 0 ? other : store)
      try await store.insert(
        contentsOf: (0..<3).map { SharedCounter(id: 1 + turn * 3 + $0) }, inTransactionsOf: 1)
      if turn == 4 { store.tend() }
    }
    var restarted = machine
    restarted.disk = machine.disk.powerLoss(using: &random)
    let again = try await restarted.open(connectedTo: log.connect())
    #expect(try count(again) == 10)
    #expect(try again.snapshot.count(of: SharedCounter.self) == 31)
    try await increment(again)
    try await again.close()
    #expect(restarted.frames == log.frames)
    try await store.close()
    try await other.close()
  }
}
