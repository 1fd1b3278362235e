import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// Random failures of the disk while all callers save, read and recover concurrently.
///
/// Each transaction inserts one record, so a snapshot of transaction *n* has *n* records. A seed
/// decides the failures and the actions of each caller; the schedule of the threads is up to the
/// system.
@Suite("Recovery by many callers") struct RecoveringThreadTests {
  private static let durabilities: [Durability] = [
    .full, .batched(interval: .milliseconds(3_600_000)), .none,
  ]

  /// One store with a failing disk, and the outcomes that its callers received.
  private final class Trial: Sendable {
    static let callerCount = 6
    static let saveCount = 25

    let disk = SimulatedDisk()
    let store: Store
    let durability: Durability
    let fills: Bool
    private let received = Mutex(Received())

    struct Received {
      var saved: [Int] = []
      var durable: [Int] = []
      var unknown: [Int: Bool] = [:]
      var refused: [Int] = []
      var problems: [String] = []
    }

    init(seed: UInt64, _ durability: Durability, fills: Bool) throws {
      self.durability = durability
      self.fills = fills
      var generator = SplitMix64(seed: seed)
      disk.mapsFiles = generator.next() & 1 == 0
      store = try Store(at: "j", types: [Numbered.self], options: Trial.options(disk, durability))
      disk.clearLog()
      if !fills || generator.next() & 1 == 0 { disk.plan = Trial.plan(&generator) }
    }

    static func options(_ disk: SimulatedDisk, _ durability: Durability) -> JournalOptions {
      var options = JournalOptions.simulated(disk)
      options.durability = durability
      return options
    }

    /// Returns a plan that fails some of the calls that the callers make.
    private static func plan(_ generator: inout SplitMix64) -> FaultPlan {
      let operations: [DiskError.Operation] = [.sync, .write, .read, .status]
      var plan = FaultPlan.none
      for _ in 0..<1 + generator.next() % 6 {
        let operation = operations[Int(generator.next() % 4)]
        let call = 1 + Int(generator.next() % 60)
        let kept = Int(generator.next() % 200)
        plan = plan.combined(
          with:
            operation == .write && generator.next() & 1 == 0
            ? .tornWrite(call: call, keeping: kept, only: [.write])
            : .fail(call: call, with: EIO, only: [operation]))
      }
      return plan
    }

    func printProblem(_ problem: String) { received.withLock { $0.problems.append(problem) } }

    /// Saves records on a thread, and recovers after each failed save and sometimes without one.
    func run(caller: Int, seed: UInt64) {
      var life = Life(caller: caller, seed: seed)
      for id in life.ids {
        do throws(StoreError) {
          note(try makeContext(id, &life).saveAndWait(), id)
        } catch {
          heed(error, id)
        }
        look(&life)
      }
    }

    /// Does the same as ``run(caller:seed:)`` in a task.
    func runAsTask(caller: Int, seed: UInt64) async {
      var life = Life(caller: caller, seed: seed)
      for id in life.ids {
        do throws(StoreError) {
          note(try await makeContext(id, &life).save(isolation: nil), id)
        } catch {
          if life.generator.next() & 1 == 0 { _ = try? await store.recover() }
          heed(error, id)
        }
        look(&life)
      }
    }

    /// The plan and the observations of one caller.
    private struct Life {
      let ids: Range<Int>
      var generator: SplitMix64
      var last = SequenceNumber.zero

      init(caller: Int, seed: UInt64) {
        ids = caller * 1000..<caller * 1000 + Trial.saveCount
        generator = SplitMix64(seed: seed &* 31 &+ UInt64(caller))
      }
    }

    private func makeContext(_ id: Int, _ life: inout Life) throws(StoreError) -> EditingContext {
      if fills, life.generator.next() % 4 == 0 {
        disk.capacity = life.generator.next() & 1 == 0 ? 0 : nil
      }
      let context = store.makeContext(isolation: nil)
      let name = String(repeating: "x", count: fills ? 5000 : 10)
      try context.insert(Numbered(id: id, name: name))
      return context
    }

    private func note(_ receipt: Receipt?, _ id: Int) {
      received.withLock { received in
        received.saved.append(id)
        if receipt?.safety == .durable { received.durable.append(id) }
      }
      guard let receipt else { return printProblem("\(id) is saved without a receipt") }
      if store.snapshot.sequence < receipt.sequence {
        printProblem("\(receipt.sequence) is saved and not shown")
      }
    }

