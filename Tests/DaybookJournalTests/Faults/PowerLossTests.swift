import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Rows 5 to 8: power is lost at any call, and every possible state of the disk is opened.
@Suite struct `Power loss` {
  @Test func `a power loss keeps the appends to a journal that was not closed`() throws {
    let reference = try ReferenceJournal(closes: false)
    let oracle = Oracle(
      submitted: reference.payloads, acknowledgedCount: reference.payloads.count)
    for seed in 0..<20 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      oracle.check(reference.disk.powerLoss(using: &generator), "seed \(seed)")
    }
  }

  @Test func `every image that a crash leaves of unsynced appends can be opened`() throws {
    for model in SectorModel.allCases {
      let disk = SimulatedDisk()
      var options = JournalOptions.simulated(disk)
      options.durability = .none
      let journal = try FileJournal(at: ReferenceJournal.path, options: options)
      let payloads = ReferenceJournal.payloads(seed: 3, count: 6).map { Array($0.prefix(300)) }
      try journal.mustAppend(payloads[0])
      try journal.syncAndWait()
      for payload in payloads.dropFirst() { try journal.mustAppend(payload) }
      let oracle = Oracle(
        submitted: payloads, acknowledgedCount: model == .syncedBytesAreSafe ? 1 : 0)
      var count = 0
      let isWhole = disk.everyPowerLoss(assuming: model, limit: 10_000) { image in
        count += 1
        guard model == .touchedSectorsMayBeLost else {
          oracle.check(image, "image \(count)")
          return
        }
        Self.holdPrefix(oracle, image, "image \(count), \(model)")
      }
      #expect(isWhole && count > 10, "\(count) images")
    }
  }

  // MARK: Row 6

  @Test(arguments: `Failing calls`.durabilities)
  func `a power loss at any call keeps acknowledged transactions`(_ durability: Durability) throws {
    let callCount = try `Failing calls`.callCount(durability)
    FaultRow.run(6, "power loss at every call, \(durability)") { count in
      for number in 1...callCount where isTried(number) {
        let (disk, work) = Self.play(.losePower(at: number, seed: UInt64(number)), durability)
        for (state, image) in Self.states(of: disk, seed: UInt64(number)).enumerated() {
          work.oracle.check(image, "power loss at call \(number), state \(state)")
          count += 1
        }
      }
    }
  }

  @Test func `a loss of synced bytes is refused or reported`() throws {
    let callCount = try `Failing calls`.callCount(.full)
    FaultRow.run(6, "power loss at every call, harsh sectors") { count in
      for number in 1...callCount where isTried(number) {
        let (disk, work) = Self.play(.losePower(at: number, seed: UInt64(number)), .full)
        var generator = SplitMix64(seed: UInt64(number))
        for state in 0..<FaultRow.count(16, full: 64) {
          let image = disk.powerLoss(using: &generator, assuming: .touchedSectorsMayBeLost)
          Self.holdAtLeastReported(work, image, "call \(number), state \(state)")
          count += 1
        }
      }
    }
  }

  // MARK: Row 5

  @Test func `a power loss after a failed sync keeps acknowledged transactions`() {
    FaultRow.run(5, "sync fails, then power is lost") { count in
      var generator = SplitMix64(seed: 5)
      for seed in 0..<UInt64(FaultRow.count(2000, full: 100_000)) {
        let disk = SimulatedDisk()
        let number = 1 + Int(generator.next() % 12)
        let syncs: Set<DiskError.Operation> = [.sync, .syncDirectory]
        disk.plan =
          seed % 2 == 0
          ? .fail(call: number, with: EIO, only: syncs)
          : .failAlways(from: number, with: EIO, only: syncs)
        var work = JournalWork(seed: seed, durability: seed % 3 == 0 ? .none : .full)
        work.run(JournalWork.steps(count: 12, using: &generator), on: disk)
        work.oracle.check(disk.powerLoss(using: &generator), "seed \(seed), sync \(number) fails")
        count += 1
      }
    }
  }

  @Test func `a power loss after a lying sync leaves a prefix of the transactions`() {
    FaultRow.run(5, "sync lies, then power is lost") { count in
      var generator = SplitMix64(seed: 55)
      for seed in 0..<UInt64(FaultRow.count(2000, full: 100_000)) {
        let disk = SimulatedDisk()
        // The syncs of the creation are honest: otherwise there may be no journal.
        var work = JournalWork(seed: seed)
        work.run([.open, .append, .close], on: disk)
        disk.plan = .ignoreSync(from: 1 + Int(generator.next() % 5), only: [.sync])
        disk.clearLog()
        work.run(JournalWork.steps(count: 12, using: &generator), on: disk)
        Self.holdPrefix(work.oracle, disk.powerLoss(using: &generator), "seed \(seed)")
        count += 1
      }
    }
  }

  // MARK: Row 7

  @Test func `repeated power losses, recoveries and appends lose nothing acknowledged`() {
    FaultRow.run(7, "generations of power loss") { count in
      for seed in 0..<UInt64(FaultRow.count(200, full: 100_000)) {
        var generator = SplitMix64(seed: seed &* 77 &+ 7)
        var disk = SimulatedDisk()
        var work = JournalWork(seed: seed, durability: seed % 3 == 0 ? .none : .full)
        for generation in 0..<(FaultRow.Scale.current == .full ? 100 : 20) {
          let limit = 1 + Int(generator.next() % 150)
          disk.plan = .losePower(at: limit, seed: generator.next())
          work.run(JournalWork.steps(count: 10, using: &generator), on: disk)
          disk = disk.powerLoss(using: &generator)
          let found = Self.count(disk, work.oracle, "seed \(seed), generation \(generation)")
          work.begin(with: found, seed: generator.next())
          count += 1
        }
        work.oracle.check(disk, "seed \(seed), at last")
      }
    }
  }

  // MARK: Row 8

  @Test func `power losses during nested recoveries lose nothing acknowledged`() throws {
    FaultRow.run(8, "power loss during recovery, to depth 3") { count in
      let seeds = FaultRow.count(40, full: 400)
      for seed in 0..<UInt64(seeds) {
        var generator = SplitMix64(seed: seed &* 88 &+ 8)
        let disk = SimulatedDisk()
        var work = JournalWork(seed: seed, durability: .none)
        disk.plan = .losePower(at: 40 + Int(generator.next() % 60), seed: seed)
        work.run([.open] + Array(repeating: .append, count: 30), on: disk)
        for _ in 0..<(FaultRow.Scale.current == .full ? 64 : 8) {
          recover(disk.powerLoss(using: &generator), work.oracle, 3, &generator, &count)
        }
      }
    }
  }

  /// Opens a disk with a power loss at a random call of the recovery, to a depth, and checks the
  /// result.
  private func recover(
    _ disk: SimulatedDisk, _ oracle: Oracle, _ depth: Int, _ generator: inout SplitMix64,
    _ count: inout Int
  ) {
    count += 1
    guard depth > 0 else {
      oracle.check(disk, "recovery interrupted three times")
      return
    }
    let trial = disk.copy()
    _ = try? FileJournal(at: ReferenceJournal.path, options: .simulated(trial))
    let number = 1 + Int(generator.next() % UInt64(max(1, trial.callCount)))
    let interrupted = disk.copy()
    interrupted.plan = .losePower(at: number, seed: generator.next())
    _ = try? FileJournal(at: ReferenceJournal.path, options: .simulated(interrupted))
    let lost = interrupted.powerLoss(using: &generator)
    recover(lost.copy(), oracle, depth - 1, &generator, &count)
    oracle.check(lost, "recovery interrupted at call \(number), depth \(depth)")
  }

  // MARK: Helping hands

  private func isTried(_ number: Int) -> Bool {
    number % FaultRow.step(47) == 0
  }

  static func play(_ plan: FaultPlan, _ durability: Durability) -> (SimulatedDisk, JournalWork) {
    let disk = SimulatedDisk()
    disk.plan = plan
    var work = JournalWork(seed: 4, durability: durability)
    work.run(JournalWork.script, on: disk)
    return (disk, work)
  }

  /// Returns the extreme outcomes, and random ones up to the number of the row.
  static func states(of disk: SimulatedDisk, seed: UInt64) -> [SimulatedDisk] {
    var generator = SplitMix64(seed: seed)
    let extremes = PowerLossOutcome.allCases.map { disk.powerLoss($0) }
    let rest = max(2, FaultRow.count(16, full: 64) - extremes.count)
    return extremes + (0..<rest).map { _ in disk.powerLoss(using: &generator) }
  }

  /// Returns the number of transactions, which must be a prefix of the submitted ones.
  static func count(_ disk: SimulatedDisk, _ oracle: Oracle, _ what: String) -> Int {
    do {
      let journal = try FileJournal(at: ReferenceJournal.path, options: .simulated(disk))
      return try oracle.readAll(journal, what)
    } catch {
      Issue.record("\(what): \(error)")
      return oracle.acknowledgedCount
    }
  }

  /// Checks that the journal has a prefix of the submitted transactions, or is refused.
  static func holdPrefix(_ oracle: Oracle, _ disk: SimulatedDisk, _ what: String) {
    var oracle = oracle
    oracle.acknowledgedCount = 0
    do throws(JournalError) {
      _ = try FileJournal(at: ReferenceJournal.path, options: .simulated(disk))
      oracle.check(disk, what)
    } catch {
      guard isRefusal(error) else {
        Issue.record("\(what): \(error)")
        return
      }
    }
  }

  /// Checks that every acknowledged transaction exists, or that the loss is refused or reported.
  static func holdAtLeastReported(_ work: JournalWork, _ disk: SimulatedDisk, _ what: String) {
    do throws(JournalError) {
      let report = try FileJournal(at: ReferenceJournal.path, options: .simulated(disk)).report
      let isReported =
        switch report.outcome {
        case .torn, .created, .creationInterrupted: true
        default: !report.wasClosed
        }
      var oracle = work.oracle
      if isReported { oracle.acknowledgedCount = 0 }
      oracle.check(disk, what)
    } catch {
      guard isRefusal(error) else {
        Issue.record("\(what): \(error)")
        return
      }
    }
  }

  static func isRefusal(_ error: JournalError) -> Bool {
    switch error.reason {
    case .damaged, .notAJournal: true
    default: false
    }
  }
}
