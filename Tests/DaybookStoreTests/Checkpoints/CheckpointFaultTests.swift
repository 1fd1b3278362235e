import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@_spi(Tools) @testable import DaybookStore

/// The law: whatever fails while a checkpoint is written or read, the state is that of the journal.
@Suite struct `Checkpoints on failing disks` {
  typealias Place = CheckpointPlace

  /// Returns a disk with a journal, two checkpoints and some transactions after them.
  private func before() throws -> SimulatedDisk {
    let (place, disk) = Place.simulated()
    var random = SplitMix64(seed: 9)
    for _ in 0..<2 {
      let store = try place.open()
      try place.change(store, times: 6, &random)
      try store.closeAndWait()
    }
    let store = try place.open()
    try place.change(store, times: 3, &random)
    disk.killProcess()
    #expect(try place.names.count == 2)
    return disk
  }

  /// Opens and closes a store, which writes a checkpoint.
  private func session(_ disk: SimulatedDisk) throws -> Store {
    let store = try Place(disk: disk).open()
    store.derivedWork.finish()
    return store
  }

  private func check(_ disk: SimulatedDisk, _ what: String) throws -> SequenceNumber? {
    disk.plan = .none
    disk.killProcess()
    let place = Place(disk: disk)
    let store = try place.open()
    #expect(Audit.differences(store.snapshot, try place.read().snapshot) == [], "\(what)")
    let from = store.statistics.checkpoints?.openedFrom
    disk.killProcess()
    return from
  }

  @Test func `failed calls while writing a checkpoint leave a usable one`() throws {
    let before = try before()
    let sequences = try sequences(before)
    func run(_ plan: FaultPlan) throws -> (disk: SimulatedDisk, callCount: Int, received: Bool) {
      let disk = before.copy()
      let store = try Place(disk: disk).open()
      disk.clearLog()
      disk.plan = plan
      store.derivedWork.finish()
      let received = store.statistics.checkpoints?.failure != nil
      return (disk, disk.callCount, received)
    }
    let callCount = try run(.none).callCount
    #expect(callCount > 10)
    var failures = 0
    for call in 1...callCount {
      for plan in [FaultPlan.fail(call: call, with: EIO), .failAlways(from: call, with: EIO)] {
        let (disk, _, received) = try run(plan)
        if received { failures += 1 }
        let from = try check(disk, "call \(call)")
        // A failed checkpoint replaces at most the older one.
        #expect(from.map { $0 >= sequences.newest } == true, "call \(call): \(from as Any)")
      }
    }
    #expect(failures > callCount / 2)
  }

  @Test func `a checkpoint that cannot be read is replaced by the other one`() throws {
    let before = try before()
    let sequences = try sequences(before)
    let reading = before.copy()
    reading.recordsCalls = true
    _ = try Place(disk: reading).open()
    let calls = reading.log.enumerated().filter { $0.element.path.contains("-checkpoint-") }
    #expect(calls.count > 6)
    for (index, _) in calls {
      let disk = before.copy()
      disk.plan = .fail(call: index + 1, with: EIO)
      let store = try Place(disk: disk).open()
      let from = store.statistics.checkpoints?.openedFrom
      #expect([sequences.newest, sequences.older].contains(from), "call \(index): \(from as Any)")
      #expect(Audit.differences(store.snapshot, try store.replayed()) == [], "call \(index)")
    }
  }

