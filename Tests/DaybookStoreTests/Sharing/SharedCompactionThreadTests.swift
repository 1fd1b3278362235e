import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Logs that have dropped the older part of their history.
@Suite struct `A compacted shared log` {
  /// Makes random changes of a few counters, with small and large notes.
  private func change(_ store: Store, using random: inout SplitMix64) async throws {
    let changes = (0...random.below(3)).map { _ in
      let repetitions = [1, 1, 200, 400][random.below(4)]
      return (
        id: random.below(8), action: random.below(5),
        note: String(repeating: "n\(random.below(1000))", count: repetitions)
      )
    }
    try await store.write(isolation: nil) { context in
      for change in changes {
        if try context.object(SharedCounter.self, id: change.id) == nil {
          try context.insert(SharedCounter(id: change.id, count: 1, note: change.note))
          continue
        }
        switch change.action {
        case 0: try context.delete(SharedCounter.self, id: change.id)
        // The note stays, also if it is stored outside of its row.
        case 1...2: try context.update(SharedCounter.self, id: change.id) { $0.count += 1 }
        default: try context.update(SharedCounter.self, id: change.id) { $0.note = change.note }
        }
      }
    }
  }

  /// Compares the moments and the histories that two replicas have in common.
  private func compare(_ one: Store, _ other: Store) throws {
    let base = max(try firstMoment(one), try firstMoment(other))
    #expect(Audit.differences(one.snapshot, other.snapshot) == [])
    for number in base.rawValue...one.snapshot.sequence.rawValue {
      let sequence = SequenceNumber(number)
      #expect(
        Audit.differences(try one.snapshot(at: sequence), try other.snapshot(at: sequence)) == [],
        "after transaction \(number)")
    }
    for id in 0..<8 {
      let histories = try [one, other].map { store in
        try store.history(of: "Counter", id: .int(Int64(id))).filter { $0.sequence > base }
      }
      #expect(
        histories[0].map { "\($0.sequence) \($0.change.kind)" }
          == histories[1].map { "\($0.sequence) \($0.change.kind)" })
    }
  }

  private func firstMoment(_ store: Store) throws -> SequenceNumber {
    try store.baseTransaction()?.sequence ?? .zero
  }

  @Test func `days of history count from the time of the server`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let clock = ManualClock()
    let first = clock.now
    let store = try await SharedMachine(1, log: planned).open(clock: clock)
    try await store.insert(1)
    clock.advance(by: .seconds(100 * 86_400))
    try await store.insert(2)
    planned.serverTime = first + .seconds(86_400)
    #expect(try await store.compactSharedLog(keeping: .days(30)).droppedTransactionCount == 0)
    planned.serverTime = nil
    #expect(try await store.compactSharedLog(keeping: .days(30)).base == 1)
    planned.serverTime = first + .seconds(200 * 86_400)
    #expect(try await store.compactSharedLog(keeping: .days(30)).base == 2)
    try await store.close()
  }

  /// The law: replicas that start from bases, and those that have the whole history, have equal
  /// states and later histories, and continue with each other's transactions.
  @Test(arguments: 0..<FaultRow.count(30, full: 1000, least: 6), [true, false])
  func `replicas with and without a base are equal`(seed: Int, maps: Bool) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let log = MemorySharedLog(name: "banks")
    var machines: [(machine: SharedMachine, store: Store)] = []
    func open(_ machine: SharedMachine) async throws -> Store {
      var options = JournalOptions.simulated(machine.disk)
      options.checkpointRule.closingByteCountMin = 1
      options.checkpointRule.openByteCountMin = 1
      options.checkpointRule.openFactor = 0
      return try await Store(
        at: SharedMachine.path, sharing: log.connect(), types: [SharedCounter.self],
        options: options)
    }
    func add() async throws {
      let machine = SharedMachine(100 * seed + machines.count, log: log)
      machine.disk.mapsFiles = maps
      machines.append((machine, try await open(machine)))
    }
    for _ in 0..<3 { try await add() }
    for _ in 0..<80 {
      let number = random.below(machines.count)
      let store = machines[number].store
      switch random.below(16) {
      case 0..<10: try await change(store, using: &random)
      case 10: try await store.pull()
      case 11: store.tend()
      case 12:
        let report = try await store.compactSharedLog(keeping: .nothing)
        #expect(log.groups[0].next == report.base.next)
      case 13 where machines.count < 6: try await add()
      default:
        try await store.close()
        machines[number].store = try await open(machines[number].machine)
      }
    }
    try await add()
    for (machine, store) in machines {
      try await store.pull()
      try compare(machines[0].store, store)
      if let restart = store.replicaRestart {
        #expect(machine.disk.paths.contains(restart.oldFilePath))
      }
    }
    for (machine, store) in machines {
      try await store.close()
      var problems: [String] = []
      _ = try FileJournal.verify(at: SharedMachine.path, options: .simulated(machine.disk)) {
        problems.append("\($0)")
      }
      #expect(problems == [])
      // Without the audit of the checkpoints, the store reads its whole file.
      let reading = try Store(
        reading: SharedMachine.path, types: [SharedCounter.self],
        options: .simulated(machine.disk))
      #expect(Audit.differences(reading.snapshot, machines[0].store.snapshot) == [])
      try await reading.close()
    }
  }

  @Test func `a base keeps the idempotency keys of dropped transactions`() async throws {
    let log = MemorySharedLog(name: "banks")
    let full = try await SharedMachine(1, log: log.connect()).open()
    func save(_ key: String, on store: Store) async throws -> Receipt {
      let context = store.makeContext(isolation: nil)
      context.metadata.idempotencyKey = key
      try context.insert(SharedCounter(id: Int(store.snapshot.sequence.rawValue) + 1))
      return try #require(try await context.save(isolation: nil))
    }
    var first: [String: Receipt] = [:]
    for key in ["a", "b"] { first[key] = try await save(key, on: full) }
    try await full.compactSharedLog(keeping: .nothing)
    first["c"] = try await save("c", on: full)
    try await full.compactSharedLog(keeping: .nothing)
    let based = try await SharedMachine(2, log: log.connect()).open()
    for store in [full, based] {
      for (key, receipt) in first {
        let again = try await save(key, on: store)
        #expect(again.isRepeated && again.sequence == receipt.sequence, "\(key)")
        #expect(again.time == receipt.time, "\(key)")
      }
      #expect(store.statistics.idempotencyKeyCount == 3)
      try await store.close()
    }
  }

  @Test func `a record that a base does not contain keeps its creation number`() async throws {
    let log = MemorySharedLog(name: "banks")
    let full = try await SharedMachine(1, log: log.connect()).open()
    try await full.insert(1)
    try await full.write(isolation: nil) { try $0.delete(SharedCounter.self, id: 1) }
    try await full.compactSharedLog(keeping: .nothing)
    let based = try await SharedMachine(2, log: log.connect()).open()
    try await based.insert(2)
    try await full.pull()
    let context = full.makeContext(isolation: nil)
    try context.revert(2)
    try await context.save(isolation: nil)
    try await based.pull()
    #expect(Audit.differences(full.snapshot, based.snapshot) == [])
    // The records 1 and 2 have the numbers 1 and 2.
    #expect(full.snapshot.frozen.state.nextCreation == 3)
    for store in [full, based] { try await store.close() }
  }

  @Test func `a replica that ends before the base restarts, and keeps its old file`() async throws {
    let log = MemorySharedLog(name: "banks")
    let machines = (0..<2).map { SharedMachine($0, log: log.connect()) }
    let stores = [try await machines[0].open(), try await machines[1].open()]
    for id in 1...3 { try await stores[0].insert(id) }
    try await stores[1].pull()
    let context = stores[1].makeContext(isolation: nil)
    try context.update(SharedCounter.self, id: 3) { $0.note = "mine" }
    for id in 4...6 { try await stores[0].insert(id) }
    let report = try await stores[0].compactSharedLog(keeping: .nothing)
    #expect(report.base == 6 && report.droppedTransactionCount == 6)
    #expect(report.byteCount == log.groups[0].bytes.count && log.groups.count == 1)
    // The machine that has compacted the log keeps its history.
    #expect(stores[0].replicaRestart == nil)
    #expect(try stores[0].snapshot(at: 1).count(of: SharedCounter.self) == 1)
    let again = try await stores[0].compactSharedLog(keeping: .nothing)
    #expect(again.droppedTransactionCount == 0 && again.base == 6)

    // A save finds that the log has dropped the end of the replica, and is made again.
    try await stores[1].write(isolation: nil) { try $0.insert(SharedCounter(id: 7)) }
    let restart = try #require(stores[1].replicaRestart)
    #expect(restart.base == 6 && restart.oldFilePath.hasSuffix("banks.daybook-lost-1"))
    #expect(try stores[1].ids == [1, 2, 3, 4, 5, 6, 7])
    #expect(stores[1].sharingStatus == .connected)
    let old = try Store(
      reading: restart.oldFilePath, types: [SharedCounter.self],
      options: .simulated(machines[1].disk))
    #expect(try old.ids == [1, 2, 3])
    try await old.close()
    var found = "no error"
    do { _ = try await context.save(isolation: nil) } catch { found = "\(error)" }
    #expect(found.contains("the replica has restarted from its shared log"))
    try context.mergeChanges()
    #expect(!context.hasChanges)
    try await stores[0].pull()
    #expect(try stores[0].ids == [1, 2, 3, 4, 5, 6, 7])
    for store in stores { try await store.close() }
  }

  @Test func `the outcome of an append stays unknown if the log has dropped it`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let machine = SharedMachine(1, log: planned)
    let store = try await machine.open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    try await store.insert(1)
    planned.plan(.answerLost)
    let append = try await unansweredAppend { try await store.insert(2) }
    try await other.pull()
    try await other.insert(3)
    try await other.compactSharedLog(keeping: .nothing)
    #expect(store.isIncluded(append) == nil)
    try await store.recover()
    #expect(store.isIncluded(append) == nil)
    #expect(store.replicaRestart?.base == 3)
    #expect(try store.ids == [1, 2, 3])
    try await store.insert(4)
    try await other.pull()
    #expect(try other.ids == [1, 2, 3, 4])
    try await store.close()
    try await other.close()
  }

  @Test func `a store keeps its base until it shows the restart of its replica`() async throws {
    let log = MemorySharedLog(name: "banks")
    let store = try await SharedMachine(1, log: log.connect()).open()
    for id in 1...3 { try await store.insert(id) }
    let other = try await SharedMachine(2, log: log.connect()).open()
    for id in 4...6 { try await other.insert(id) }
    try await other.compactSharedLog(keeping: .nothing)
    guard case .file(let journal) = store.log else { throw Surprise("no file") }
    _ = try await journal.pull()
    #expect(journal.header.base.sequence == 6)
    #expect(store.base == 0 && store.snapshot.sequence == 3)
    #expect(try store.snapshot(at: 1).count(of: SharedCounter.self) == 1)
    #expect(try store.history(of: "Counter", id: .int(2)).map(\.sequence) == [2])
    var transactions = try store.transactions(from: 1)
    #expect(try transactions.next()?.changes.count == 1)
    try await store.pull()
    #expect(store.base == 6 && store.snapshot.sequence == 6)
    try await store.close()
    try await other.close()
  }

  @Test func `a backup during a restart is a whole journal`() async throws {
    let log = MemorySharedLog(name: "banks")
    let machine = SharedMachine(1, log: log.connect())
    let store = try await machine.open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    let options = JournalOptions.simulated(machine.disk)
    for round in 0..<FaultRow.count(30, full: 500, least: 6) {
      for id in 0..<4 { try await other.insert(round * 10 + id) }
      try await other.compactSharedLog(keeping: .nothing)
      async let pulled = store.pull()
      async let copied = store.backup(to: "copy-\(round)")
      _ = try await pulled
      _ = try await copied
      let copy = try Store(at: "copy-\(round)", types: [SharedCounter.self], options: options)
      #expect([4 * round, 4 * round + 4].contains(try copy.ids.count))
      try await copy.close()
    }
    try await store.close()
    try await other.close()
  }

  @Test func `a log that cannot drop groups, and a store without a log, refuse`() async throws {
    let log = MemorySharedLog(name: "banks")
    let store = try await SharedMachine(1, log: KeepingLog(log)).open()
    try await store.insert(1)
    var found = "no error"
    do { try await store.compactSharedLog(keeping: .nothing) } catch { found = "\(error)" }
    #expect(
      found
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be used: it keeps its whole history. The replica can be read.")
    try await store.close()
    let own = try Store.inMemory(records: SharedCounter.self)
    do { try await own.compactSharedLog(keeping: .nothing) } catch { found = "\(error)" }
    #expect(found == "\(StoreError(.readOnly, path: own.path))")
  }
}

/// A shared log that keeps all groups.
private struct KeepingLog: SharedLog {
  let log: MemorySharedLog

  init(_ log: MemorySharedLog) { self.log = log.connect() }

  var name: String { log.name }
  func head() async throws(SharedLogError) -> SharedHead? { try await log.head() }
  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try await log.append(group)
  }
  func read(from first: SequenceNumber, byteCount: Int) async throws(SharedLogError) -> [FrameGroup]
  {
    try await log.read(from: first, byteCount: byteCount)
  }
  func changes() -> AsyncStream<Void> { log.changes() }
  func close() async { await log.close() }
}
