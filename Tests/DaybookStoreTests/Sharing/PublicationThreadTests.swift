import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// The publication of a journal, which becomes a replica of its log.
@Suite struct `Publication of a journal` {
  /// A machine with a journal that is no replica.
  private func machine(_ seed: Int, transactionCount: Int, noteByteCount: Int = 10) async throws
    -> SharedMachine
  {
    let machine = SharedMachine(seed, log: MemorySharedLog())
    let store = try Store(
      at: SharedMachine.path, types: [SharedCounter.self], options: .simulated(machine.disk))
    for id in 0..<transactionCount {
      try await store.write(isolation: nil) {
        try $0.insert(
          SharedCounter(id: id, count: seed, note: String(repeating: "x", count: noteByteCount)))
      }
    }
    try await store.close()
    return machine
  }

  private func publish(
    _ machine: SharedMachine, to log: any SharedLog
  ) async throws -> PublicationReport {
    try await Store.publish(
      at: SharedMachine.path, to: log, options: .simulated(machine.disk))
  }

  private func sentence(of call: () async throws -> Void) async -> String? {
    do {
      try await call()
      return nil
    } catch { return "\(error)" }
  }

  @Test func `a published journal is a replica, and another machine gets the same bytes`()
    async throws
  {
    let log = MemorySharedLog(name: "banks")
    let first = try await machine(1, transactionCount: 7)
    let report = try await publish(first, to: log.connect())
    #expect(report.last == 7 && report.transactionCount == 7)
    #expect(log.frames == first.frames)

    let second = SharedMachine(2, log: log.connect())
    let store = try await second.open()
    #expect(try store.snapshot.count(of: SharedCounter.self) == 7)
    try await store.write(isolation: nil) { context in
      try context.update(SharedCounter.self, id: 3) { $0.count = 100 }
    }
    try await store.close()
    let again = try await first.open(connectedTo: log.connect())
    #expect(try again.snapshot.object(SharedCounter.self, id: 3)?.count == 100)
    try await again.write(isolation: nil) { try $0.insert(SharedCounter(id: 7)) }
    try await again.close()
    try await second.open(connectedTo: log.connect()).close()
    #expect(first.frames == log.frames)
    #expect(second.frames == log.frames)
  }

  @Test func `an empty and a compacted journal can be published`() async throws {
    let log = MemorySharedLog()
    let empty = try await machine(1, transactionCount: 0)
    #expect(try await publish(empty, to: log.connect()).last == 0)
    #expect(log.frames == empty.frames)

    let other = MemorySharedLog()
    let compacted = try await machine(2, transactionCount: 5)
    let options = JournalOptions.simulated(compacted.disk)
    _ = try await WorkerThreads.shared.value {
      Result { try Store.compact(at: SharedMachine.path, options: options) }
    }.get()
    let report = try await publish(compacted, to: other.connect())
    #expect(report.last == 5 && report.transactionCount == 0)
    #expect(other.groups.count == 1)
    let clone = try await SharedMachine(3, log: other.connect()).open()
    #expect(try clone.snapshot.count(of: SharedCounter.self) == 5)
    try await clone.close()
  }

  @Test(arguments: 1...8) func `a publication with faults continues where it ended`(
    _ seed: Int
  ) async throws {
    let log = MemorySharedLog()
    let machine = try await machine(seed, transactionCount: 7, noteByteCount: 400_000)
    var isPublished = false
    for attempt in 0..<100 where !isPublished {
      let faulty = FaultySharedLog(
        over: log.connect(), plan: .random(seed: UInt64(seed * 1000 + attempt), percent: 40))
      do {
        #expect(try await publish(machine, to: faulty).transactionCount == 7)
        isPublished = true
      } catch let error as StoreError {
        guard case .journal(let cause) = error.reason, case .sharedLog = cause.reason else {
          throw error
        }
      }
    }
    #expect(isPublished)
    #expect(log.frames == machine.frames)
    #expect(log.groups.count > 2)
  }

  @Test func `a log that continues the journal makes it a replica`() async throws {
    let log = MemorySharedLog()
    let first = try await machine(1, transactionCount: 3)
    var copy = first
    copy.disk = first.disk.copy()
    _ = try await publish(first, to: log.connect())
    let store = try await first.open(connectedTo: log.connect())
    try await store.write(isolation: nil) { try $0.insert(SharedCounter(id: 9)) }
    try await store.close()
    #expect(try await publish(copy, to: log.connect()).last == 3)
    try await copy.open(connectedTo: log.connect()).close()
    #expect(copy.frames == log.frames)
  }

