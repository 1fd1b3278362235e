import DaybookJournal
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

@testable @_spi(Tools) import DaybookStore

/// The law: reading a journal from a checkpoint has the result of reading all of it.
@Suite("Reading from a checkpoint") struct ReadingFromCheckpointBytesTests {
  typealias Place = CheckpointPlace

  /// Returns a journal of random changes. Its checkpoint precedes the last `tailCount` changes.
  private func place(
    changeCount: Int, tailCount: Int, _ random: inout SplitMix64
  ) throws -> (place: Place, disk: SimulatedDisk) {
    let (place, disk) = Place.simulated()
    let store = try place.open()
    try place.change(store, times: changeCount, &random)
    try store.closeAndWait()
    if tailCount > 0 {
      // A store that is released and not closed writes no checkpoint.
      try place.change(try place.open(), times: tailCount, &random)
    }
    return (place, disk)
  }

  @Test func `a store from a checkpoint has the state and the history of the whole journal`()
    throws
  {
    for seed in 0..<UInt64(FaultRow.count(60, full: 2000)) {
      var random = SplitMix64(seed: seed)
      let (place, disk) = try place(
        changeCount: 1 + Int(random.next() % 30), tailCount: Int(random.next() % 9),
        &random)
      let before = try place.names.map { disk.contents(of: $0) }
      let (whole, fast) = (try place.read(), try place.readFromCheckpoint())
      #expect(fast.snapshot.frozen.memory.hasLateRows, "seed \(seed)")
      #expect(try place.problems(whole, fast, &random) == [], "seed \(seed)")
      #expect(fast.snapshot.sequence == whole.snapshot.sequence && fast.base == whole.base)
      try compareHistories(whole, fast, "seed \(seed)")
      #expect(try place.names.map { disk.contents(of: $0) } == before, "seed \(seed)")
    }
  }

  /// Compares the totals and the histories of all records, also of deleted ones, with those that the
  /// transactions of the journal contain.
  private func compareHistories(
    _ whole: Store, _ fast: Store, _ comment: Comment
  ) throws {
    let totals = try fast.historyTotals()
    #expect(try whole.historyTotals() == totals, comment)
    var model = HistoryTotals()
    var histories: [String: [SequenceNumber]] = [:]
    var times: [JournalTime] = []
    var deletions: [UInt64] = []
    var transactions = try whole.transactions(from: 1)
    while let transaction = try transactions.next(), let sequence = transaction.sequence {
      let changes = transaction.changes
      times.append(try #require(transaction.time))
      model.transactionCount += 1
      model.end.changeCount += changes.count
      for change in changes {
        histories["\(change.entity) \(change.id)", default: []].append(sequence)
        let index = try #require(whole.snapshot.frozen.catalog.index(of: change.entity))
        while model.entities.count <= index { model.entities.append(.init()) }
        switch change.kind {
        case .insert: model.entities[index].insertCount += 1
        case .update: model.entities[index].updateCount += 1
        case .delete:
          model.entities[index].deleteCount += 1
          deletions.append(sequence.rawValue)
        }
      }
    }
    #expect(totals.entities == model.entities, comment)
    #expect(totals.changeCount == model.changeCount, comment)
    #expect(totals.transactionCount == model.transactionCount, comment)
    #expect(totals.first?.sequence == 1 && totals.base == nil, comment)
    for sequence in 0...fast.snapshot.sequence.rawValue {
      let possible = totals.lastPossibleDeletion(through: sequence)
      let last = deletions.last { $0 <= sequence } ?? 0
      #expect(possible >= last && possible <= sequence, comment)
    }
    // The counts of each span of time are those of its transactions.
    let starts = stride(from: 0, to: times.count, by: 7).map { times[$0] }
    let spans = try totals.spans(startingAt: starts, in: fast.snapshot)
    for (place, span) in spans.enumerated() {
      let isInSpan = { (time: JournalTime) in (starts.lastIndex { $0 <= time } ?? 0) == place }
      #expect(span.transactionCount == times.count { isInSpan($0) }, comment)
    }
    #expect(spans.reduce(0) { $0 + $1.changeCount } == totals.changeCount, comment)
    for number in 0..<60 {
      try compare("Member", .string("member \(number)"), histories, fast, comment)
    }
    for number in 0..<20 { try compare("Team", .int(Int64(number)), histories, fast, comment) }
  }

  private func compare(
    _ entity: String, _ id: RecordIdentifier, _ histories: [String: [SequenceNumber]],
    _ store: Store, _ comment: Comment
  ) throws {
    guard store.snapshot.frozen.catalog.index(of: entity) != nil else { return }
    let (base, versions) = try store.fullHistory(of: entity, id: id)
    #expect(base == nil && versions.map(\.sequence) == histories["\(entity) \(id)"] ?? [], comment)
  }

  @Test func `the totals of a long journal have marks and are correct`() throws {
    var random = SplitMix64(seed: 3)
    let (place, _) = try place(changeCount: 1200, tailCount: 5, &random)
    let (whole, fast) = (try place.read(), try place.readFromCheckpoint())
    #expect(try #require(fast.checkpointTotals).marks.count >= 2)
    try compareHistories(whole, fast, "a long journal")
  }

  @Test func `a part of the journal without deletions is not searched for deletions`() throws {
    let (place, disk) = Place.simulated()
    let store = try place.open()
    let context = store.makeContext()
    for number in 0..<400 {
      try context.insert(
        Place.Team(id: number, title: String(repeating: "long ", count: 100)))
      try context.saveAndWait()
      if number == 5 {
        try context.delete(Place.Team.self, id: 3)
        try context.saveAndWait()
      }
    }
    try store.closeAndWait()
    withExtendedLifetime(disk) {}
    let fast = try place.readFromCheckpoint()
    let totals = try #require(fast.checkpointTotals)
    #expect(totals.marks.count >= 3)
    // The deletion is transaction 7, in the part before the first mark.
    #expect(totals.lastPossibleDeletion(through: 401) == totals.marks[0].sequence)
    #expect(totals.lastPossibleDeletion(through: 9) == 9)
    #expect(
      try fast.fullHistory(of: "Team", id: .int(3)).versions.map(\.change.kind)
        == [.insert, .delete])
    #expect(try fast.fullHistory(of: "Team", id: .int(399)).versions.map(\.sequence) == [401])
    #expect(try fast.fullHistory(of: "Team", id: .int(999)).versions.isEmpty)
  }

