import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookStore

/// The law: whatever fails while steps run, the journal contains all of them or none.
@Suite struct `Migrations on failing disks` {
  /// Returns whether a journal is migrated. A journal that is partly migrated is reported.
  private func isMigrated(_ disk: SimulatedDisk, _ what: String) throws -> Bool {
    disk.plan = .none
    let store = try Store(reading: "j", types: [], options: .simulated(disk))
    let isMigrated = store.schemaVersion == 2
    #expect(store.snapshot.sequence == (isMigrated ? 3 : 2), "\(what)")
    #expect(isMigrated || store.schemaVersion == 0, "\(what)")
    let count =
      store.snapshot.frozen.catalog.index(of: "Address") == nil
      ? 0 : try store.snapshot.objects("Address").count
    #expect(count == (isMigrated ? 1 : 0), "\(what)")
    // The steps run at the next opening, if they did not run before.
    let again = try People.new(on: disk)
    #expect(again.openingReport.migrationSteps.isEmpty == isMigrated, "\(what)")
    #expect(try again.snapshot.objects(People.New.self) == People.migrated, "\(what)")
    #expect(try again.snapshot.objects(People.Address.self) == People.addresses, "\(what)")
    #expect(again.snapshot.sequence == 3, "\(what)")
    try again.closeAndWait()
    return isMigrated
  }

  private func run(_ plan: FaultPlan, on disk: SimulatedDisk) -> Bool {
    disk.clearLog()
    disk.plan = plan
    return (try? People.new(on: disk)) != nil
  }

  @Test func `a power loss during a migration leaves the journal before or after it`() throws {
    let before = try People.disk()
    let whole = before.copy()
    #expect(run(.none, on: whole))
    let callCount = whole.callCount
    #expect(callCount > 5)
    var found: Set<Bool> = []
    try FaultRow.run(6, "power lost during a migration") { count in
      for call in 1...callCount + 1 {
        for seed in 0..<UInt64(FaultRow.count(40, full: 640, least: 8)) {
          let disk = before.copy()
          let isOpen = run(.losePower(at: call, seed: seed), on: disk)
          var generator = SplitMix64(seed: seed)
          let after = disk.powerLoss(using: &generator)
          let isMigrated = try isMigrated(after, "call \(call), seed \(seed)")
          // An opening that returns has written everything durably.
          #expect(isMigrated || !isOpen, "call \(call), seed \(seed)")
          found.insert(isMigrated)
          count += 1
        }
      }
    }
    #expect(found == [true, false])
  }

  @Test func `a failing call during a migration leaves the journal before or after it`() throws {
    let before = try People.disk()
    let whole = before.copy()
    #expect(run(.none, on: whole))
    var found: Set<Bool> = []
    for call in 1...whole.callCount {
      for plan in [FaultPlan.fail(call: call, with: EIO), .failAlways(from: call, with: ENOSPC)] {
        let disk = before.copy()
        let isOpen = run(plan, on: disk)
        disk.killProcess()
        let isMigrated = try isMigrated(disk, "call \(call)")
        #expect(isMigrated || !isOpen, "call \(call)")
        found.insert(isOpen)
      }
    }
    #expect(found == [true, false])
  }
}
