import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookCLibrary
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

/// The law: opening by a checkpoint has the same result as a replay, whatever the history.
@Suite("Opening by a checkpoint") struct CheckpointBytesTests {
  typealias Place = CheckpointPlace

  @Test func `opening by a checkpoint gives the state of a replay`() throws {
    for seed in 0..<UInt64(FaultRow.count(200, full: 5000)) {
      var random = SplitMix64(seed: seed)
      var (place, disk) = Place.simulated()
      place.openGrowth = seed % 2 == 0 ? nil : 1500
      var written: SequenceNumber?
      for session in 0..<4 {
        let store = try place.open()
        #expect(store.statistics.checkpoints?.openedFrom == written, "seed \(seed), \(session)")
        let other = try place.read()
        #expect(try place.problems(store, other, &random) == [], "seed \(seed), \(session)")
        #expect(
          store.statistics.idempotencyKeyCount == other.statistics.idempotencyKeyCount,
          "seed \(seed), \(session)")
        try place.change(store, times: 1 + Int(random.next() % 12), &random)
        if place.openGrowth == nil, random.next() % 3 == 0 {
          // A refused transaction is rolled back, and other records get its slots in another order.
          disk.clearLog()
          disk.plan = .fail(call: 1, with: EIO, only: [.write])
          #expect(throws: StoreError.self) { try place.change(store, times: 20, &random) }
          disk.plan = .none
          try store.recoverAndWait()
          try place.change(store, times: 2, &random)
        }
        #expect(try place.problems(store, try place.read(), &random) == [], "seed \(seed)")
        switch random.next() % 4 {
        // The checkpoints written in the background match the state.
        case 0:
          store.derivedWork.waitUntilIdle()
          written = store.statistics.checkpoints?.written
          disk.killProcess()
        default:
          let last = store.snapshot.sequence
          try store.closeAndWait()
          // A journal without transactions has no checkpoint.
          written = last == .zero ? nil : last
          #expect(store.statistics.checkpoints?.failure == nil)
        }
      }
    }
  }

  @Test func `opening by a checkpoint does not read the journal before it`() throws {
    let (place, disk) = Place.simulated()
    var random = SplitMix64(seed: 1)
    var store = try place.open()
    try place.change(store, times: 1500, &random)
    try store.closeAndWait()
    let byteCount = try disk.status(of: "j").byteCount
    #expect(byteCount > 300_000)
    store = try place.open()
    #expect(store.statistics.checkpoints?.openedFrom == store.snapshot.sequence)
    // Only the last frame and the pages of the header were read.
    let checks = try #require(store.lateChecks)
    #expect(!checks.isDone)
    // The audit replays the whole journal, which shows that it is intact.
    try store.closeAndWait()
    try checks.checkAll()
    #expect(checks.isDone)
  }

  @Test func `a store keeps two checkpoints and overwrites the older one`() throws {
    let (place, _) = Place.simulated()
    var random = SplitMix64(seed: 2)
    for session in 1...4 {
      let store = try place.open()
      try place.change(store, times: 4, &random)
      try store.closeAndWait()
      #expect(
        try place.names
          == (session == 1 ? ["j-checkpoint-a"] : ["j-checkpoint-a", "j-checkpoint-b"]))
    }
    let store = try place.open()
    try store.closeAndWait()
    // There are no new transactions, so no checkpoint is written.
    #expect(store.statistics.checkpoints?.writeCount == 0)
  }

  @Test func `a checkpoint includes saves made during the writing of another`() throws {
    let (simulated, disk) = Place.simulated()
    let gate = SyncGate()
    var passing = PassingDisk(disk)
    passing.beforeSync = { path in if path.contains("-checkpoint-") { gate.pass() } }
    var place = simulated
    (place.disk, place.openGrowth) = (passing, 1)
    let store = try place.open()
    var random = SplitMix64(seed: 5)
    gate.shut()
    try place.change(store, times: 1, &random)
    // A store without maintenance leaves the writing to the thread that waits for it.
    let writer = TestThread { store.derivedWork.waitUntilIdle() }
    gate.awaitArrival()
    // This save finds that no checkpoint is due, as one is being written.
    try place.change(store, times: 1, &random)
    let last = store.snapshot.sequence
    gate.open()
    gate.letOneGo()
    writer.value()
    #expect(store.statistics.checkpoints?.written == last)
    try store.closeAndWait()
  }

  @Test func `a damaged checkpoint is replaced by the older one or the journal`() throws {
    let (place, disk) = Place.simulated()
    var random = SplitMix64(seed: 3)
    var sequences: [SequenceNumber] = []
    for _ in 0..<2 {
      let store = try place.open()
      try place.change(store, times: 15, &random)
      sequences.append(store.snapshot.sequence)
      try store.closeAndWait()
    }
    let (older, newer) = try (bytes(disk, "j-checkpoint-a"), bytes(disk, "j-checkpoint-b"))
    func opened() throws -> SequenceNumber? {
      let store = try place.open()
      defer { disk.killProcess() }
      #expect(Audit.differences(store.snapshot, try place.read().snapshot) == [])
      return store.statistics.checkpoints?.openedFrom
    }
    #expect(try opened() == sequences[1])
    let offsets = FaultRow.some(
      Array(0..<128) + (0..<60).map { _ in Int(random.next() % UInt64(newer.count)) })
    var unread = 0
    for offset in offsets {
      var damaged = newer
      damaged[offset] ^= UInt8(1 << (random.next() % 8))
      disk.setContents(damaged, at: "j-checkpoint-b")
      let from = try opened()
      // The zeros between the roots and the pages are not read.
      if from == sequences[1] {
        unread += 1
      } else {
        #expect(from == sequences[0], "byte \(offset)")
      }
    }
    #expect(unread < offsets.count / 4)
    for byteCount in [0, 1, 127, 128, 129, 4096, newer.count / 2, newer.count - 1] {
      disk.setContents(Array(newer[..<byteCount]), at: "j-checkpoint-b")
      #expect(try opened() == sequences[0], "\(byteCount) bytes")
    }
    disk.setContents(newer + [0], at: "j-checkpoint-b")
    #expect(try opened() == sequences[0])
    disk.setContents(Array(older.dropLast()), at: "j-checkpoint-a")
    #expect(try opened() == nil)
    disk.setContents(newer, at: "j-checkpoint-b")
    #expect(try opened() == sequences[1])
  }

  @Test func `checkpoints of another journal, of later moments or before a compaction are ignored`()
    throws
  {
    let (place, disk) = Place.simulated()
    var random = SplitMix64(seed: 4)
    var store = try place.open()
    try place.change(store, times: 10, &random)
    let first = store.snapshot.sequence
    try store.closeAndWait()
    let early = try bytes(disk, "j")
    let earlyCheckpoint = try bytes(disk, "j-checkpoint-a")
    store = try place.open()
    try place.change(store, times: 10, &random)
    let second = store.snapshot.sequence
    try store.closeAndWait()
    func opened(_ path: String = "j") throws -> SequenceNumber? {
      var place = place
      place.path = path
      let store = try place.open()
      #expect(Audit.differences(store.snapshot, try place.read().snapshot) == [])
      disk.killProcess()
      return store.statistics.checkpoints?.openedFrom
    }
    // The earlier journal, from a backup. The newer checkpoint is of a moment that it does not
    // contain.
    let late = try bytes(disk, "j")
    disk.setContents(early, at: "j")
    #expect(try opened() == first)
    // The journal has continued differently, so the newer checkpoint's moment has another state.
    store = try place.open()
    try place.change(store, times: 25, &random)
    disk.killProcess()
    #expect(try opened() == first)
    disk.setContents(late, at: "j")
    #expect(try opened() == second)
    // The checkpoint of another journal.
    var other = place
    other.path = "other"
    store = try other.open()
    try place.change(store, times: 10, &random)
    disk.killProcess()
    disk.setContents(try bytes(disk, "j-checkpoint-a"), at: "other-checkpoint-a")
    #expect(try opened("other") == nil)
    try disk.remove("other-checkpoint-a")
    // The checkpoint of another journal with equal transactions in frames at equal offsets.
    other.path = "twin"
    random = SplitMix64(seed: 4)
    store = try other.open()
    try place.change(store, times: 10, &random)
    #expect(store.snapshot.sequence == first)
    disk.killProcess()
    disk.setContents(earlyCheckpoint, at: "twin-checkpoint-a")
    #expect(try opened("twin") == nil)
    // A compaction removes all checkpoints.
    let kept = try bytes(disk, "j-checkpoint-b")
    _ = try Audit.$isOff.withValue(true) { try Store.compact(at: "j", options: place.options) }
    #expect(try place.names == ["twin-checkpoint-a"])
    disk.setContents(kept, at: "j-checkpoint-b")
    #expect(try opened() == nil)
    // The compacted journal gets checkpoints again.
    store = try place.open()
    try place.change(store, times: 3, &random)
    let third = store.snapshot.sequence
    try store.closeAndWait()
    #expect(third > second)
    _ = try place.read()
    let again = try place.open()
    #expect(again.statistics.checkpoints?.openedFrom == third)
    #expect(Audit.differences(again.snapshot, try place.read().snapshot) == [])
  }

  @Test func `a store without checkpoints or with copied reading writes none`() throws {
    let (place, disk) = Place.simulated()
    var random = SplitMix64(seed: 5)
    var options = place.options
    options.keepsCheckpoints = false
    var store = try Store(at: "j", types: Place.types, options: options)
    try place.change(store, times: 5, &random)
    try store.closeAndWait()
    #expect(try place.names == [] && store.statistics.checkpoints == nil)
    options.keepsCheckpoints = true
    options.reading = .copied
    store = try Store(at: "j", types: Place.types, options: options)
    try place.change(store, times: 5, &random)
    try store.closeAndWait()
    #expect(try place.names == [])
    // An existing checkpoint is ignored and causes no error.
    store = try place.open()
    try place.change(store, times: 5, &random)
    try store.closeAndWait()
    #expect(try place.names == ["j-checkpoint-a"])
    store = try Store(at: "j", types: Place.types, options: options)
    #expect(store.statistics.checkpoints?.openedFrom == nil)
    #expect(try place.problems(store, try place.read(), &random) == [])
    _ = disk
  }

  @Test func `a schema that no transaction contains is written to no checkpoint`() throws {
    struct Team: Record {
      var id = 0
      var title = ""
      var rank = 0
      static let schema = RecordSchema<Team>("Team").attribute("title", at: \.title)
        .attribute("rank", at: \.rank).unique(\.rank)
    }
    let (place, _) = Place.simulated()
    var random = SplitMix64(seed: 6)
    var store = try place.open()
    try place.change(store, times: 10, &random)
    try store.closeAndWait()
    store = try Store(at: "j", types: [Team.self], options: place.options)
    store.writeCheckpoint()
    #expect(store.statistics.checkpoints?.writeCount == 0)
    let context = store.makeContext()
    try context.insert(Team(id: 1000, rank: 1))
    try context.saveAndWait()
    try store.closeAndWait()
    #expect(store.statistics.checkpoints?.written == 11)
    store = try Store(at: "j", types: [Team.self], options: place.options)
    #expect(store.statistics.checkpoints?.openedFrom == 11)
    try store.closeAndWait()
  }

  @Test func `a checkpoint that could not be written earlier is written at the end`() throws {
    struct Team: Record {
      var id = 0
      var title = ""
      var rank: Int?
      static let schema = RecordSchema<Team>("Team").attribute("title", at: \.title)
        .attribute("rank", at: \.rank)
    }
    var (place, _) = Place.simulated()
    var random = SplitMix64(seed: 7)
    var store = try place.open()
    try place.change(store, times: 10, &random)
    try store.closeAndWait()
    // A checkpoint is due at once and cannot be written, as no transaction contains the new schema.
    place.openGrowth = 1
    store = try Store(at: "j", types: [Team.self], options: place.options)
    store.writeCheckpoint()
    #expect(store.statistics.checkpoints?.writeCount == 0)
    place.openGrowth = nil
    let context = store.makeContext()
    try context.insert(Team(id: 1000, rank: 1))
    try context.saveAndWait()
    let last = store.snapshot.sequence
    try store.closeAndWait()
    #expect(store.statistics.checkpoints?.written == last)
  }

  @Test func `the inspection of forged checkpoint pages finds differences safely`() throws {
    let (place, disk) = Place.simulated()
    var random = SplitMix64(seed: 8)
    let store = try place.open()
    try place.change(store, times: 60, &random)
    try store.closeAndWait()
    let whole = try bytes(disk, "j-checkpoint-a")
    #expect(try verdict(place) == .same(store.snapshot.sequence))
    var sentences: Set<String> = []
    for seed in 0..<UInt64(FaultRow.count(1000, full: 20_000)) {
      var random = SplitMix64(seed: seed)
      let file = ForgedCheckpoint(whole)
      disk.setContents(file.forged(&random), at: "j-checkpoint-a")
      switch try verdict(place) {
      case .different(let sentence): sentences.insert(sentence)
      case .useless(let sentence): sentences.insert(sentence)
      // The changed bytes are not read, for example those of the order of free slots.
      case .same: break
      case .unknown(let sentence): Issue.record("seed \(seed): \(sentence)")
      }
    }
    #expect(sentences.contains("its pages are damaged."), "\(sentences)")
    #expect(sentences.count > 3, "\(sentences)")
  }

  @Test func `the inspection detects a forged bound that hides an existing record`() throws {
    let (place, disk) = Place.simulated()
    let store = try place.open()
    let context = store.makeContext()
    try context.insert(CheckpointPlace.Team(id: 1000))
    try context.saveAndWait()
    try store.closeAndWait()
    let whole = try bytes(disk, "j-checkpoint-a")
    let file = ForgedCheckpoint(whole)
    // A number above the greatest, in the order of signed numbers.
    let bound = 1001 ^ UInt64(1) << 63
    for (other, isFound) in [(bound + 5, false), (bound - 1, true), (0, true)] {
      disk.setContents(try #require(file.forged(bound, as: other)), at: "j-checkpoint-a")
      let expected: CheckpointVerdict =
        isFound
        ? .different("the row of Team 1000 differs from that in the journal.")
        : .same(store.snapshot.sequence)
      #expect(try verdict(place) == expected)
    }
  }

  @Test func `inspecting checkpoints by a writing store stops the program with a message`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try Store.inMemory(records: Numbered.self).inspectedCheckpoints()
    }
    let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      printed.split(separator: "\n").first { $0.hasPrefix("Daybook: ") } == """
        Daybook: only a store that reads its journal can inspect checkpoints; store in memory does \
        not. Open it with Store(reading:).
        """)
  }

  private func verdict(_ place: Place) throws -> CheckpointVerdict {
    try #require(place.read().inspectedCheckpoints().first).verdict
  }

  private func bytes(_ disk: SimulatedDisk, _ path: String) throws -> [UInt8] {
    try #require(disk.contents(of: path))
  }
}