  @Test func `a checkpoint in version 4 of the format is read, and has no totals`() throws {
    for seed in 0..<UInt64(20) {
      var random = SplitMix64(seed: seed)
      let (place, disk) = try place(
        changeCount: 1 + Int(random.next() % 30), tailCount: Int(random.next() % 5),
        &random)
      let totals = try #require(try place.readFromCheckpoint().checkpointTotals)
      let bytes = try #require(disk.contents(of: "j-checkpoint-a"))
      disk.setContents(ForgedCheckpoint(bytes).inVersion4(totals: totals), at: "j-checkpoint-a")
      let (whole, fast) = (try place.read(), try place.readFromCheckpoint())
      #expect(fast.snapshot.frozen.memory.hasLateRows && fast.checkpointTotals == nil)
      #expect(try place.problems(whole, fast, &random) == [], "seed \(seed)")
      try compareHistories(whole, fast, "seed \(seed)")
      // A store for writing uses the checkpoint too, and its next checkpoint has totals.
      let store = try place.open()
      #expect(store.statistics.checkpoints?.openedFrom == SequenceNumber(totals.sequence))
      try place.change(store, times: 3, &random)
      try store.closeAndWait()
      let newer = try place.readFromCheckpoint()
      #expect(newer.checkpointTotals == (try place.read().historyTotals()), "seed \(seed)")
    }
  }

