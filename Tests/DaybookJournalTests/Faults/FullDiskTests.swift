import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Row 16: a disk becomes full at any byte, and has free space again later.
@Suite struct `A full disk` {
  @Test func `a full disk refuses appends, and free space lets them continue`() throws {
    try FaultRow.run(16, "disk full at every byte of a growing run, then freed") { count in
      let roomMax = try room(forRunOf: 0)
      let total = FaultRow.count(200, full: 2_000)
      for index in 0..<total {
        count += 1
        // The capacities are evenly distributed over the run, and some are odd.
        let capacity = 16384 + index * (roomMax - 16384) / total + index % 7
        try fill(to: capacity, seed: UInt64(index))
      }
    }
  }

  /// Returns the number of bytes that a run needs.
  private func room(forRunOf seed: UInt64) throws -> Int {
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: ReferenceJournal.path, options: .simulated(disk))
    for payload in payloads(seed) { try journal.mustAppend(payload) }
    return disk.paths.reduce(0) { $0 + (disk.contents(of: $1)?.count ?? 0) }
  }

  private func payloads(_ seed: UInt64) -> [[UInt8]] {
    ReferenceJournal.payloads(seed: seed, count: 200)
  }

  private func fill(to capacity: Int, seed: UInt64) throws {
    let disk = SimulatedDisk()
    disk.capacity = 1 << 30
    var options = JournalOptions.simulated(disk)
    options.durability = seed % 3 == 0 ? .batched(interval: .milliseconds(1000)) : .full
    let journal = try FileJournal(at: ReferenceJournal.path, options: options)
    disk.capacity = capacity
    var oracle = Oracle(submitted: [], acknowledgedCount: 0)
    var refusedCount = 0
    for payload in payloads(seed) {
      do {
        try journal.mustAppend(payload)
        oracle.submitted.append(payload)
        journal.tend()
      } catch let error as JournalError where error.reason == .diskFull {
        refusedCount += 1
        // From time to time some space becomes free.
        if refusedCount % 20 == 0 { disk.capacity = (disk.capacity ?? 0) + 3000 }
        #expect(journal.acceptedHead.sequence.rawValue == UInt64(oracle.submitted.count))
      }
    }
    if seed % 3 == 0 { try journal.syncAndWait() }
    oracle.acknowledgedCount = oracle.submitted.count
    #expect(try journal.payloads() == oracle.submitted, "seed \(seed)")
    // Check the disk after a power loss, then free space and continue.
    var generator = SplitMix64(seed: seed)
    let lost = disk.powerLoss(using: &generator)
    lost.capacity = nil
    oracle.check(lost, "seed \(seed), \(capacity) bytes, power lost")
    disk.capacity = nil
    let last = [UInt8](repeating: 7, count: 200_000)
    try journal.mustAppend(last)
    try journal.closeAndWait()
    oracle.submitted.append(last)
    oracle.acknowledgedCount += 1
    oracle.check(disk, "seed \(seed), \(capacity) bytes")
  }

  @Test func `a full disk refuses a large append and accepts a later small one`() throws {
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    try journal.mustAppend([1])
    disk.capacity = 0
    for round in 0..<10 as Range<UInt8> {
      #expect(
        sentence { try journal.mustAppend([UInt8](repeating: 2, count: 200_000)) }.hasPrefix(
          "a: the disk is full."))
      try journal.mustAppend([round])
    }
    try journal.closeAndWait()
    #expect(disk.paths == ["/disk/a", "/disk/a-end"])
    #expect(
      try FileJournal(at: "a", options: .simulated(disk)).payloads() == [[1]]
        + (0..<10).map { [$0] })
  }

  @Test func `failed preallocation is tried again only after the next append`() throws {
    let disk = SimulatedDisk()
    let journal = try FileJournal(at: "a", options: .simulated(disk))
    // Most of the preallocated space is used, so more is requested.
    try journal.mustAppend([1])
    try journal.mustAppend([UInt8](repeating: 1, count: 60_000))
    disk.capacity = 0
    #expect(journal.tend() != 0)
    let callCount = disk.callCount
    for _ in 0..<3 { journal.tend() }
    #expect(disk.callCount == callCount)
    disk.capacity = nil
    try journal.mustAppend([2])
    let before = disk.contents(of: "a")?.count ?? 0
    journal.tend()
    #expect(disk.contents(of: "a")?.count ?? 0 > before)
  }

  @Test func `opening a torn journal on a full disk leaves no files`() throws {
    let disk = SimulatedDisk()
    var crafted = CraftedJournal()
    crafted.append([1])
    let torn = crafted.bytes(zeros: 0) + [UInt8](repeating: 9, count: 5000)
    disk.setContents(torn, at: "a")
    disk.capacity = torn.count + 1000
    for _ in 0..<3 {
      #expect(
        sentence { _ = try FileJournal(at: "a", options: .simulated(disk)) }.hasPrefix(
          "a: the disk is full."))
      #expect(disk.contents(of: "a") == torn)
      #expect(disk.paths == ["/disk/a"])
    }
    disk.capacity = nil
    #expect(try FileJournal(at: "a", options: .simulated(disk)).payloads() == [[1]])
    #expect(disk.contents(of: "a-torn-2") == [UInt8](repeating: 9, count: 5000))
  }

  /// Syncing written bytes needs no more space.
  @Test func `closing during refused appends syncs, marks and closes`() throws {
    for closesBehind in [1, 2] {
      for round in 0..<20 {
        let disk = SimulatedDisk()
        let gate = Gate()
        var passing = PassingDisk(disk)
        passing.beforeWrite = { _, _ in gate.pass() }
        var options = JournalOptions.simulated(disk)
        options.disk = passing
        options.durability = .batched(interval: .milliseconds(1000))
        let journal = try FileJournal(at: "a", options: options)
        try journal.mustAppend([1])
        disk.capacity = 0
        gate.shut()
        // The first thread leads and waits at the gate. The others form the next group.
        let large = [UInt8](repeating: 1, count: 200_000)
        let first = TestThread {
          sentence { try journal.mustAppend(closesBehind == 1 ? large : [2]) }
        }
        until { gate.arrivedCount == 1 }
        let second = TestThread { sentence { try journal.mustAppend(large) } }
        until { journal.acceptedHead.sequence == 3 }
        let closing = TestThread { sentence { try journal.closeAndWait() } }
        for _ in 0..<round * 10 { sched_yield() }
        gate.open()
        #expect(closing.value() == "nothing is thrown")
        _ = (first.value(), second.value())
        var generator = SplitMix64(seed: UInt64(round))
        let lost = disk.powerLoss(using: &generator)
        lost.capacity = nil
        let again = try FileJournal(at: "a", options: .simulated(lost))
        #expect(try again.payloads() == (closesBehind == 1 ? [[1]] : [[1], [2]]))
        #expect(again.report.isUneventful, "\(again.report)")
        // The lock is free too.
        try FileJournal(at: "a", options: .simulated(disk)).closeAndWait()
      }
    }
  }
}