  @Test func `a checkpoint written during a power loss is complete or ignored`() throws {
    let before = try before()
    let last = try session(before.copy()).snapshot.sequence
    let sequences = try sequences(before)
    func run(_ plan: FaultPlan, seed: UInt64) throws -> (after: SimulatedDisk, callCount: Int) {
      var generator = SplitMix64(seed: seed)
      let disk = before.copy()
      let store = try Place(disk: disk).open()
      disk.clearLog()
      disk.plan = plan
      store.derivedWork.finish()
      let callCount = disk.callCount
      return (disk.powerLoss(using: &generator), callCount)
    }
    try FaultRow.run(6, "power lost while a checkpoint is written") { count in
      var found: Set<SequenceNumber?> = []
      let callCount = try run(.none, seed: 0).callCount
      for call in 1...callCount + 1 {
        for seed in 0..<UInt64(FaultRow.count(80, full: 640)) {
          let (after, _) = try run(.losePower(at: call, seed: seed), seed: seed)
          found.insert(try check(after, "call \(call), seed \(seed)"))
          count += 1
        }
      }
      #expect(found == [sequences.newest, last])
    }
  }

  @Test func `a checkpoint on a disk with lying syncs is complete or ignored`() throws {
    let before = try before()
    try FaultRow.run(5, "power lost behind a checkpoint whose sync lied") { count in
      var found: [SequenceNumber?: Int] = [:]
      for seed in 0..<UInt64(FaultRow.count(400, full: 4000, least: 8)) {
        var generator = SplitMix64(seed: seed)
        let disk = before.copy()
        let store = try Place(disk: disk).open()
        disk.plan = .ignoreSync(only: [.sync])
        store.derivedWork.finish()
        found[try check(disk.powerLoss(using: &generator), "seed \(seed)"), default: 0] += 1
        count += 1
      }
      #expect(found.count >= 2, "\(found)")
    }
  }

  @Test func `a checkpoint without disk space leaves the existing ones`() throws {
    let disk = try before()
    let sequences = try sequences(disk)
    let store = try Place(disk: disk).open()
    disk.capacity = 1
    store.derivedWork.finish()
    let failure = try #require(store.statistics.checkpoints?.failure).description
    #expect(
      failure.replacing(/new-[0-9a-f]{16}/, with: "new-…") == """
        /disk/j-checkpoint-a: the disk is full. Nothing was written, and the existing contents are \
        intact. Free some space and try again.
        """)
    // A checkpoint that is not started keeps the failure; one that is written clears it.
    disk.capacity = nil
    store.checkpoints?.write(nil, at: 0)
    let unwritten = store.statistics.checkpoints
    #expect(unwritten?.failure != nil && unwritten?.writeCount == 0)
    #expect(try check(disk.copy(), "full") == sequences.newest)
    store.writeCheckpoint()
    let written = store.statistics.checkpoints
    #expect(written?.failure == nil && written?.writeCount == 1)
  }

  /// Returns the sequence numbers of the checkpoints on a disk.
  private func sequences(
    _ disk: SimulatedDisk
  ) throws -> (newest: SequenceNumber, older: SequenceNumber) {
    let copy = disk.copy()
    let newest = try #require(try Place(disk: copy).open().statistics.checkpoints?.openedFrom)
    copy.killProcess()
    let names = ["j-checkpoint-a", "j-checkpoint-b"]
    var found: Set<SequenceNumber> = []
    for name in names {
      let other = disk.copy()
      try other.remove("/disk/" + name)
      if let from = try Place(disk: other).open().statistics.checkpoints?.openedFrom {
        found.insert(from)
      }
    }
    return (newest, try #require(found.first { $0 != newest }))
  }

  @Test func `opening, saving, checkpointing and closing list no directory`() throws {
    let (place, disk) = Place.simulated()
    var random = SplitMix64(seed: 3)
    for session in 0..<3 {
      disk.clearLog()
      disk.recordsCalls = true
      disk.plan = .failAlways(from: 1, with: EIO, only: [.list])
      let store = try place.open()
      #expect((store.statistics.checkpoints?.openedFrom == nil) == (session == 0))
      try place.change(store, times: 6, &random)
      try store.closeAndWait()
      #expect(store.statistics.checkpoints?.writeCount == 1)
      disk.plan = .none
      #expect(disk.log.filter { $0.operation == .list } == [], "session \(session)")
    }
    #expect(try place.names.count == 2)
  }
}