  @Test func `an append of an earlier publication that arrives late is the same append`()
    async throws
  {
    let log = MemorySharedLog()
    let first = try await machine(1, transactionCount: 3)
    var copy = first
    copy.disk = first.disk.copy()
    _ = try await publish(first, to: log.connect())
    let late = LateLog(log.connect(), hidesHead: true)
    #expect(try await publish(copy, to: late).last == 3)
    #expect(log.groups.count == 2)
  }

  @Test func `an empty read does not prove that a log continues the journal`() async throws {
    let log = MemorySharedLog(name: "banks")
    let first = try await machine(1, transactionCount: 3)
    var copy = first
    copy.disk = first.disk.copy()
    _ = try await publish(first, to: log.connect())
    let store = try await first.open(connectedTo: log.connect())
    try await store.write(isolation: nil) { try $0.insert(SharedCounter(id: 9)) }
    try await store.close()
    let found = await sentence {
      _ = try await publish(copy, to: LateLog(log.connect(), hidesHead: false))
    }
    #expect(
      found == """
        banks.daybook: the transaction is not saved, because of its shared log. The log banks cannot \
        be reached: it does not return transaction 4. The replica can be read.
        """)
  }

  @Test func `a log with other contents is refused`() async throws {
    let log = MemorySharedLog(name: "banks")
    let first = try await machine(1, transactionCount: 3)
    var fork = first
    fork.disk = first.disk.copy()
    _ = try await publish(first, to: log.connect())
    #expect(
      await sentence { _ = try await publish(first, to: log.connect()) }
        == "banks.daybook: the file is a replica of the log banks, and only a program that shares "
        + "the log may write to it. Nothing was changed. Open it with sharing:, or open it for "
        + "reading.")

    // The log goes on with transaction 4, and a copy of the journal with a different one.
    let shared = try await first.open(connectedTo: log.connect())
    try await shared.write(isolation: nil) { try $0.insert(SharedCounter(id: 10)) }
    let refusal = """
      banks.daybook: the transaction is not saved, because of its shared log. The log banks cannot \
      be used: its transaction 4 is not that of the journal. Another machine can have saved to the \
      log before the publication was complete. The journal was not changed, and can be published \
      under a new name. The replica can be read.
      """
    for id in 20..<23 {
      let store = try Store(
        at: SharedMachine.path, types: [SharedCounter.self], options: .simulated(fork.disk))
      try await store.write(isolation: nil) { try $0.insert(SharedCounter(id: id)) }
      try await store.close()
      // The log is as long as the copy, then shorter, then longer.
      if id == 22 {
        for id in 11..<15 {
          try await shared.write(isolation: nil) { try $0.insert(SharedCounter(id: id)) }
        }
      }
      let found = await sentence { _ = try await publish(fork, to: log.connect()) }
      let last = id == 22 ? "transaction 6" : "transaction 4"
      #expect(found == refusal.replacing("transaction 4", with: last))
    }
    try await shared.close()

    let stranger = try await machine(2, transactionCount: 1)
    let other = await sentence { _ = try await publish(stranger, to: log.connect()) }
    #expect(
      other?.hasPrefix("banks.daybook: the file is a replica of the journal ") == true
        && other?.hasSuffix(" Nothing was changed. Choose another path, or another log.") == true,
      "\(other ?? "")")
  }
}

/// A connection whose first answer is late: it does not show the head, or the groups after the first
/// one.
private struct LateLog: SharedLog {
  private let log: any SharedLog
  private let hidesHead: Bool

  init(_ log: any SharedLog, hidesHead: Bool) { (self.log, self.hidesHead) = (log, hidesHead) }

  var name: String { log.name }

  func head() async throws(SharedLogError) -> SharedHead? { hidesHead ? nil : try await log.head() }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try await log.append(group)
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    first == .zero ? try await log.read(from: first, byteCount: byteCount) : []
  }

  func changes() -> AsyncStream<Void> { log.changes() }

  func close() async { await log.close() }
}
