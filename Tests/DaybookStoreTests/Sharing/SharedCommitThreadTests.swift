import DaybookEssentials
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookStore

/// Commits that wait for a shared log: each is saved once, certainly not saved, or not known until
/// `outcome(of:)` is asked.
@Suite struct `Commits on a shared log` {
  /// A limit that no test reaches.
  private static let long = Duration.seconds(100_000)

  private func insert(_ id: Int) -> @Sendable (EditingContext) throws -> Int {
    { context in
      try context.insert(SharedCounter(id: id))
      return id
    }
  }

  /// Returns the outcome of a commit that ends with `notKnown`.
  private func pendingOutcome(of commit: () async throws -> Void) async throws -> PendingOutcome {
    do { try await commit() } catch let error as StoreError {
      if case .notKnown(let pending) = error.reason { return pending }
      throw error
    }
    throw Surprise("the outcome is known")
  }

  // MARK: Waiting

  @Test func `a commit waits until the log can be reached`() async throws {
    let planned = PlannedLog(MemorySharedLog(name: "banks"))
    let store = try await SharedMachine(1, log: planned).open()
    planned.isCut = true
    let runs = Guarded(0)
    let commit = Task {
      try await store.commit(waitingUpTo: Self.long) { context in
        runs.withLock { $0 += 1 }
        return try insert(1)(context)
      }
    }
    // The second run shows that the first one was refused.
    while runs.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
    planned.isCut = false
    guard case .saved(1, let receipt?) = try await commit.value else {
      throw Surprise("the commit is not saved")
    }
    #expect(receipt.sequence == 1)
    #expect(try store.ids == [1])
    try await store.close()
  }

  @Test(arguments: [true, false])
  func `a commit without an answer is saved once`(isAppended: Bool) async throws {
    let planned = PlannedLog(MemorySharedLog(name: "banks"))
    let store = try await SharedMachine(1, log: planned).open()
    planned.plan(isAppended ? .answerLost : .appendLost)
    let commit = try await store.commit(waitingUpTo: Self.long, body: insert(1))
    guard case .saved(1, let receipt?) = commit else { throw Surprise("the commit is not saved") }
    #expect(receipt.sequence == 1)
    #expect(!receipt.isRepeated)
    #expect(receipt.safety == .shared(serverCount: 1))
    #expect(try store.ids == [1])
    try await store.close()
  }

  @Test func `a commit that another machine has outpaced without an answer is saved once`()
    async throws
  {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    planned.plan(.outpaced { try? await other.insert(2) })
    let commit = try await store.commit(waitingUpTo: Self.long, body: insert(1))
    #expect(commit.receipt?.sequence == 2)
    #expect(try store.ids == [1, 2])
    for store in [store, other] { try await store.close() }
  }

  @Test func `a commit with the key of an earlier transaction is not saved again`() async throws {
    let planned = PlannedLog(MemorySharedLog(name: "banks"))
    let store = try await SharedMachine(1, log: planned).open()
    let metadata = TransactionMetadata(idempotencyKey: "order 1")
    _ = try await store.commit(metadata, waitingUpTo: Self.long, body: insert(1))
    let second = try await store.commit(metadata, waitingUpTo: Self.long, body: insert(2))
    guard case .repeated(let receipt) = second else { throw Surprise("saved twice") }
    #expect(receipt.sequence == 1)
    #expect(try store.ids == [1])
    try await store.close()
  }

  @Test func `a body that replaces the metadata keeps the key of its commit`() async throws {
    let store = try await SharedMachine(1, log: MemorySharedLog(name: "banks")).open()
    let metadata = TransactionMetadata(idempotencyKey: "order 1")
    for _ in 0..<2 {
      _ = try await store.commit(metadata, waitingUpTo: Self.long) { context in
        context.metadata = TransactionMetadata(author: "ann")
        try context.insert(SharedCounter(id: 1))
      }
    }
    #expect(try store.receipt(forIdempotencyKey: "order 1")?.sequence == 1)
    #expect(store.snapshot.sequence == 1)
    try await store.close()
  }

