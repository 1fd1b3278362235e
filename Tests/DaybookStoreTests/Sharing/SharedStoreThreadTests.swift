import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import Testing

/// The laws of stores that share a log: replicas are equal byte for byte, no acknowledged change is
/// lost, and receipts have final numbers.
@Suite struct `Laws of a shared log` {
  /// Opens several machines that share a log, the first of which has created a counter.
  private func machines(
    _ count: Int, sharing log: MemorySharedLog
  ) async throws -> [(machine: SharedMachine, store: Store)] {
    var machines: [(SharedMachine, Store)] = []
    for number in 0..<count {
      let machine = SharedMachine(number, log: log.connect())
      machines.append((machine, try await machine.open()))
    }
    try await machines[0].1.write(isolation: nil) { try $0.insert(SharedCounter()) }
    for (_, store) in machines { try await store.pull() }
    return machines
  }

  /// Closes the stores, and compares their records, their files and their receipts with the log.
  private func check(
    _ machines: [(machine: SharedMachine, store: Store)], log: MemorySharedLog,
    receipts: [Receipt], location: SourceLocation = #_sourceLocation
  ) async throws {
    for (_, store) in machines { try await store.pull() }
    let first = machines[0].store.snapshot
    for (_, store) in machines.dropFirst() {
      #expect(Audit.differences(store.snapshot, first) == [], sourceLocation: location)
    }
    let checks = log.checks
    for receipt in receipts {
      #expect(checks[receipt.sequence] == receipt.checksum, sourceLocation: location)
      #expect(receipt.safety == .shared(serverCount: 1), sourceLocation: location)
    }
    #expect(Set(receipts.map(\.sequence)).count == receipts.count, sourceLocation: location)
    for (_, store) in machines { try await store.close() }
    for (machine, _) in machines {
      #expect(machine.frames == log.frames, sourceLocation: location)
    }
  }

