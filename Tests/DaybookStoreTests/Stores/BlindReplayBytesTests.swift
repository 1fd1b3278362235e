import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

/// Opening a file replays its inserts without looking up records until another kind of change
/// occurs. A journal in memory looks up each record. Both replays must have the same result.
@Suite("Replay without lookups") struct BlindReplayBytesTests {
  private struct Named: Record {
    var id = ""
    var name = ""
    static let schema = RecordSchema<Named>("Named").attribute("name", at: \.name)
  }

  /// Payloads of many inserts and a few other changes, some of them invalid.
  private struct Story {
    var payloads: [[UInt8]] = []
    /// The first transaction with an invalid change.
    private(set) var refused: SequenceNumber?
    private var random: SplitMix64
    private var creation: UInt64 = 1
    private var numbers: [Int64] = []
    private var creations: [RecordIdentifier: UInt64] = [:]
    private let layouts: [Layout]

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      layouts = [
        Numbered.schema.definition, Unique.schema.definition, Named.schema.definition,
      ].enumerated().map {
        Layout(number: UInt16($0), of: $1)
      }
      // Some stories have only inserts, as one change of another kind makes the replay look up
      // records.
      let (others, lies) = (below(3) * 4, below(3) == 0 ? 400 : 0)
      for index in 0..<1 + below(8) {
        append(index, below(4) == 0 ? below(8) : below(300), others, lies)
      }
    }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private func id(_ number: Int64, _ kind: Int) -> RecordIdentifier {
      if kind == 0 { return .int(number) }
      if kind == 2 { return RecordIdentifier("\(number)") }
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
      return .uuid(
        UUID(
          uuid: (
            1, 2, 3, 4, 5, 6, 7, 8, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5],
            bytes[6], bytes[7]
          )))
    }

    /// - Parameters:
    ///   - others: The percentage of changes that are no inserts.
    ///   - lies: One of this number of changes is invalid; none if it is 0.
    private mutating func append(_ index: Int, _ count: Int, _ others: Int, _ lies: Int) {
      var writer = PayloadWriter(
        layouts: PayloadLayouts(index == 0 ? layouts : []), changeCount: count)
      let sequence = SequenceNumber(UInt64(index + 1))
      var kind = 0
      // A valid transaction changes a record at most once.
      var changed: Set<EntityKey> = []
      for _ in 0..<count {
        if below(20) == 0 { kind = below(3) }
        let isLie = lies > 0 && below(lies) == 0
        if below(100) < others, !numbers.isEmpty {
          let known = numbers[below(numbers.count)]
          let id = id(isLie && below(2) == 0 ? known + 1000 : known, kind)
          let isSecond = changed.contains(EntityKey(kind, id: id))
          if let made = creations[id] ?? (isLie ? 1 : nil), isLie || !isSecond {
            if creations[id] == nil || isSecond { refused = refused ?? sequence }
            changed.insert(EntityKey(kind, id: id))
            if below(2) == 0 {
              writer.update(
                row(id, kind).bytes.span.bytes, creation: made,
                after: ChangePosition(sequence: 0, payloadOffset: 0),
                changed: AttributeSet(all: layouts[kind].fields.count))
            } else {
              writer.delete(
                id, in: layouts[kind], after: ChangePosition(sequence: 0, payloadOffset: 0))
              creations[id] = nil
            }
            continue
          }
        }
        let number = isLie ? numbers.randomElement(using: &random) ?? 0 : Int64(numbers.count) * 7
        numbers.append(number)
        let id = id(number, kind)
        let isSecond = !changed.insert(EntityKey(kind, id: id)).inserted
        if creations.updateValue(creation, forKey: id) != nil || isSecond {
          refused = refused ?? sequence
        }
        writer.insert(row(id, kind).bytes.span.bytes, creation: creation)
        creation += 1
      }
      payloads.append(writer.finish())
    }

    private mutating func row(_ id: RecordIdentifier, _ kind: Int) -> RowBuffer {
      var row = RowBuffer()
      // Some names are so long that most journals store them outside the row.
      let name = String(repeating: "x", count: below(30) == 0 ? below(700) : below(12))
      let values: [AttributeValue] = kind == 1 ? [.string(name), .null] : [.string(name)]
      DynamicRecord(layouts[kind].entity.name, id: id, values: values).append(
        layouts[kind], to: &row)
      return row
    }
  }

  /// Returns the store of a journal, or the error of opening it.
  private func outcome(_ open: () throws -> Store) throws -> Result<Store, StoreError> {
    do { return .success(try open()) } catch let error as StoreError { return .failure(error) }
  }

  private let time = JournalTime(nanoseconds: 1_000_000)

  @Test func `a replay without lookups has the result of one with lookups`() throws {
    var (refused, opened) = (0, 0)
    for seed in 0..<UInt64(FaultRow.count(2000, full: 20_000)) {
      let story = Story(seed: seed)
      let payloads = story.payloads
      let disk = SimulatedDisk()
      let (file, memory) = (
        try FileJournal(at: "j", options: .simulated(disk)), MemoryJournal()
      )
      for payload in payloads {
        _ = try file.appendAndWait(payload, at: time)
        _ = try memory.appendAndWait(payload, at: time)
      }
      try file.closeAndWait()
      try Audit.$isOff.withValue(true) {
        let blind = try outcome { try Store(at: "j", types: [], options: .simulated(disk)) }
        let careful = try outcome { try Store.inMemory(types: [], journal: memory) }
        switch (blind, careful) {
        case (.success(let one), .success(let other)):
          opened += 1
          #expect(story.refused == nil, "seed \(seed)")
          #expect(Audit.differences(one.snapshot, other.snapshot) == [], "seed \(seed)")
          expectSameSlots(one.snapshot.frozen, other.snapshot.frozen, seed)
        case (.failure(let one), .failure(let other)):
          refused += 1
          guard case .payload(sequence: story.refused, _) = one.reason else {
            Issue.record("seed \(seed): \(one), not \(story.refused as Any)")
            return
          }
          #expect(one.reason == other.reason, "seed \(seed)")
          try expectShown(disk, payloads, one)
        default: Issue.record("seed \(seed): \(blind) against \(careful)")
        }
      }
    }
    #expect(refused > opened / 20 && opened > refused, "\(refused) refused, \(opened) opened")
  }

  /// Checks that each record is found by its identifier, and has the same slot in both states.
  private func expectSameSlots(_ one: FrozenState, _ other: FrozenState, _ seed: UInt64) {
    for entity in one.state.tables.indices {
      let ids = ids(one, entity)
      #expect(ids == self.ids(other, entity), "seed \(seed)")
      for (slot, id) in ids {
        #expect(one.reader.slot(of: IdentifierBytes(id), in: entity) == slot, "seed \(seed): \(id)")
      }
    }
  }

  private func ids(_ frozen: FrozenState, _ entity: Int) -> [UInt32: RecordIdentifier] {
    var ids: [UInt32: RecordIdentifier] = [:]
    guard entity < frozen.state.tables.count else { return ids }
    frozen.state.tables[entity].forEach(in: frozen.space) { slot, _, _ in
      ids[slot] = frozen.reader.identifier(ofSlot: slot, in: entity)
    }
    return ids
  }

  /// Checks that a store opened for reading shows the state before the invalid transaction.
  private func expectShown(_ disk: SimulatedDisk, _ payloads: [[UInt8]], _ error: StoreError) throws
  {
    let reading = try Store(reading: "j", types: [], options: .simulated(disk))
    #expect(reading.readingProblem?.reason == error.reason)
    let intact = MemoryJournal()
    for payload in payloads.prefix(Int(reading.snapshot.sequence.rawValue)) {
      _ = try intact.appendAndWait(payload, at: time)
    }
    let store = try Store.inMemory(types: [], journal: intact)
    #expect(
      Audit.differences(reading.snapshot, store.snapshot) == [])
    expectSameSlots(reading.snapshot.frozen, store.snapshot.frozen, 0)
  }
}
