import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

/// Row 14 of the fault matrix: a hostile writer can compute valid checksums for any content. No
/// such journal ends the process.
@Suite("Hostile journals") struct HostileJournalBytesTests {
  /// Returns the payloads of a store with a history: inserts, updates, deletes, large values and
  /// layouts.
  private func payloads(_ seed: UInt64) throws -> [[UInt8]] {
    var generator = SplitMix64(seed: seed)
    let journal = MemoryJournal()
    let store = try Store.inMemory(
      types: [EveryType.self, Numbered.self, Unique.self], journal: journal)
    let context = store.makeContext()
    for number in 0..<8 {
      context.metadata.author = "a"
      if number == 3 { context.metadata.idempotencyKey = "k" }
      var record = EveryType.random("r\(number)", using: &generator)
      // Every second record has a value stored outside its row.
      if number % 2 == 0 { record.data = Data(repeating: UInt8(number), count: 600 + number) }
      try context.insert(record)
      try context.insert(Numbered(id: number, name: "n"))
      if number > 2 {
        try context.update(EveryType.self, id: "r\(number - 2)") { $0.int += 1 }
        try context.delete(EveryType.self, id: "r\(number - 3)")
      }
      try context.saveAndWait()
    }
    var payloads: [[UInt8]] = []
    var reader = journal.transactions(from: 1)
    while let transaction = try reader.next() { payloads.append(transaction.payload.copy()) }
    return payloads
  }

  /// Returns the offsets of references to large values in a payload that stores these values
  /// itself.
  private func places(of payload: [UInt8]) -> [Int] {
    guard payload.count >= StoredValue.byteCount else { return [] }
    return (0...payload.count - StoredValue.byteCount).filter { start in
      // Most candidates fail by their first bytes.
      guard payload[start] == 0, payload[start + 11] == 0, payload[start + 15] == 0 else {
        return false
      }
      let bytes = Array(payload[start..<start + StoredValue.byteCount])
      guard let value = StoredValue(bytes.span.bytes), value.sequence == 0,
        value.length >= StoredValue.byteCountMin,
        Int(value.offset) + Int(value.length) <= payload.count
      else { return false }
      let stored = Array(payload[Int(value.offset)...].prefix(Int(value.length)))
      return XXH64.checksum(stored.span.bytes, seed: 0) == value.checksum
    }
  }

