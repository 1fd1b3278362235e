import Daybook
import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookCLibrary
import DaybookTesting
import TestSupport
import Testing

/// The guarantees for tests that count the calls of a simulated disk.
@Suite struct `A simulated store` {
  /// The results of one run of the script.
  private struct Run: Equatable {
    var calls: [DiskCall]
    var outcomes: [String]
    var files: [String: [UInt8]]
  }

  /// Opens, saves, lists, writes derived files, is killed and opens again.
  ///
  /// The stores are neither closed nor released before the calls are read. Other tests of the
  /// process may compare every store with its journal when it ends, which makes calls too.
  ///
  /// - Parameter pause: Called between the steps.
  private func run(
    plan: FaultPlan = .none, mapsFiles: Bool, clock: ManualClock = ManualClock(),
    pause: () -> Void = {}
  ) -> Run {
    let disk = SimulatedDisk()
    disk.mapsFiles = mapsFiles
    disk.recordsCalls = true
    disk.plan = plan
    var outcomes: [String] = []
    func step(_ body: () throws -> String) {
      do { outcomes.append(try body()) } catch { outcomes.append("\(error)") }
      pause()
    }
    var stores: [Store] = []
    for round in 0..<2 {
      var opened: Store?
      step {
        opened = try Store.simulated(records: Game.self, Club.self, on: disk, clock: clock)
        return "opened"
      }
      guard let store = opened else { continue }
      stores.append(store)
      let context = store.makeContext()
      let controller = FetchedResultsController(
        fetchRequest: ListRequest<Game>(sortedBy: [.ascending(\Game.name)]), context: context,
        cacheName: "games")
      step { "\(try controller.performFetch())" }
      for id in 0..<4 {
        step {
          try context.insert(Game(id: round * 10 + id, name: "game \(9 - id)"))
          return try context.saveAndWait().map { "saved \($0.sequence)" } ?? "nothing"
        }
      }
      step {
        store.performDueWork()
        return "\(controller.fetchedObjects?.count ?? 0)"
      }
      step {
        store.writeCheckpoint()
        return "\(store.snapshot.sequence)"
      }
      disk.killProcess()
    }
    // A checkpoint has the same size in every run, but a random seed for the marks of idempotency
    // keys.
    let files = disk.paths.map { path in
      let bytes = disk.contents(of: path) ?? []
      return (path, path.contains("-checkpoint-") ? Array("\(bytes.count)".utf8) : bytes)
    }
    let calls = disk.log
    withExtendedLifetime(stores) {}
    return Run(calls: calls, outcomes: outcomes, files: Dictionary(uniqueKeysWithValues: files))
  }

  /// Lets more real time pass than a journal waits before it marks its end.
  private func passRealTime() {
    let clock = MachineClock()
    let start = clock.uptimeNanoseconds
    until { clock.uptimeNanoseconds - start > 60_000_000 }
  }

  @Test(arguments: [false, true])
  func `a script makes the same calls while real time passes`(mapsFiles: Bool) {
    let quick = run(mapsFiles: mapsFiles)
    let slow = run(mapsFiles: mapsFiles, pause: passRealTime)
    #expect(quick.outcomes == slow.outcomes)
    #expect(quick.calls == slow.calls)
    let isSame = quick == slow
    #expect(isSame)
    #expect(quick.outcomes.filter { $0.hasPrefix("saved") }.count == 8)
    #expect(quick.files.keys.contains { $0.contains("-cache-") } == mapsFiles || !mapsFiles)
  }

  @Test func `every fault plan meets the same call in every run, also on a loaded machine`() {
    let count = run(mapsFiles: false).calls.count
    #expect(count > 40)
    // Two runs at a time disturb each other as much as a machine of two processors can.
    for call in stride(from: 1, through: count, by: FaultRow.step(13)) {
      let plan =
        call % 4 == 0
        ? FaultPlan.losePower(at: call, seed: UInt64(call)) : .fail(call: call, with: EIO)
      let other = TestThread { run(plan: plan, mapsFiles: false) }
      let own = run(plan: plan, mapsFiles: false)
      // Not compared in the expectation, which would print every byte.
      let isSame = own == other.value()
      #expect(isSame, "call \(call)")
    }
  }

  @Test func `an interval passes only where the clock is advanced`() throws {
    let disk = SimulatedDisk()
    let clock = ManualClock()
    let store = try Store.simulated(records: Game.self, Club.self, on: disk, clock: clock)
    let context = store.makeContext()
    try context.insert(Game(id: 1))
    try context.saveAndWait()
    store.performDueWork()
    disk.clearLog()
    store.performDueWork()
    #expect(disk.callCount == 0)
    clock.advance(by: .seconds(1))
    store.performDueWork()
    #expect(disk.callCount > 0)
    disk.clearLog()
    store.performDueWork()
    #expect(disk.callCount == 0)
    try store.closeAndWait()
  }

  @Test func `transactions have the time of the clock`() throws {
    let clock = ManualClock(now: JournalTime(nanoseconds: 1_000))
    let store = try Store.simulated(records: Game.self, Club.self, clock: clock)
    let context = store.makeContext()
    try context.insert(Game(id: 1))
    #expect(try context.saveAndWait()?.time == JournalTime(nanoseconds: 1_000))
    clock.advance(by: .nanoseconds(5))
    try context.insert(Game(id: 2))
    #expect(try context.saveAndWait()?.time == JournalTime(nanoseconds: 1_005))
  }

  @Test func `a store saves at the last moments that a journal can express`() throws {
    let clock = ManualClock(now: JournalTime(nanoseconds: .max - 100))
    let store = try Store.simulated(records: Game.self, Club.self, clock: clock)
    let context = store.makeContext()
    for id in 0..<3 {
      try context.insert(Game(id: id))
      try context.saveAndWait()
      clock.advance(by: .milliseconds(146))
      store.performDueWork()
    }
    #expect(store.snapshot.time == JournalTime(nanoseconds: .max))
    #expect(try store.snapshot(at: 2).count(of: Game.self) == 2)
    try store.closeAndWait()
  }
}