  @Test(arguments: 0..<30)
  func `a seeded history has the same result on each machine`(seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let log = MemorySharedLog()
    let machines = try await machines(3, sharing: log)
    let contexts = machines.map { $0.store.makeContext(isolation: nil) }
    for context in contexts { context.mergePolicy = .contextWins }
    var receipts: [Receipt] = []
    var count = 0
    var inserted: Set<Int> = []
    for step in 0..<60 {
      let index = Int.random(in: 0..<3, using: &random)
      let (_, store) = machines[index]
      let context = contexts[index]
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        try await store.pull()
      case 1, 2:
        // The store has usually not seen the last saves of the other machines.
        try await store.write(isolation: nil) { context in
          try context.update(SharedCounter.self, id: 0) { $0.count += 1 }
        }
        count += 1
      case 3:
        try context.insert(SharedCounter(id: step + 1, note: "\(index)"))
        if let receipt = try await context.save(isolation: nil) { receipts.append(receipt) }
        inserted.insert(step + 1)
      case 4:
        // Only this context changes its own record, so that both changes are kept.
        try context.update(SharedCounter.self, id: 0) { $0.note = "step \(step)" }
        if let receipt = try await context.save(isolation: nil) { receipts.append(receipt) }
      default:
        let records = (0..<5).map { SharedCounter(id: 1000 + step * 10 + $0) }
        receipts += try await store.insert(contentsOf: records, inTransactionsOf: 2)
        inserted.formUnion(records.map(\.id))
      }
    }
    for (_, store) in machines { try await store.pull() }
    for (_, store) in machines {
      #expect(try store.snapshot.object(SharedCounter.self, id: 0)?.count == count)
      #expect(try store.snapshot.count(of: SharedCounter.self) == inserted.count + 1)
    }
    try await check(machines, log: log, receipts: receipts)
  }

  @Test(arguments: 0..<6)
  func `increments of tasks on three machines are not lost`(seed: Int) async throws {
    let log = MemorySharedLog()
    let machines = try await machines(3, sharing: log)
    let (taskCount, incrementCount) = (4, 20)
    let receipts = Guarded<[Receipt]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, (_, store)) in machines.enumerated() {
        for _ in 0..<taskCount {
          group.addTask {
            for _ in 0..<incrementCount {
              try await store.write(isolation: nil) { context in
                try context.update(SharedCounter.self, id: 0) { $0.count += 1 }
              }
            }
          }
        }
        for task in 0..<2 {
          group.addTask {
            let context = store.makeContext(isolation: nil)
            for turn in 0..<incrementCount {
              let id = 1 + number * 1000 + task * 100 + turn
              try context.insert(SharedCounter(id: id))
              let receipt = try await context.save(isolation: nil)
              if let receipt { receipts.withLock { $0.append(receipt) } }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    for (_, store) in machines { try await store.pull() }
    for (_, store) in machines {
      let counter = try store.snapshot.object(SharedCounter.self, id: 0)
      #expect(counter?.count == 3 * taskCount * incrementCount)
      #expect(try store.snapshot.count(of: SharedCounter.self) == 1 + 3 * 2 * incrementCount)
    }
    try await check(machines, log: log, receipts: receipts.withLock { $0 })
  }

  @Test func `a replica opens again with the transactions that it missed`() async throws {
    let log = MemorySharedLog()
    let machines = try await machines(2, sharing: log)
    try await machines[1].store.close()
    for _ in 0..<10 {
      try await machines[0].store.write(isolation: nil) { context in
        try context.update(SharedCounter.self, id: 0) { $0.count += 1 }
      }
    }
    let again = try await machines[1].machine.open(connectedTo: log.connect())
    #expect(try again.snapshot.object(SharedCounter.self, id: 0)?.count == 10)
    #expect(again.snapshot.sequence == machines[0].store.snapshot.sequence)
    try await check([machines[0], (machines[1].machine, again)], log: log, receipts: [])
  }

  @Test func `a pull ends at the head that it knew, while other machines save at each read`()
    async throws
  {
    let log = MemorySharedLog(name: "banks")
    let writer = try await SharedMachine(1, log: log.connect()).open()
    try await writer.insert(1)
    let count = Atomic(1)
    let growing = GrowingLog(log) {
      let id = count.add(1, ordering: .relaxed).newValue
      try? await writer.insert(id)
    }
    // An opening without a replica reads the first group, and then up to the head.
    let store = try await SharedMachine(2, log: growing).open()
    #expect(growing.readCount == 2)
    #expect(try store.ids == [1, 2, 3])
    for round in 1...3 {
      try await writer.insert(count.add(1, ordering: .relaxed).newValue)
      #expect(try await store.pull())
      #expect(growing.readCount == 2 + round)
    }
    growing.isGrowing = false
    // A save that was outpaced reads the group that was first.
    try await writer.insert(count.add(1, ordering: .relaxed).newValue)
    try await store.insert(100)
    #expect(growing.readCount == 6)
    #expect(try await writer.pull())
    #expect(try writer.ids == Array(1...10) + [100])
    #expect(try store.ids == writer.ids)
    for store in [store, writer] { try await store.close() }
  }
}

/// A shared log that grows before each read, as if other machines were nearer.
private final class GrowingLog: SharedLog {
  private let log: MemorySharedLog
  private let grow: @Sendable () async -> Void
  private let state = Mutex((isGrowing: true, readCount: 0))

  init(_ log: MemorySharedLog, grow: @escaping @Sendable () async -> Void) {
    self.log = log.connect()
    self.grow = grow
  }

  var name: String { log.name }
  var readCount: Int { state.withLock { $0.readCount } }
  var isGrowing: Bool {
    get { state.withLock { $0.isGrowing } }
    set { state.withLock { $0.isGrowing = newValue } }
  }

  func head() async throws(SharedLogError) -> SharedHead? { try await log.head() }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try await log.append(group)
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    let isGrowing = state.withLock { state in
      state.readCount += 1
      return state.isGrowing
    }
    if isGrowing { await grow() }
    return try await log.read(from: first, byteCount: byteCount)
  }

  func changes() -> AsyncStream<Void> { log.changes() }

  func close() async { await log.close() }
}