  private func put(_ number: UInt32, at offset: Int, in payload: inout [UInt8]) {
    for byte in 0..<4 { payload[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
  }

  /// Checks that the first transaction with a large value is refused after a change of the
  /// reference to the value.
  private func expectRefused(_ change: (_ place: Int, _ payload: inout [UInt8]) -> Void) throws {
    var payloads = try payloads(0)
    let index = try #require(payloads.firstIndex { !places(of: $0).isEmpty })
    let place = try #require(places(of: payloads[index]).first)
    change(place, &payloads[index])
    let journal = MemoryJournal()
    for payload in payloads { _ = try journal.appendAndWait(payload) }
    let refusal = Audit.$isOff.withValue(true) { use(journal, 1) }
    guard case .payload(let sequence, _)? = refusal?.reason else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(sequence.rawValue == UInt64(index) + 1)
  }

  private struct Child: Record {
    var id = 0
    var parent: Reference<Child>?
    static let schema = RecordSchema<Child>("Child")
      .reference("parent", at: \.parent, whenTargetDeleted: .cascade)
  }

  @Test
  func `a rule for deletions of targets is refused in a payload of version 1 or of version 5`()
    throws
  {
    let source = MemoryJournal()
    let context = try Store.inMemory(types: [Child.self], journal: source).makeContext()
    try context.insert(Child(id: 1))
    try context.saveAndWait()
    var reader = source.transactions(from: 1)
    var payload = try #require(try reader.next()).payload.copy()
    #expect(payload[0] == 2)
    for version in [1, 5] as [UInt8] {
      payload[0] = version
      let journal = MemoryJournal()
      _ = try journal.appendAndWait(payload)
      let error = Audit.$isOff.withValue(true) { use(journal, 1) }
      guard case .payload(1, _)? = error?.reason else {
        Issue.record("version \(version): \(String(describing: error))")
        continue
      }
    }
  }

  @Test func `an empty large value whose offset is past the end is refused`() throws {
    try expectRefused { place, payload in
      put(0xFFFF_FFF0, at: place + 8, in: &payload)
      put(0, at: place + 12, in: &payload)
    }
  }

  @Test func `a large value with a wrong checksum is refused`() throws {
    try expectRefused { place, payload in payload[place + 16] ^= 1 }
  }

  /// In a file, any transaction can be read, including later ones.
  @Test func `a large value stored in a later transaction is refused`() throws {
    try TemporaryDirectory.with { directory in
      var payloads = try payloads(0)
      let indexes = payloads.indices.filter { !places(of: payloads[$0]).isEmpty }
      try #require(indexes.count > 2)
      // Not the first one, whose references cannot refer to an earlier transaction.
      let (first, later) = (indexes[1], indexes[2])
      let place = try #require(places(of: payloads[first]).first)
      let other = try #require(places(of: payloads[later]).first)
      put(UInt32(later + 1), at: place, in: &payloads[first])
      payloads[first].replaceSubrange(
        place + 8..<place + 24, with: payloads[later][other + 8..<other + 24])
      var options = JournalOptions()
      options.worksInBackground = false
      options.durability = .none
      let journal = try FileJournal(at: directory.path("j"), options: options)
      for payload in payloads { _ = try journal.appendAndWait(payload) }
      try journal.closeAndWait()
      let error = #expect(throws: StoreError.self) {
        try Audit.$isOff.withValue(true) {
          try Store(at: directory.path("j"), types: [], options: options)
        }
      }
      guard case .payload(let sequence, _)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(sequence.rawValue == UInt64(first) + 1)
    }
  }

  /// Makes a random change.
  private func mutate(_ payloads: inout [[UInt8]], _ generator: inout SplitMix64) {
    func below(_ count: Int) -> Int { Int(generator.next() % UInt64(max(1, count))) }
    let index = below(payloads.count)
    let length = payloads[index].count
    switch generator.next() % 11 {
    case 10:
      // The reference to a large value: its transaction, offset or length.
      guard let place = places(of: payloads[index]).first else { break }
      let number = [0, 1, 7, 0x7FFF_FFFF, 0xFFFF_FFFF, UInt32(below(2000))][below(6)]
      put(number, at: place + [0, 8, 12][below(3)], in: &payloads[index])
      if generator.next() & 1 == 0 { put(0, at: place + 12, in: &payloads[index]) }
    case 0: payloads.remove(at: index)
    case 1: payloads.insert(payloads[index], at: below(payloads.count))
    case 2: payloads.swapAt(index, below(payloads.count))
    case 3: payloads[index].removeLast(min(below(20), length - 1))
    case 4: payloads[index] += (0...below(20)).map { _ in UInt8(truncatingIfNeeded: below(256)) }
    case 5:
      let other = payloads[below(payloads.count)]
      let start = below(other.count)
      let piece = other[start..<min(other.count, start + below(60))]
      payloads[index].insert(contentsOf: piece, at: below(length))
    case 6:
      // A number of the usual width at its limits.
      let limits: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
      let start = below(length)
      let limit = limits[below(5)]
      for offset in start..<min(length, start + [1, 2, 4, 8][below(4)]) {
        payloads[index][offset] = limit
      }
    default:
      for _ in 0...below(3) { payloads[index][below(length)] ^= UInt8(1 << below(8)) }
    }
  }

  /// Reads all records, states and transactions of a store.
  private func readAll(_ store: Store) {
    let snapshot = store.snapshot
    for entity in snapshot.entities {
      for record in (try? snapshot.objects(entity.name)) ?? [] {
        _ = try? store.history(of: entity.name, id: record.id)
      }
    }
    _ = try? snapshot.objects(EveryType.self)
    _ = try? snapshot.objects(Numbered.self)
    for sequence in 0...snapshot.sequence.rawValue {
      _ = try? store.snapshot(at: SequenceNumber(sequence)).objects("EveryType")
    }
    guard var transactions = try? store.transactions(from: 1) else { return }
    while let transaction = try? transactions.next() {
      for change in transaction.changes { _ = (change.old, change.new, change.changedAttributes) }
    }
  }

  @Test(arguments: 0..<2)
  func `a hostile journal opens safely or is refused with its position`(
    _ lane: UInt64
  ) throws {
    let originals = try (0..<3).map { try payloads($0) }
    let seeds = UInt64(FaultRow.count(50_000, full: 10_000_000)) / 2
    var openCount = 0
    try FaultRow.run(14, "hostile payloads, lane \(lane)") { count in
      for seed in lane * seeds..<(lane + 1) * seeds {
        var generator = SplitMix64(seed: seed)
        var payloads = originals[Int(seed % 3)]
        for _ in 0...generator.next() % 2 { mutate(&payloads, &generator) }
        let journal = MemoryJournal()
        for payload in payloads where !payload.isEmpty { _ = try journal.appendAndWait(payload) }
        count += 1
        let refusal = Audit.$isOff.withValue(true) { use(journal, seed) }
        switch refusal?.reason {
        case nil: openCount += 1
        case .payload, .typeChanged, .identifierChanged, .tooManyLayouts, .limit: break
        default: Issue.record("seed \(seed): \(String(describing: refusal))")
        }
      }
      #expect(openCount > count / 20 && openCount < count)
    }
  }

  /// Users want to salvage a journal that cannot be opened. A salvage keeps the transactions that
  /// it can decode, and writes a valid journal.
  @Test func `a salvage of a hostile journal keeps the transactions that it can decode`() throws {
    let originals = try (0..<3).map { try payloads($0) }
    try FaultRow.run(14, "hostile payloads that are salvaged") { count in
      for seed in 0..<UInt64(FaultRow.count(1_000, full: 200_000)) {
        var generator = SplitMix64(seed: seed)
        var payloads = originals[Int(seed % 3)]
        for _ in 0...generator.next() % 2 { mutate(&payloads, &generator) }
        if seed % 5 == 0 {
          // One byte of an insert, at any offset.
          let place = Int(generator.next() % UInt64(payloads[0].count))
          payloads[0][place] = UInt8(truncatingIfNeeded: generator.next())
        }
        let disk = SimulatedDisk()
        let journal = try FileJournal(at: "j", options: .simulated(disk))
        for payload in payloads where !payload.isEmpty { _ = try journal.appendAndWait(payload) }
        try journal.closeAndWait()
        count += 1
        try Audit.$isOff.withValue(true) {
          let report: SalvageReport
          do throws(StoreError) {
            report = try Store.salvage(from: "j", to: "s", options: .simulated(disk))
          } catch {
            // A schema above a limit is refused entirely.
            if case .limit = error.reason { return }
            Issue.record("seed \(seed): \(error)")
            return
          }
          let saved = try Store(at: "s", types: [], options: .simulated(disk))
          #expect(saved.snapshot.sequence.rawValue >= UInt64(report.transactionCount))
          readAll(saved)
          try saved.closeAndWait()
        }
      }
    }
  }

  /// A journal that can be opened can be compacted, and has the same records afterwards.
  @Test func `a hostile journal is compacted without changing records or is refused`() throws {
    let originals = try (0..<3).map { try payloads($0) }
    var doneCount = 0
    try FaultRow.run(14, "hostile payloads that are compacted") { count in
      for seed in 0..<UInt64(FaultRow.count(1_000, full: 200_000, least: 20)) {
        var generator = SplitMix64(seed: seed)
        var payloads = originals[Int(seed % 3)]
        for _ in 0...generator.next() % 2 { mutate(&payloads, &generator) }
        let disk = SimulatedDisk()
        let journal = try FileJournal(at: "j", options: .simulated(disk))
        for payload in payloads where !payload.isEmpty { _ = try journal.appendAndWait(payload) }
        try journal.closeAndWait()
        count += 1
        try Audit.$isOff.withValue(true) {
          guard let before = try? Store(reading: "j", types: [], options: .simulated(disk)),
            before.readingProblem == nil
          else { return }
          let names = before.snapshot.entities.map(\.name)
          let records = try names.map { try before.snapshot.objects($0) }
          do throws(StoreError) {
            if seed % 2 == 0 {
              _ = try Store.erase("Numbered", id: .int(2), at: "j", options: .simulated(disk))
            }
            _ = try Store.compact(at: "j", options: .simulated(disk))
            doneCount += 1
          } catch {
            // The erasure is refused: an earlier change is invalid, or the record or entity does
            // not exist.
            switch error.reason {
            case .payload, .notFound, .unknownEntity: break
            default: Issue.record("seed \(seed): \(error)")
            }
          }
          let after = try Store(at: "j", types: [], options: .simulated(disk))
          #expect(try names.map { try after.snapshot.objects($0) } == records, "seed \(seed)")
          readAll(after)
          try after.closeAndWait()
        }
      }
      #expect(doneCount > count / 20)
    }
  }

  /// Opens a journal as a store, reads everything and makes changes; returns the error if opening
  /// is refused.
  private func use(_ journal: MemoryJournal, _ seed: UInt64) -> StoreError? {
    let types: [any Record.Type] =
      seed % 4 == 0 ? [] : [EveryType.self, Numbered.self, Unique.self]
    let store: Store
    do throws(StoreError) { store = try Store.inMemory(types: types, journal: journal) } catch {
      return error
    }
    readAll(store)
    let context = store.makeContext()
    try? context.insert(Numbered(id: 500, name: "new"))
    for number in 0..<8 { try? context.delete(EveryType.self, id: "r\(number)") }
    _ = try? context.saveAndWait()
    return nil
  }
}
