import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Random histories with repairs, and the files beside a replica that restarts.
@Suite struct `Histories with repairs` {
  @Test(arguments: 0..<40)
  func `every acknowledged save is in the log or in a kept file`(seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let log = MemorySharedLog(name: "banks")
    var machines: [(machine: SharedMachine, store: Store)] = []
    for number in 0..<3 {
      let machine = SharedMachine(number, log: log.connect())
      machines.append((machine, try await machine.open()))
    }
    var acknowledged: Set<Int> = []
    var keptPaths: [(Int, String)] = []
    var backups: [[FrameGroup]] = []
    var nextID = 1
    for _ in 0..<60 {
      let number = random.pick(3)
      let store = machines[number].store
      switch random.pick(10) {
      case 0..<5:
        do {
          try await store.insert(nextID, author: "m\(number)")
          acknowledged.insert(nextID)
        } catch {
          guard case .diverged? = store.sharingStatus else { throw error }
        }
        nextID += 1
      case 5: _ = try? await store.pull()
      case 6:
        if random.pick(3) == 0 { store.tend() }
        backups.append(log.groups)
      case 7:
        // A failover to a server without the newest groups, or the restoration of a backup.
        let groups = log.groups
        if random.pick(2) == 0, !backups.isEmpty {
          log.replaceGroups(backups[random.pick(backups.count)])
        } else if groups.count > 1 {
          log.replaceGroups(Array(groups.dropLast(1 + random.pick(min(3, groups.count - 1)))))
        }
      case 8:
        if let plan = try await store.repairPlan() {
          if let path = try await store.repair(plan).keptPath { keptPaths.append((number, path)) }
          #expect(store.sharingStatus == .connected)
        }
      default:
        try await store.close()
        machines[number].store = try await machines[number].machine.open(
          connectedTo: log.connect())
      }
    }
    for (number, (_, store)) in machines.enumerated() {
      if let plan = try await store.repairPlan(),
        let path = try await store.repair(plan).keptPath
      {
        keptPaths.append((number, path))
      }
    }
    // A repair can have appended transactions after another one had pulled.
    var found: Set<Int> = []
    for (machine, store) in machines {
      try await store.pull()
      #expect(store.sharingStatus == .connected)
      #expect(Audit.differences(store.snapshot, machines[0].store.snapshot) == [])
      found.formUnion(try store.ids)
      try await store.close()
      #expect(machine.frames == log.frames)
    }
    for (number, path) in keptPaths {
      let kept = try Store(
        reading: path, types: [SharedCounter.self],
        options: .simulated(machines[number].machine.disk))
      found.formUnion(try kept.ids)
      try await kept.close()
    }
    #expect(acknowledged.subtracting(found) == [])
  }

  /// Performs a call that blocks its thread.
  private func blocking(_ call: @escaping @Sendable () throws -> Void) async throws {
    try await WorkerThreads.shared.value { Result { try call() } }.get()
  }