    private func look(_ life: inout Life) {
      if life.generator.next() % 8 == 0 { _ = try? store.recoverAndWait() }
      let snapshot = store.snapshot
      let count = snapshot.count(of: Numbered.schema.entity)
      if snapshot.sequence < life.last {
        printProblem("\(snapshot.sequence) is shown after \(life.last)")
      }
      if UInt64(count) != snapshot.sequence.rawValue {
        printProblem("\(count) records at \(snapshot.sequence)")
      }
      life.last = snapshot.sequence
    }

    private func heed(_ error: StoreError, _ id: Int) {
      switch error.reason {
      case .unknown(let append):
        while (try? store.recoverAndWait()) == nil {
          // All callers may be here, so this caller has to make space.
          if fills { disk.capacity = nil }
          sched_yield()
        }
        let isIncluded = store.isIncluded(append)
        let isShown = (try? store.snapshot.object(Numbered.self, id: id)) != nil
        if isIncluded != isShown {
          printProblem("\(append.sequence): included \(isIncluded as Any), shown \(isShown)")
        }
        received.withLock { $0.unknown[id] = isIncluded }
      case .journal(let journal):
        switch journal.reason {
        case .stopped, .diskFull, .precedingRefused, .system: break
        default: printProblem("\(error)")
        }
        _ = try? store.recoverAndWait()
        received.withLock { $0.refused.append(id) }
      default:
        printProblem("\(error)")
      }
    }

    /// Compares the callers' outcomes with the store, with the state after a power loss, and with
    /// the reopened store.
    func check(seed: UInt64) throws {
      disk.plan = .none
      disk.capacity = nil
      try store.recoverAndWait()
      let received = received.withLock { $0 }
      #expect(received.problems == [], "seed \(seed), \(durability), fills: \(fills)")
      let included = received.unknown.filter(\.value).keys
      let expected = (received.saved + included).sorted()
      let shown = try store.snapshot.objects(Numbered.self)
      #expect(shown.map(\.id).sorted() == expected, "seed \(seed), \(durability)")

      let lost = disk.powerLoss(.everythingLost)
      try Audit.$isOff.withValue(true) {
        let found = try Store(
          at: "j", types: [Numbered.self], options: Trial.options(lost, durability))
        let ids = try found.snapshot.objects(Numbered.self).map(\.id)
        #expect(Array(shown.map(\.id).prefix(ids.count)) == ids, "seed \(seed), \(durability)")
        #expect(Set(received.durable).isSubset(of: ids), "seed \(seed), \(durability)")
        try found.closeAndWait()
      }
      try store.closeAndWait()
      let again = try Store(
        at: "j", types: [Numbered.self], options: Trial.options(disk, durability))
      #expect(try again.snapshot.objects(Numbered.self) == shown, "seed \(seed), \(durability)")
      #expect(again.snapshot.sequence == store.snapshot.sequence)
      try again.closeAndWait()
    }
  }

  @Test(arguments: durabilities, [false, true])
  func `threads that recover, save and read concurrently lose nothing acknowledged`(
    durability: Durability, fills: Bool
  ) throws {
    try FaultRow.run(4, "random calls fail and threads recover, \(durability), fills: \(fills)") {
      count in
      for seed in 0..<UInt64(FaultRow.count(100, full: 1000)) {
        let trial = try Trial(seed: seed, durability, fills: fills)
        let callers = (0..<Trial.callerCount).map { caller in
          TestThread { trial.run(caller: caller, seed: seed) }
        }
        for caller in callers { caller.value() }
        try trial.check(seed: seed)
        count += 1
      }
    }
  }

  @Test(arguments: durabilities, [false, true])
  func `tasks that recover, save and read concurrently lose nothing acknowledged`(
    durability: Durability, fills: Bool
  ) async throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 1000)) {
      let trial = try Trial(seed: seed, durability, fills: fills)
      await withTaskGroup(of: Void.self) { group in
        for caller in 0..<Trial.callerCount {
          group.addTask { await trial.runAsTask(caller: caller, seed: seed) }
        }
      }
      try trial.check(seed: seed)
    }
  }
}