  @Test func `a commit throws the error of its body at once`() async throws {
    let store = try await SharedMachine(1, log: MemorySharedLog(name: "banks")).open()
    #expect(
      await sentence {
        _ = try await store.commit(waitingUpTo: Self.long) { _ in throw Surprise("enough") }
      } == "enough")
    try await store.close()
  }

  @Test func `a store without a log commits as without a limit`() async throws {
    let store = try Store(
      at: "alone.daybook", types: [SharedCounter.self],
      options: .simulated(SimulatedDisk(seed: 1)))
    let commit = try await store.commit(waitingUpTo: .zero, minimumServers: 9, body: insert(1))
    #expect(commit.receipt?.safety == .durable)
    try await store.close()
  }

  // MARK: Errors

  @Test func `after the limit a commit that was not sent is not saved`() async throws {
    let planned = PlannedLog(MemorySharedLog(name: "banks"))
    let clock = ManualClock()
    let store = try await SharedMachine(1, log: planned).open(clock: clock)
    planned.isCut = true
    #expect(
      await sentence { _ = try await store.commit(waitingUpTo: .zero, body: insert(1)) }
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be reached: the cable is cut. Save it again later.")
    planned.isCut = false
    // A log that refuses the save is not waited for.
    planned.serverTime = clock.now + .seconds(-301)
    #expect(
      await sentence { _ = try await store.commit(waitingUpTo: Self.long, body: insert(1)) }
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be used: the clock of the machine \(CurrentProcess.hostName) shows "
        + "2026-01-01T00:00:00Z, and the clock of the log's server 2025-12-31T23:54:59Z. Set the "
        + "clock of the machine. Save it again later.")
    #expect(try store.ids == [])
    try await store.close()
  }

  @Test func `each of several refusals takes longer, until a save succeeds`() async throws {
    let store = try await SharedMachine(1, log: MemorySharedLog(name: "banks")).open()
    let refusal = SharedLogError(.unavailable("the cable is cut"), log: "banks")
    let error = StoreError(
      .journal(JournalError(.sharedLog(refusal), path: "banks.daybook")), path: "banks.daybook")
    let pauses = (0..<12).compactMap { _ in store.refusalPause(after: error) }
    #expect(pauses.count == 12)
    #expect(pauses[0] < .milliseconds(1))
    #expect(pauses[11] >= .milliseconds(25) && pauses[11] <= .milliseconds(50))
    try await store.insert(1)
    let first = try #require(store.refusalPause(after: error))
    #expect(first < .milliseconds(1))
    #expect(store.refusalPause(after: StoreError(.readOnly, path: "banks.daybook")) == nil)
    try await store.close()
  }

  @Test func `a task that is cancelled while it waits has saved nothing`() async throws {
    let planned = PlannedLog(MemorySharedLog(name: "banks"))
    let store = try await SharedMachine(1, log: planned).open()
    planned.isCut = true
    let commit = Task {
      await sentence { _ = try await store.commit(waitingUpTo: Self.long, body: insert(1)) }
    }
    commit.cancel()
    #expect(await commit.value == "CancellationError()")
    planned.isCut = false
    try await store.pull()
    #expect(try store.ids == [])
    try await store.close()
  }

  @Test func `a store that is closed ends the wait of a commit`() async throws {
    let planned = PlannedLog(MemorySharedLog(name: "banks"))
    let store = try await SharedMachine(1, log: planned).open()
    planned.isCut = true
    let commit = Task {
      await sentence { _ = try await store.commit(waitingUpTo: Self.long, body: insert(1)) }
    }
    try await store.close()
    #expect(await commit.value == "banks.daybook: the journal is closed.")
  }

  // MARK: Outcomes

  @Test func `a different machine knows the outcome of a commit`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    planned.plan(.answerLost)
    let saved = try await pendingOutcome {
      _ = try await store.commit(waitingUpTo: .zero, body: insert(1))
    }
    #expect(
      "\(StoreError(.notKnown(saved), path: "banks.daybook"))"
        == "banks.daybook: transaction 1 may or may not be in the log banks, or too few servers have "
        + "it. outcome(of:) returns the outcome when it is known.")
    let stored = try JSONDecoder().decode(
      PendingOutcome.self, from: try JSONEncoder().encode(saved))
    #expect(stored == saved)
    let receipt = try await other.outcome(of: stored)
    #expect(receipt?.sequence == 1)
    #expect(receipt?.safety == .shared(serverCount: 1))
    // The machine itself sends its append again.
    #expect(try await store.outcome(of: saved)?.sequence == 1)
    #expect(log.groups.count == 2)

    planned.plan(.appendLost)
    let lost = try await pendingOutcome {
      _ = try await store.commit(waitingUpTo: .zero, body: insert(2))
    }
    // The server can still perform the append, as long as its number is free.
    #expect(
      await sentence { _ = try await other.outcome(of: lost) }
        == "\(StoreError(.notKnown(lost), path: "banks.daybook"))")
    try await other.insert(3)
    #expect(try await other.outcome(of: lost) == nil)
    #expect(try await store.outcome(of: lost) == nil)
    #expect(try store.ids == [1, 3])
    for store in [store, other] { try await store.close() }
  }

  @Test func `the changes can be saved again with the key of an outcome`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    let other = try await SharedMachine(2, log: log.connect()).open()
    planned.plan(.appendLost)
    let pending = try await pendingOutcome {
      _ = try await store.commit(waitingUpTo: .zero, body: insert(1))
    }
    let metadata = TransactionMetadata(idempotencyKey: pending.idempotencyKey)
    _ = try await other.commit(metadata, body: insert(1))
    // The first append has the number of the second one, which is a different transaction.
    #expect(try await store.outcome(of: pending)?.sequence == 1)
    #expect(try store.ids == [1])
    for store in [store, other] { try await store.close() }
  }

  @Test func `an outcome belongs to one journal`() async throws {
    let planned = PlannedLog(MemorySharedLog(name: "banks"))
    let store = try await SharedMachine(1, log: planned).open()
    planned.plan(.answerLost)
    let pending = try await pendingOutcome {
      _ = try await store.commit(waitingUpTo: .zero, body: insert(1))
    }
    let foreign = try await SharedMachine(2, log: MemorySharedLog(name: "shops")).open()
    let error = await sentence { _ = try await foreign.outcome(of: pending) }
    #expect(
      error.hasPrefix("banks.daybook: the file is a replica of the journal ")
        && error.hasSuffix(". Nothing was changed. Choose another path, or another log."))
    #expect(error.contains(", but the log banks contains the journal "))
    let alone = try Store(
      at: "alone.daybook", types: [SharedCounter.self],
      options: .simulated(SimulatedDisk(seed: 1)))
    #expect(
      await sentence { _ = try await alone.outcome(of: pending) }
        == "alone.daybook: the file is a journal of its own, and not a replica of the log banks. "
        + "Nothing was changed. Choose another path, or another log.")
    planned.isCut = true
    #expect(
      await sentence { _ = try await store.outcome(of: pending) }
        == "\(StoreError(.notKnown(pending), path: "banks.daybook"))")
    planned.isCut = false
    try await store.recover()
    for store in [store, foreign, alone] { try await store.close() }
  }

  @Test(arguments: ["", "0123", "zz", "0123456789abcdef0123456789ABCDEF"])
  func `a text that is no identity is refused`(digits: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([JournalIdentity].self, from: Data("[\"\(digits)\"]".utf8))
    }
  }

  // MARK: Servers

  @Test func `a commit can require a number of servers`() async throws {
    let log = MemorySharedLog(name: "banks")
    let planned = PlannedLog(log)
    let store = try await SharedMachine(1, log: planned).open()
    planned.serverCount = 1
    #expect(
      await sentence { _ = try await store.commit(minimumServers: 2, body: insert(1)) }
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be used: it stores a transaction on 1 server, and the save requires 2. Save it "
        + "again later.")
    #expect(log.groups.count == 1)
    // The log does not know its servers before the save.
    planned.serverCount = nil
    let pending = try await pendingOutcome {
      _ = try await store.commit(minimumServers: 2, body: insert(1))
    }
    #expect(pending.sequence == 1)
    planned.serverCount = 2
    #expect(try await store.outcome(of: pending)?.safety == .shared(serverCount: 2))
    _ = try await store.commit(minimumServers: 1, body: insert(2))
    #expect(try store.ids == [1, 2])
    try await store.close()
  }

  // MARK: The law

  @Test(arguments: 0..<FaultRow.count(40, full: 1_000, least: 10))
  func `each commit is saved once or not at all, and its outcome says which`(
    seed: Int
  ) async throws {
    var random = SplitMix64(seed: UInt64(seed))
    let log = MemorySharedLog(name: "banks")
    var logs = (0..<3).map { _ in PlannedLog(log) }
    let machines = logs.enumerated().map { SharedMachine($0, log: $1) }
    var stores: [Store] = []
    for machine in machines { stores.append(try await machine.open()) }
    var saved: Set<Int> = []
    var refused: Set<Int> = []
    var pending: [Int: PendingOutcome] = [:]
    for id in 1...30 {
      let number = Int.random(in: 0..<3, using: &random)
      if Int.random(in: 0..<6, using: &random) == 0 {
        // The process ends, with the appends that have no answer.
        try? await stores[number].close()
        logs[number] = PlannedLog(log)
        stores[number] = try await machines[number].open(connectedTo: logs[number])
      }
      let (store, rival) = (stores[number], stores[(number + 1) % 3])
      let plans: [PlannedLog.Plan] = [
        .works, .unavailable, .answerLost, .appendLost, .outpaced { try? await rival.insert(-id) },
      ]
      logs[number].plan(plans[Int.random(in: 0..<5, using: &random)])
      let limit = Int.random(in: 0..<2, using: &random) == 0 ? Duration.zero : Self.long
      do {
        _ = try await store.commit(waitingUpTo: limit, body: insert(id))
        saved.insert(id)
      } catch let error as StoreError {
        switch error.reason {
        case .notSaved: refused.insert(id)
        case .notKnown(let outcome): pending[id] = outcome
        default: throw error
        }
      }
      // A program can save again what is not known.
      guard let (again, outcome) = pending.first, Int.random(in: 0..<3, using: &random) == 0
      else { continue }
      let metadata = TransactionMetadata(idempotencyKey: outcome.idempotencyKey)
      if (try? await rival.commit(metadata, waitingUpTo: .zero, body: insert(again))) != nil {
        pending[again] = nil
        saved.insert(again)
      }
    }
    // Afterwards each number is taken.
    for (number, store) in stores.enumerated() {
      logs[number].plan()
      try await store.recover()
      try await store.insert(100 + number)
    }
    for (id, outcome) in pending {
      let receipts = [
        try await stores[0].outcome(of: outcome), try await stores[1].outcome(of: outcome),
      ]
      #expect(receipts[0] == receipts[1])
      if receipts[0] == nil { refused.insert(id) } else { saved.insert(id) }
    }
    for store in stores {
      try await store.pull()
      let ids = Set(try store.ids.filter { $0 > 0 && $0 <= 30 })
      #expect(ids == saved)
      #expect(ids.isDisjoint(with: refused))
      #expect(saved.count + refused.count == 30)
      try await store.close()
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