  /// The first group of a journal that consists of a base.
  private func firstGroup(of path: String, _ options: JournalOptions) throws -> FrameGroup {
    let journal = try JournalReader(at: path, options: options)
    var frames = FrameReader(journal.file, header: journal.header)
    while !frames.chain.isPastBase { #expect(try frames.advance()) }
    let view = try journal.file.view(at: 0, atLeast: Int(frames.offset))
    let base = view[16384..<Int(frames.offset)].copy()
    return FrameGroup(
      first: 0, next: frames.chain.sequence.next, previousChecksum: 0,
      checksum: frames.chain.point.checksum, bytes: journal.header.page() + base, nonce: 1)
  }

  @Test func `a log whose journal has a base is replicated, repaired and restarted`() async throws {
    let options = JournalOptions.simulated(SimulatedDisk(seed: 9))
    let own = try Store(at: "own.daybook", types: [SharedCounter.self], options: options)
    for id in 1...5 { try await own.insert(id) }
    try await own.close()
    try await blocking { _ = try Store.compact(at: "own.daybook", options: options) }
    let log = MemorySharedLog(name: "banks")
    _ = try await log.append(try firstGroup(of: "own.daybook", options))
    let (machines, stores) = try await pairOverBase(log)
    let frames = log.frames
    log.replaceGroups([])
    let plan = try #require(try await stores[0].repairPlan())
    #expect(plan.divergence.missingCount == 2 && plan.action == .appendAgain)
    #expect(try await stores[0].repair(plan).appendedCount == 2)
    #expect(log.frames == frames)

    log.replaceGroups(Array(log.groups.prefix(1)))
    let other = try await SharedMachine(3, log: log.connect()).open()
    try await other.insert(20)
    let fork = try #require(try await stores[1].repairPlan())
    #expect(fork.divergence.lastCommon == 5 && fork.action == .restart)
    try await stores[1].repair(fork)
    #expect(try stores[1].ids == [1, 2, 3, 4, 5, 20])
    for store in stores + [other] { try await store.close() }
    #expect(machines[1].frames == log.frames)
  }

  /// Opens two stores over a log with a base of five transactions, and saves two more.
  private func pairOverBase(
    _ log: MemorySharedLog
  ) async throws -> (machines: [SharedMachine], stores: [Store]) {
    let machines = [1, 2].map { SharedMachine($0, log: log.connect()) }
    var stores: [Store] = []
    for machine in machines { stores.append(try await machine.open()) }
    #expect(try stores[1].ids == [1, 2, 3, 4, 5])
    for id in 10...11 { try await stores[0].insert(id) }
    try await stores[1].pull()
    #expect(try stores[1].ids == [1, 2, 3, 4, 5, 10, 11])
    return (machines, stores)
  }

  @Test(arguments: [true, false])
  func `saves in migrated data need compatible steps`(isCompatible: Bool) async throws {
    let options = JournalOptions.simulated(SimulatedDisk(seed: 9))
    let own = try Store(at: "own.daybook", types: [SharedCounter.self], options: options)
    try await own.insert(1)
    try await own.close()
    let step = Migration("notes", version: 1, compatible: isCompatible) { context in
      try context.update(SharedCounter.self, id: 1) { $0.note = "migrated" }
    }
    try await blocking {
      try Store(
        at: "own.daybook", types: [SharedCounter.self], migrations: [step], options: options
      ).closeAndWait()
      _ = try Store.compact(at: "own.daybook", options: options)
    }
    let log = MemorySharedLog(name: "banks")
    _ = try await log.append(try firstGroup(of: "own.daybook", options))
    let store = try await SharedMachine(1, log: log.connect()).open()
    #expect(try store.snapshot.object(SharedCounter.self, id: 1)?.note == "migrated")
    var found = "no error"
    do { try await store.insert(2) } catch { found = "\(error)" }
    let refusal = StoreError(.lowerVersion(program: 0, journal: 1), path: SharedMachine.path)
    #expect(found == (isCompatible ? "no error" : "\(refusal)"))
    try await store.close()
  }

  @Test func `a context from before a restart is reset, and saves nothing`() async throws {
    let log = MemorySharedLog(name: "banks")
    let store = try await SharedMachine(1, log: log.connect()).open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    for id in 1...3 { try await store.insert(id) }
    let context = store.makeContext(isolation: nil)
    try context.update(SharedCounter.self, id: 3) { $0.note = "mine" }
    log.replaceGroups(Array(log.groups.dropLast()))
    for id in 7...8 { try await other.insert(id) }
    let plan = try #require(try await store.repairPlan())
    try await store.repair(plan)
    var found = "no error"
    do { _ = try await context.save(isolation: nil) } catch { found = "\(error)" }
    #expect(
      found
        == "banks.daybook: the replica has restarted from its shared log, and the changes "
        + "were made before that. Nothing was saved. Reset the context, and make the changes again."
    )
    try context.mergeChanges()
    #expect(!context.hasChanges)
    try context.update(SharedCounter.self, id: 7) { $0.note = "mine" }
    #expect(try await context.save(isolation: nil)?.sequence == 5)
    try await other.pull()
    #expect(try other.snapshot.object(SharedCounter.self, id: 7)?.note == "mine")
    try await store.close()
    try await other.close()
  }

  @Test func `a checkpoint of lost transactions is not used after a restart`() async throws {
    let log = MemorySharedLog(name: "banks")
    let machine = SharedMachine(1, log: log.connect())
    machine.disk.mapsFiles = true
    var options = JournalOptions.simulated(machine.disk)
    options.checkpointRule.closingByteCountMin = 1
    options.checkpointRule.openByteCountMin = 1
    options.checkpointRule.openFactor = 0
    let store = try await Store(
      at: SharedMachine.path, sharing: log.connect(), types: [SharedCounter.self],
      options: options)
    for id in 1...4 {
      try await store.insert(id)
      store.tend()
    }
    #expect(machine.disk.paths.contains { $0.contains("-checkpoint-") })
    log.replaceGroups(Array(log.groups.dropLast(2)))
    let other = try await SharedMachine(2, log: log.connect()).open()
    for id in 7...9 { try await other.insert(id) }
    let plan = try #require(try await store.repairPlan())
    try await store.repair(plan)
    store.tend()
    #expect(try store.ids == [1, 2, 7, 8, 9])
    try await store.insert(10)
    store.tend()
    try await store.close()
    let again = try await Store(
      at: SharedMachine.path, sharing: log.connect(), types: [SharedCounter.self],
      options: options)
    #expect(try again.ids == [1, 2, 7, 8, 9, 10])
    try await again.close()
    try await other.close()
  }

  @Test(.timeLimit(.minutes(10)))
  func `tasks that block all threads of the pool can save`() async throws {
    let log = MemorySharedLog()
    let store = try await SharedMachine(1, log: log.connect()).open()
    let blocking: @Sendable (Int) throws -> Void = { id in
      let context = store.makeContext(isolation: nil)
      try context.insert(SharedCounter(id: id))
      try context.saveAndWait()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for id in 0..<64 { group.addTask { try blocking(id) } }
      try await group.waitForAll()
    }
    #expect(try store.ids == Array(0..<64))
    try await store.close()
  }
}

extension SplitMix64 {
  /// Returns a number from 0 to below a count.
  fileprivate mutating func pick(_ count: Int) -> Int { Int(next() % UInt64(count)) }
}