  @Test func `a damaged checkpoint is not used for reading`() throws {
    var random = SplitMix64(seed: 9)
    let (place, disk) = try place(changeCount: 30, tailCount: 0, &random)
    let whole = try place.read()
    let bytes = try #require(disk.contents(of: "j-checkpoint-a"))
    let rootsEnd = 128 + Int(bytes.span.bytes.number(at: 80, as: UInt64.self) ?? 0)
    for round in 0..<FaultRow.count(150, full: 5000) {
      var damaged = bytes
      var offset = Int(random.next() % UInt64(bytes.count))
      // The bytes between the roots and the pages are never read.
      if round % 2 == 0 { offset %= rootsEnd }
      damaged[offset] ^= UInt8(1 << (random.next() % 8))
      disk.setContents(damaged, at: "j-checkpoint-a")
      let fast = try place.readFromCheckpoint()
      #expect(Audit.differences(whole.snapshot, fast.snapshot) == [], "byte \(offset)")
      if offset < rootsEnd { #expect(!fast.snapshot.frozen.memory.hasLateRows, "byte \(offset)") }
      #expect(try fast.historyTotals() == whole.historyTotals(), "byte \(offset)")
    }
  }

  @Test func `forged totals never stop the process`() throws {
    var random = SplitMix64(seed: 10)
    let (place, disk) = try place(changeCount: 700, tailCount: 3, &random)
    let store = try place.readFromCheckpoint()
    let state = store.snapshot.frozen
    let totals = try #require(store.checkpointTotals)
    #expect(totals.marks.count >= 1)
    var readCount = 0
    var buffer = RowBuffer()
    totals.append(to: &buffer)
    let bytes = buffer.bytes
    for _ in 0..<FaultRow.count(2000, full: 100_000) {
      var forged = bytes
      for _ in 0...random.next() % 3 {
        forged[Int(random.next() % UInt64(forged.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      if random.next() % 4 == 0 { forged.removeLast(Int(random.next() % UInt64(forged.count))) }
      var cursor = ByteCursor()
      let read = HistoryTotals(at: &cursor, in: forged.span.bytes, through: totals.sequence)
      guard var read else { continue }
      // Totals that are valid but wrong can be used: times and sizes can have any value.
      readCount += 1
      try read.advance(to: state, base: .zero)
      for sequence in [1, 9, totals.sequence - 1, totals.sequence] {
        #expect(read.lastPossibleDeletion(through: sequence) <= sequence)
      }
      let starts = [totals.marks[0].time, totals.end.time]
      #expect(try read.spans(startingAt: starts, in: state).count == starts.count)
    }
    #expect(readCount > 0)
    withExtendedLifetime(disk) {}
    var cursor = ByteCursor()
    #expect(HistoryTotals(at: &cursor, in: bytes.span.bytes, through: totals.sequence) == totals)
    #expect(cursor.offset == bytes.count)
  }

  @Test func `totals that contradict themselves are not read`() throws {
    var random = SplitMix64(seed: 12)
    let (place, disk) = try place(changeCount: 1200, tailCount: 0, &random)
    let totals = try #require(try place.readFromCheckpoint().checkpointTotals)
    withExtendedLifetime(disk) {}
    #expect(totals.marks.count >= 2 && totals.hasOrderedTimes)
    func isRead(_ forge: (inout HistoryTotals) -> Void) -> Bool {
      var forged = totals
      forge(&forged)
      var buffer = RowBuffer()
      forged.append(to: &buffer)
      var cursor = ByteCursor()
      return HistoryTotals(at: &cursor, in: buffer.bytes.span.bytes, through: totals.sequence)
        != nil
    }
    #expect(isRead { _ in })
    #expect(!isRead { $0.marks.swapAt(0, 1) })
    #expect(!isRead { $0.marks[0].sequence = 0 })
    #expect(!isRead { $0.marks[1].sequence = $0.end.sequence + 1 })
    #expect(!isRead { $0.marks[0].time = JournalTime(nanoseconds: .max) })
    #expect(isRead { ($0.marks[0].time, $0.hasOrderedTimes) = (.distantPast, false) })
    #expect(!isRead { $0.marks[0].changeCount = $0.marks[1].changeCount + 1 })
    #expect(!isRead { $0.marks[0].deleteCount = $0.end.deleteCount + 1 })
    #expect(!isRead { $0.marks[1].byteCount = 0 })
    #expect(!isRead { $0.transactionCount -= 1 })
    #expect(!isRead { $0.base = $0.first })
    #expect(!isRead { $0.end.changeCount += 1 })
    #expect(!isRead { $0.entities[0].insertCount += 1 })
    #expect(!isRead { ($0.entities[0].deleteCount, $0.entities[0].updateCount) = (1 << 47, 1) })
    #expect(!isRead { $0.entities = Array(repeating: $0.entities[0], count: 1 << 16) })
  }

  @Test func `damage before a checkpoint is found when the damaged part is read`() throws {
    var random = SplitMix64(seed: 11)
    let (place, disk) = try place(changeCount: 1200, tailCount: 0, &random)
    var bytes = try #require(disk.contents(of: "j"))
    // The first frame begins at 16384.
    bytes[16_384 + 60] ^= 1
    disk.setContents(bytes, at: "j")
    let fast = try place.readFromCheckpoint()
    #expect(fast.checkpointDamage == nil && fast.report?.isUneventful == true)
    var transactions = try fast.transactions(from: 1)
    #expect(throws: StoreError.self) { _ = try transactions.next() }
    #expect(fast.checkpointDamage?.reason == .damagedFrame)
    #expect(throws: StoreError.self) { try fast.historyTotals() }
  }
}
