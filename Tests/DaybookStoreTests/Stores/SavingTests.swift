import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Testing

@Suite struct `Saving proposals` {
  private let disk = SimulatedDisk()
  private let food = EntityDefinition(
    "Food", identifiedBy: .string,
    attributes: [
      AttributeDefinition("type", type: .scalar(.string)),
      AttributeDefinition("amount", type: .scalar(.int64)),
      AttributeDefinition("note", type: .scalar(.data)),
    ])

  private func open() throws -> Store {
    try Store(at: "j", entities: [food], options: .simulated(disk))
  }

  private func proposal(
    _ store: Store, insert records: [(String, [AttributeValue])] = [],
    update: [(String, [AttributeValue])] = [], delete: [String] = []
  ) throws -> Proposal {
    let frozen = store.snapshot.frozen
    let entity = try #require(frozen.catalog.index(of: "Food"))
    let layout = frozen.catalog.newest(entity)
    var proposal = Proposal()
    for (id, values) in records + update {
      let key = RecordIdentifier(id)
      let start = proposal.rows.count
      DynamicRecord("Food", id: key, values: values).append(layout, to: &proposal.rows)
      let base = frozen.reader.location(of: IdentifierBytes(key), in: entity)
      proposal.changes.append(
        Proposal.Change(
          base == .none ? .insert : .update, entity: entity, id: key,
          row: start..<proposal.rows.count, base: base, changed: AttributeSet(all: 3)))
    }
    for id in delete {
      let key = RecordIdentifier(id)
      proposal.changes.append(
        Proposal.Change(
          .delete, entity: entity, id: key,
          base: frozen.reader.location(of: IdentifierBytes(key), in: entity)))
    }
    return proposal
  }

  @Test func `old and new snapshots and a reopened store read the saved records`()
    throws
  {
    let store = try open()
    let large = AttributeValue.data((0..<2000).map { UInt8($0 & 255) })
    _ = try store.saveAndWait(
      proposal(
        store, insert: [("a", [.string("x"), .int(1), large]), ("b", [.null, .null, .null])]))
    let first = store.snapshot
    _ = try store.saveAndWait(
      proposal(store, update: [("a", [.string("y"), .int(1), large])], delete: ["b"]))
    _ = try store.saveAndWait(proposal(store, insert: [("c", [.null, .int(3), .null])]))
    func names(_ snapshot: StoreSnapshot) throws -> [String] {
      try snapshot.objects("Food").map { "\($0.id) \($0.values[0] == .string("x"))" }
    }
    #expect(try names(first) == ["a true", "b false"])
    #expect(try names(store.snapshot) == ["a false", "c false"])
    #expect(try store.snapshot.object("Food", id: "a")?.values[2] == large)
    #expect(first.sequence == 1 && store.snapshot.sequence == 3)
    // The large value is stored in the journal once.
    let bytes = try #require(disk.contents(of: "j"))
    #expect(bytes.count < 16384 + 5000 + 65536 + 4096)
    try store.closeAndWait()
    let again = try open()
    #expect(try again.snapshot.objects("Food") == store.snapshot.objects("Food"))
    #expect(again.snapshot.frozen.state.nextCreation == 4)
  }

  @Test func `a proposal that cannot be written is rolled back`() throws {
    let store = try open()
    _ = try store.saveAndWait(proposal(store, insert: [("a", [.null, .int(1), .null])]))
    disk.capacity = 0
    var failing = try proposal(store, update: [("a", [.null, .int(2), .null])])
    let more = try proposal(
      store, insert: [("b", [.null, .int(1), .data(Array(repeating: 1, count: 200_000))])])
    let start = failing.rows.count
    failing.rows.append(more.rows.bytes)
    var change = more.changes[0]
    change.row = start..<failing.rows.count
    failing.changes.append(change)
    #expect(throws: StoreError.self) { try store.saveAndWait(failing) }
    disk.capacity = nil
    #expect(try store.snapshot.objects("Food").map(\.values[1]) == [.int(1)])
    _ = try store.saveAndWait(failing)
    #expect(try store.snapshot.objects("Food").map(\.values[1]) == [.int(2), .int(1)])
    #expect(store.snapshot.sequence == 2)
  }

  @Test func `a rolled back proposal leaves neither its time nor its creation numbers`() throws {
    let store = try open()
    _ = try store.saveAndWait(proposal(store, insert: [("a", [.null, .int(1), .null])]))
    let before = store.snapshot
    var failing = try proposal(
      store, insert: [("b", [.null, .int(1), .data(Array(repeating: 1, count: 200_000))])])
    failing.time = JournalTime(nanoseconds: before.time.nanoseconds + 1_000_000_000)
    disk.capacity = 0
    #expect(throws: StoreError.self) { try store.saveAndWait(failing) }
    #expect(store.snapshot.time == before.time && store.snapshot.sequence == before.sequence)
    let state = store.snapshot.frozen.state
    #expect(state.nextCreation == before.frozen.state.nextCreation)
  }

  @Test func `layouts whose repetition was rolled back are repeated by the next proposal`() throws {
    let store = try open()
    let large = AttributeValue.data(Array(repeating: 1, count: 4 << 20))
    for id in ["a", "b"] {
      _ = try store.saveAndWait(proposal(store, insert: [(id, [.null, .null, large])]))
    }
    disk.capacity = 0
    let failing = try proposal(store, insert: [("c", [.null, .null, large])])
    #expect(throws: StoreError.self) { try store.saveAndWait(failing) }
    disk.capacity = nil
    for id in ["c", "d"] {
      _ = try store.saveAndWait(proposal(store, insert: [(id, [.null, .int(1), .null])]))
    }
    try store.closeAndWait()
    var transactions = try JournalReader(at: "j", on: disk).transactions(from: 1)
    var hasAllLayouts: [Bool] = []
    while let transaction = try transactions.next() {
      hasAllLayouts.append(transaction.payload.copy()[1] & 8 != 0)
    }
    #expect(hasAllLayouts == [true, false, true, false])
  }

  @Test func `a proposal made for another version of a row is refused`() throws {
    let store = try open()
    _ = try store.saveAndWait(proposal(store, insert: [("a", [.null, .int(1), .null])]))
    let late = try proposal(store, update: [("a", [.null, .int(2), .null])])
    _ = try store.saveAndWait(proposal(store, update: [("a", [.string("x"), .int(1), .null])]))
    #expect(throws: StoreError.self) { try store.saveAndWait(late) }
    #expect(store.snapshot.sequence == 2)
  }
}
