import DaybookJournal
import DaybookStore
import DaybookTesting
import Glibc
import TestSupport
import Testing

/// Opening by a checkpoint comes to the same as opening by replay, whatever happened before.
@Suite("Opening by a checkpoint") struct CheckpointBytesTests {
  typealias Place = CheckpointPlace

  @Test func `comes to what a replay comes to`() throws {
    for seed in 0..<UInt64(FaultRow.count(200, full: 5000)) {
      var random = SplitMix64(seed: seed)
      var (place, disk) = Place.simulated()
      place.openGrowth = seed % 2 == 0 ? nil : 1500
      var written: SequenceNumber?
      for session in 0..<4 {
        let store = try place.open()
        #expect(store.statistics.checkpoints?.openedFrom == written, "seed \(seed), \(session)")
        let other = try place.read()
        #expect(try place.complaints(store, other, &random) == [], "seed \(seed), \(session)")
        #expect(
          store.statistics.idempotencyKeyCount == other.statistics.idempotencyKeyCount,
          "seed \(seed), \(session)")
        try place.change(store, times: 1 + Int(random.next() % 12), &random)
        if place.openGrowth == nil, random.next() % 3 == 0 {
          // One that cannot be written is taken back: its slots go to others, in another order.
          disk.forgetCalls()
          disk.plan = .fail(call: 1, with: EIO, only: [.write])
          #expect(throws: StoreError.self) { try place.change(store, times: 20, &random) }
          disk.plan = .none
          try store.recoverAndWait()
          try place.change(store, times: 2, &random)
        }
        #expect(try place.complaints(store, try place.read(), &random) == [], "seed \(seed)")
        switch random.next() % 4 {
        // What was written behind everybody's back is what there is.
        case 0:
          store.derivedWork.waitUntilIdle()
          written = store.statistics.checkpoints?.written
          disk.killProcess()
        default:
          let last = store.snapshot.sequence
          try store.closeAndWait()
          // Of a journal without a transaction there is nothing to keep.
          written = last == .zero ? nil : last
          #expect(store.statistics.checkpoints?.failure == nil)
        }
      }
    }
  }

  @Test func `reads nothing of the journal that was before`() throws {
    let (place, disk) = Place.simulated()
    var random = SplitMix64(seed: 1)
    var store = try place.open()
    try place.change(store, times: 1500, &random)
    try store.closeAndWait()
    let byteCount = try disk.status(of: "j").byteCount
    #expect(byteCount > 300_000)
    store = try place.open()
    #expect(store.statistics.checkpoints?.openedFrom == store.snapshot.sequence)
    // Nothing but the last frame and the pages of the header was looked at.
    let checks = try #require(store.lateChecks)
    #expect(!checks.isDone)
    // A replay of it all is what the audit does, and so everything is whole.
    try store.closeAndWait()
    try checks.checkAll()
    #expect(checks.isDone)
  }

  @Test func `keeps two, and writes over the older`() throws {
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
    // Nothing is new, and so nothing is written.
    #expect(store.statistics.checkpoints?.writeCount == 0)
  }

  @Test func `has what was saved while another was written, although nobody saves any more`() throws
  {
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
    // A store that does not tend itself leaves the writing to the thread that waits for it.
    let writer = TestThread { store.derivedWork.waitUntilIdle() }
    gate.awaitArrival()
    // This one is told that nothing is due, as one is on its way.
    try place.change(store, times: 1, &random)
    let last = store.snapshot.sequence
    gate.open()
    gate.letOneGo()
    writer.value()
    #expect(store.statistics.checkpoints?.written == last)
    try store.closeAndWait()
  }

  @Test func `goes by the older, or by the journal, where bytes are damaged`() throws {
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
      #expect(Audit.complaints(store.snapshot, try place.read().snapshot) == [])
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
      // Between the roots and the pages there are zeros that nobody reads.
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

  @Test func `goes by none of another journal, of a later moment, or of before a compaction`()
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
      #expect(Audit.complaints(store.snapshot, try place.read().snapshot) == [])
      disk.killProcess()
      return store.statistics.checkpoints?.openedFrom
    }
    // The journal of before, from a backup: the newer one is of a moment that it does not know.
    let late = try bytes(disk, "j")
    disk.setContents(early, at: "j")
    #expect(try opened() == first)
    // It went another way since: the newer one is of a moment that it knows otherwise.
    store = try place.open()
    try place.change(store, times: 25, &random)
    disk.killProcess()
    #expect(try opened() == first)
    disk.setContents(late, at: "j")
    #expect(try opened() == second)
    // Another journal's.
    var other = place
    other.path = "other"
    store = try other.open()
    try place.change(store, times: 10, &random)
    disk.killProcess()
    disk.setContents(try bytes(disk, "j-checkpoint-a"), at: "other-checkpoint-a")
    #expect(try opened("other") == nil)
    try disk.remove("other-checkpoint-a")
    // Another's that says the same in frames that stand where those do of this one.
    other.path = "twin"
    random = SplitMix64(seed: 4)
    store = try other.open()
    try place.change(store, times: 10, &random)
    #expect(store.snapshot.sequence == first)
    disk.killProcess()
    disk.setContents(earlyCheckpoint, at: "twin-checkpoint-a")
    #expect(try opened("twin") == nil)
    // A compaction leaves none.
    let kept = try bytes(disk, "j-checkpoint-b")
    _ = try Audit.$isOff.withValue(true) { try Store.compact(at: "j", options: place.options) }
    #expect(try place.names == ["twin-checkpoint-a"])
    disk.setContents(kept, at: "j-checkpoint-b")
    #expect(try opened() == nil)
    // And of what is compacted there are checkpoints again.
    store = try place.open()
    try place.change(store, times: 3, &random)
    let third = store.snapshot.sequence
    try store.closeAndWait()
    #expect(third > second)
    _ = try place.read()
    let again = try place.open()
    #expect(again.statistics.checkpoints?.openedFrom == third)
    #expect(Audit.complaints(again.snapshot, try place.read().snapshot) == [])
  }

  @Test func `writes none where that is not wanted, or rows are read by copying`() throws {
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
    // One that is there is of no use to it, and does no harm.
    store = try place.open()
    try place.change(store, times: 5, &random)
    try store.closeAndWait()
    #expect(try place.names == ["j-checkpoint-a"])
    store = try Store(at: "j", types: Place.types, options: options)
    #expect(store.statistics.checkpoints?.openedFrom == nil)
    #expect(try place.complaints(store, try place.read(), &random) == [])
    _ = disk
  }

  @Test func `writes none of a schema that no transaction has told of`() throws {
    struct Team: Record {
      var id = 0
      var title = ""
      var rank = 0
      static let schema = RecordSchema<Team>("Team").attribute("title", at: \.title)
        .attribute("rank", at: \.rank).unique("rank")
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

  @Test func `writes one at the end where none could be written before`() throws {
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
    // It is due at once, and comes to nothing, as the schema is new.
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

  @Test func `of whatever somebody has made of the pages is found out without going astray`() throws
  {
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
      // What was changed is read by nobody, as the order in which free slots are taken.
      case .same: break
      case .unknown(let sentence): Issue.record("seed \(seed): \(sentence)")
      }
    }
    #expect(sentences.contains("its pages lead nowhere."), "\(sentences)")
    #expect(sentences.count > 3, "\(sentences)")
  }

  @Test func `that would not look for a record that is there is found out`() throws {
    let (place, disk) = Place.simulated()
    let store = try place.open()
    let context = store.makeContext()
    try context.insert(CheckpointPlace.Team(id: 1000))
    try context.saveAndWait()
    try store.closeAndWait()
    let whole = try bytes(disk, "j-checkpoint-a")
    let file = ForgedCheckpoint(whole)
    // One above the greatest, in the order of numbers.
    let bound = 1001 ^ UInt64(1) << 63
    for (other, isFound) in [(bound + 5, false), (bound - 1, true), (0, true)] {
      disk.setContents(try #require(file.forged(bound, as: other)), at: "j-checkpoint-a")
      let expected: CheckpointVerdict =
        isFound
        ? .different("Team 1000 is not where it is in the journal.")
        : .same(store.snapshot.sequence)
      #expect(try verdict(place) == expected)
    }
  }

  @Test func `inspected by a store that writes its journal end the program after a sentence`() async
  {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try Store.inMemory(records: Numbered.self).inspectedCheckpoints()
    }
    let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      printed.split(separator: "\n").first { $0.hasPrefix("Daybook: ") } == """
        Daybook: the checkpoints of store in memory were inspected by a store that does not read its journal. \
        Open it with Store(reading:).
        """)
  }

  private func verdict(_ place: Place) throws -> CheckpointVerdict {
    try #require(place.read().inspectedCheckpoints().first).verdict
  }

  private func bytes(_ disk: SimulatedDisk, _ path: String) throws -> [UInt8] {
    try #require(disk.contents(of: path))
  }
}
