import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Row 4: each call of a scripted run fails, once or permanently, in every way. Afterwards the
/// process is killed or power is lost, and no acknowledged transaction is missing.
@Suite struct `Failing calls` {
  static let codes: [Int32] = [EIO, ENOSPC, EINTR, EAGAIN, EACCES, EROFS, EMFILE]
  static let durabilities: [Durability] = [.full, .batched(interval: .milliseconds(1000))]

  @Test(arguments: durabilities)
  func `a failure of any call, once or permanent, loses nothing acknowledged`(
    _ durability: Durability
  ) throws {
    let callCount = try Self.callCount(durability)
    FaultRow.run(4, "the n-th call fails, \(durability)") { count in
      let step = FaultRow.step(167)
      var number = 1
      while number <= callCount {
        for code in Self.codes {
          Self.play(.fail(call: number, with: code), durability, "call \(number) fails: \(code)")
          Self.play(
            .failAlways(from: number, with: code), durability,
            "calls from \(number) on fail: \(code)")
          count += 2
        }
        Self.play(.short(call: number), durability, "call \(number) is cut short")
        Self.play(.shortAlways(from: number), durability, "calls from \(number) on are cut short")
        Self.play(.tornWrite(call: number, keeping: 100), durability, "call \(number) tears")
        count += 3
        number += step
      }
    }
  }

  @Test func `short calls and single interruptions cause no error`() throws {
    for plan in [FaultPlan.shortAlways(), .none] {
      let disk = SimulatedDisk()
      disk.plan = plan
      var work = JournalWork(seed: 4)
      work.run(JournalWork.script, on: disk)
      #expect(work.errors == [])
      #expect(work.acknowledged.count == JournalWork.scriptAppendCount)
    }
    let callCount = try Self.callCount(.full)
    for number in stride(from: 1, through: callCount, by: FaultRow.step(13)) {
      let disk = SimulatedDisk()
      disk.plan = .fail(call: number, with: EINTR, only: nil)
      disk.recordsCalls = true
      var work = JournalWork(seed: 4)
      work.run(JournalWork.script, on: disk)
      let interrupted = disk.log[number - 1].operation
      guard interrupted == .write || interrupted == .read else { continue }
      #expect(work.errors == [], "call \(number), \(interrupted)")
      #expect(
        work.acknowledged.count == JournalWork.scriptAppendCount, "call \(number), \(interrupted)")
    }
  }

  @Test func `a permanently interrupted call ends with an error`() throws {
    let disk = SimulatedDisk()
    disk.plan = .failAlways(from: 30, with: EINTR)
    var work = JournalWork(seed: 4)
    work.run(JournalWork.script, on: disk)
    #expect(!work.errors.isEmpty)
  }

  /// Returns the number of calls that the script makes without failures.
  static func callCount(_ durability: Durability) throws -> Int {
    let disk = SimulatedDisk()
    var work = JournalWork(seed: 4, durability: durability)
    work.run(JournalWork.script, on: disk)
    #expect(work.errors == [])
    #expect(work.acknowledged.count + work.uncertain.count == JournalWork.scriptAppendCount)
    return disk.callCount
  }

  /// Runs the script under a plan, then checks the disk after the end of the process and after
  /// power losses.
  static func play(_ plan: FaultPlan, _ durability: Durability, _ what: String) {
    let disk = SimulatedDisk()
    disk.plan = plan
    var work = JournalWork(seed: 4, durability: durability)
    work.run(JournalWork.script, on: disk)
    var generator = SplitMix64(seed: 4)
    let lost = [
      disk.powerLoss(.everythingLost), disk.powerLoss(.garbage), disk.powerLoss(using: &generator),
    ]
    disk.plan = .none
    disk.killProcess()
    work.oracle.check(disk, "\(what), then killed")
    for (index, disk) in lost.enumerated() {
      work.oracle.check(disk, "\(what), then power loss \(index)")
    }
  }
}
