import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// The repair of replicas after their log has lost transactions.
@Suite struct `Repair of a shared log` {
  /// Opens two stores over a log with three transactions.
  private func pair(
    _ log: MemorySharedLog
  ) async throws -> (machines: [SharedMachine], stores: [Store]) {
    let machines = [1, 2].map { SharedMachine($0, log: log.connect()) }
    var stores: [Store] = []
    for machine in machines { stores.append(try await machine.open()) }
    for id in 1...3 { try await stores[0].insert(id, author: "ann") }
    try await stores[1].pull()
    return (machines, stores)
  }

  private func sentence(of call: () async throws -> Void) async -> String {
    do {
      try await call()
      return "no error"
    } catch { return "\(error)" }
  }

  @Test func `a shortened log gets the same frames again, from several replicas at once`()
    async throws
  {
    let log = MemorySharedLog(name: "banks")
    let (machines, stores) = try await pair(log)
    #expect(try await stores[0].repairPlan() == nil)
    let (before, frames) = (log.groups, log.frames)
    log.replaceGroups(Array(before.dropLast(2)))
    var plans: [RepairPlan] = []
    for store in stores { plans.append(try #require(try await store.repairPlan())) }
    #expect(plans[0] == plans[1] && plans[0].action == .appendAgain)
    #expect(
      "\(plans[0])" == """
        The log banks does not contain 2 transactions of this replica:
          2 (2026-01-01T00:00:00Z by ann)
          3 (2026-01-01T00:00:00Z by ann)
        The log ends after transaction 1. The repair appends the same bytes again.
        """)
    let reports = try await withThrowingTaskGroup(of: RepairReport.self) { group in
      for (store, plan) in zip(stores, plans) { group.addTask { try await store.repair(plan) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(reports.allSatisfy { $0.keptPath == nil && $0.appendedCount <= 2 })
    #expect(log.frames == frames)
    for (number, store) in stores.enumerated() {
      #expect(store.sharingStatus == .connected)
      try await store.insert(10 + number)
    }
    try await stores[0].pull()
    for store in stores {
      #expect(try store.ids == [1, 2, 3, 10, 11])
      try await store.close()
    }
    for machine in machines { #expect(machine.frames == log.frames) }
  }

  @Test func `a pull connects a replica whose log contains the lost transactions again`()
    async throws
  {
    let log = MemorySharedLog(name: "banks")
    let (machines, stores) = try await pair(log)
    let groups = log.groups
    log.replaceGroups(Array(groups.dropLast()))
    for store in stores {
      await #expect(throws: StoreError.self) { try await store.pull() }
      guard case .diverged = store.sharingStatus else {
        Issue.record("the status is \(String(describing: store.sharingStatus))")
        return
      }
    }
    // One replica repairs the log. The other one finds this.
    let plan = try #require(try await stores[0].repairPlan())
    try await stores[0].repair(plan)
    try await stores[0].insert(4)
    #expect(try await stores[1].pull())
    #expect(stores[1].sharingStatus == .connected)
    // A server that lacks transactions answers for a time.
    let all = log.groups
    log.replaceGroups(Array(all.dropLast(2)))
    await #expect(throws: StoreError.self) { try await stores[1].pull() }
    log.replaceGroups(all)
    #expect(try await stores[1].pull() == false)
    #expect(stores[1].sharingStatus == .connected)
    try await stores[1].insert(5)
    for store in stores { try await store.close() }
    #expect(machines[1].frames == log.frames)
  }

  @Test func `a store with automatic repairs appends what the log has lost with its next pull`()
    async throws
  {
    let log = MemorySharedLog(name: "banks")
    let (machines, stores) = try await pair(log)
    let frames = log.frames
    for store in stores { try await store.close() }
    let healing = try await machines[0].open(connectedTo: log.connect(), repairs: .automatic)
    log.replaceGroups(Array(log.groups.dropLast(2)))
    #expect(try await healing.pull() == false)
    #expect(log.frames == frames && healing.sharingStatus == .connected)

    // A commit that can wait does so for the repair.
    log.replaceGroups(Array(log.groups.dropLast()))
    let commit = try await healing.commit(waitingUpTo: .seconds(100_000)) { context in
      try context.insert(SharedCounter(id: 4))
    }
    #expect(commit.receipt?.sequence == 4)
    #expect(try healing.ids == [1, 2, 3, 4])

    // A repair that would replace the file of the replica is left to the program.
    log.replaceGroups(Array(log.groups.dropLast()))
    let other = try await machines[1].open(connectedTo: log.connect())
    try await other.insert(5)
    #expect(
      await sentence { try await healing.pull() }.hasSuffix("and nothing is written. Repair it."))
    #expect(try await healing.repairPlan()?.action == .restart)
    #expect(try healing.ids == [1, 2, 3, 4])
    for store in [healing, other] { try await store.close() }
  }

  @Test func `all lost transactions can be listed`() async throws {
    let log = MemorySharedLog(name: "banks")
    let (_, stores) = try await pair(log)
    for id in 4...130 { try await stores[0].insert(id, author: "ben") }
    log.replaceGroups(Array(log.groups.prefix(2)))
    let divergence = try #require(try await stores[0].repairPlan()).divergence
    #expect(divergence.missing.count == 100 && divergence.missingCount == 129)
    let missing = try stores[0].missingTransactions(of: divergence)
    #expect(missing.map(\.sequence.rawValue) == Array(2...130))
    #expect(Array(missing.prefix(100)) == divergence.missing)
    #expect(missing.last?.author == "ben")
    for store in stores { try await store.close() }
  }

  @Test func `an emptied log gets its header again`() async throws {
    let log = MemorySharedLog(name: "banks")
    let (machines, stores) = try await pair(log)
    let frames = log.frames
    log.replaceGroups([])
    let plan = try #require(try await stores[0].repairPlan())
    #expect(plan.divergence.missingCount == 3)
    let report = try await stores[0].repair(plan)
    #expect(report.appendedCount == 3 && log.frames == frames)
    // The other replica has never seen the loss.
    try await stores[1].insert(4)
    for store in stores { try await store.close() }
    #expect(machines[1].frames == log.frames)
  }

  @Test func `a replica restarts after the last common frame if both went on`() async throws {
    let log = MemorySharedLog(name: "banks")
    let (machines, stores) = try await pair(log)
    try await stores[0].insert(4, author: "ann")
    try await stores[0].insert(5)
    log.replaceGroups(Array(log.groups.dropLast(2)))
    try await stores[1].insert(6)
    #expect(
      await sentence { try await stores[0].insert(7) }
        == "banks.daybook: the log banks does not contain transactions 4 to 5, which it had "
        + "acknowledged to this replica: 4 (2026-01-01T00:00:00Z by ann), 5 (2026-01-01T00:00:00Z). The replica can be read, and "
        + "nothing is written. Repair it.")
    let plan = try #require(try await stores[0].repairPlan())
    #expect(
      "\(plan)" == """
        The log banks does not contain 2 transactions of this replica:
          4 (2026-01-01T00:00:00Z by ann)
          5 (2026-01-01T00:00:00Z)
        The log has other transactions after 3, up to 4. The repair keeps the file of the replica under \
        another name, and restarts the replica after 3.
        """)
    let snapshot = stores[0].snapshot
    let report = try await stores[0].repair(plan)
    let keptPath = try #require(report.keptPath)
    #expect(keptPath.hasSuffix("banks.daybook-lost-4") && report.appendedCount == 0)
    #expect(try stores[0].ids == [1, 2, 3, 6])
    // A snapshot from before stays readable.
    #expect(try snapshot.objects(SharedCounter.self).map(\.id).sorted() == [1, 2, 3, 4, 5])
    try await stores[0].insert(8)
    try await stores[1].insert(9)
    #expect(try stores[1].ids == [1, 2, 3, 6, 8, 9])
    for store in stores { try await store.close() }
    #expect(machines[1].frames == log.frames)
    let again = try await machines[0].open(connectedTo: log.connect())
    #expect(try again.ids == [1, 2, 3, 6, 8, 9])
    #expect(again.sharingStatus == .connected)
    try await again.close()
    #expect(machines[0].frames == log.frames)
    let lost = try Store(
      reading: keptPath, types: [SharedCounter.self], options: .simulated(machines[0].disk))
    #expect(try lost.ids == [1, 2, 3, 4, 5])
    try await lost.close()
  }

  @Test func `a plan is outdated after the log has changed`() async throws {
    let log = MemorySharedLog(name: "banks")
    let (_, stores) = try await pair(log)
    log.replaceGroups(Array(log.groups.dropLast()))
    let plan = try #require(try await stores[0].repairPlan())
    let other = try await SharedMachine(3, log: log.connect()).open()
    try await other.insert(9)
    #expect(
      await sentence { try await stores[0].repair(plan) }
        == "banks.daybook: the log banks has changed after the plan of the repair was made. The "
        + "replica was not changed. Make a new plan.")
    #expect(try stores[0].ids == [1, 2, 3])
    try await other.close()
    for store in stores { try await store.close() }
  }

  @Test func `a replica that is behind still knows what the log had acknowledged`() async throws {
    let log = MemorySharedLog(name: "banks")
    let machine = SharedMachine(1, log: log.connect())
    let store = try await machine.open()
    for id in 1...3 { try await store.insert(id) }
    let shared = machine.disk.contents(of: "banks.daybook-shared")
    try await store.close()
    // The replica is restored from a copy that ends with its first transaction.
    let older = SharedMachine(2, log: log.connect())
    log.replaceGroups(Array(log.groups.dropLast(2)))
    try await older.open().close()
    let kept = try #require(machine.disk.contents(of: "banks.daybook-shared"))
    #expect(kept != shared)
    older.disk.setContents(kept, at: "banks.daybook-shared")
    let behind = try await older.open(connectedTo: log.connect())
    #expect(
      await sentence { try await behind.insert(9) }
        == "banks.daybook: the log banks does not contain transactions 2 to 3, which it had "
        + "acknowledged to this replica: 2 (also lost here), 3 (also lost here). The replica can be "
        + "read, and nothing is written. Repair it.")
    let plan = try #require(try await behind.repairPlan())
    #expect(
      "\(plan)".hasSuffix(
        "This replica does not contain all of these transactions. Repair the other replicas first, "
          + "because they may contain the missing ones."))
    // The user decides that nothing better exists.
    #expect(try await behind.repair(plan).appendedCount == 0)
    try await behind.insert(9)
    #expect(try behind.ids == [1, 9])
    try await behind.close()
  }

  @Test func `a log with other transactions than acknowledged ones diverges`() async throws {
    let log = MemorySharedLog(name: "banks")
    let machine = SharedMachine(1, log: log.connect())
    let store = try await machine.open()
    for id in 1...2 { try await store.insert(id) }
    try await store.close()
    let kept = try #require(machine.disk.contents(of: "banks.daybook-shared"))
    log.replaceGroups(Array(log.groups.dropLast()))
    let other = SharedMachine(2, log: log.connect())
    try await other.open().close()
    let writer = try await SharedMachine(3, log: log.connect()).open()
    for id in 7...8 { try await writer.insert(id) }
    other.disk.setContents(kept, at: "banks.daybook-shared")
    let behind = try await other.open(connectedTo: log.connect())
    guard case .diverged(let divergence)? = behind.sharingStatus else {
      Issue.record("the status is \(behind.sharingStatus as Any)")
      return
    }
    #expect(divergence.isForked && divergence.lastCommon == 1 && divergence.missingCount == 1)
    let plan = try #require(try await behind.repairPlan())
    try await behind.repair(plan)
    #expect(try behind.ids == [1, 7, 8])
    try await behind.close()
    try await writer.close()
  }

  @Test func `a failover during an append ends in a divergence that can be repaired`() async throws
  {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let machine = SharedMachine(1, log: planned)
    let store = try await machine.open()
    for id in 1...3 { try await store.insert(id) }
    planned.plan(.appendLost)
    log.replaceGroups(Array(log.groups.dropLast()))
    let append = try await unansweredAppend { try await store.insert(4) }
    try await store.recover()
    #expect(store.isIncluded(append) == nil)
    let plan = try #require(try await store.repairPlan())
    #expect(plan.action == .appendAgain)
    #expect(try await store.repair(plan).appendedCount == 1)
    // The append was sent, so it is sent again.
    #expect(store.isIncluded(append) == true)
    try await store.insert(5)
    #expect(try store.ids == [1, 2, 3, 4, 5])
    try await store.close()
    #expect(machine.frames == log.frames)
  }

  @Test func `a log of the same journal with a new salt is refused`() async throws {
    let log = MemorySharedLog(name: "banks")
    let (_, stores) = try await pair(log)
    // A compacted journal has a new salt, and the same identity.
    let page = ByteView(Array(log.groups[0].bytes[..<4096]))
    guard case .good(let header) = JournalHeader.read(page) else {
      Issue.record("the first group has no header")
      return
    }
    var random = SplitMix64(seed: 5)
    let other = JournalHeader(
      identity: header.identity, salt: random.next(), created: header.created)
    log.replaceGroups([
      FrameGroup(
        first: 0, next: 1, previousChecksum: 0, checksum: other.pageChecksum, bytes: other.page(),
        nonce: 1)
    ])
    let expected =
      "banks.daybook: the log banks contains a rewritten journal, which this replica cannot "
      + "continue. The replica can be read, and nothing is written. Open the log with a new path."
    #expect(await sentence { try await stores[0].insert(9) } == expected)
    #expect(await sentence { _ = try await stores[0].repairPlan() } == expected)
    for store in stores { try await store.close() }
  }
}
