import DaybookStore
import FoundationEssentials
import Testing

/// Reading many records by their slots has the same result as reading them singly.
@Suite struct `Many records read by their slots` {
  private struct Labelled<ID: RecordIdentifying>: Record, Equatable {
    var id: ID
    var label = ""

    init() { id = Self.first }

    init(_ id: ID, _ label: String) {
      self.id = id
      self.label = label
    }

    private static var first: ID {
      let candidates: [RecordIdentifier] = [
        .int(0), .uint(0), .string(""), .uuid(`Many records read by their slots`.uuid(0)),
      ]
      guard let first = candidates.lazy.compactMap({ ID($0) }).first else {
        preconditionFailure("an identifier of no kind")
      }
      return first
    }

    static var schema: RecordSchema<Labelled> {
      RecordSchema<Labelled>("Labelled").attribute("label", at: \.label)
    }
  }

  private static func uuid(_ number: Int) -> UUID {
    let (low, high) = (UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8))
    return UUID(uuid: (low, 0, 0, 0, 1, 0, high, 0, 0, 2, 0, 0, 0, low, 0, high))
  }

  /// Checks reading of records in the file and in drafts, some of which have labels outside their
  /// rows, and some slots of which are reused.
  private func hold<ID: RecordIdentifying>(_ makeID: (Int) -> ID) throws {
    let store = try Store.inMemory(types: [Labelled<ID>.self])
    let context = store.makeContext()
    for number in 0..<400 {
      try context.insert(
        Labelled(makeID(number), String(repeating: "é\(number)", count: number % 50)))
    }
    for number in stride(from: 0, to: 400, by: 7) {
      try context.delete(Labelled<ID>.self, id: makeID(number))
    }
    try context.saveAndWait()
    for number in 400..<420 { try context.insert(Labelled(makeID(number), "draft")) }
    try context.insert(
      Labelled(makeID(420), String(repeating: "far too large for a row, ", count: 4000)))
    context.processPendingChanges()
    let frozen = context.frozen
    let codec = try #require(frozen.catalog.types.codec(Labelled<ID>.self))
    var slots: [UInt32] = []
    frozen.state.tables[0].forEach(in: frozen.space) { slot, _, _ in slots.append(slot) }
    slots.reverse()
    #expect(slots.count == 363)
    // Few positions are searched singly, many with a table.
    for some in [slots, Array(slots[..<1]), []] {
      let ids = frozen.identifiers(ofSlots: some, in: 0)
      #expect(ids == some.map { frozen.reader.identifier(ofSlot: $0, in: 0) })
      let records = frozen.records(codec, of: 0, in: some)
      #expect(records.map(\.id.recordIdentifier) == ids)
      for record in records {
        #expect(try context.object(Labelled<ID>.self, id: record.id) == record)
      }
    }
  }

  @Test func `records with signed integer identifiers are read by their slots`() throws {
    try hold { $0 - 200 }
  }
  @Test func `records with unsigned integer identifiers are read by their slots`() throws {
    try hold { UInt64.max - UInt64($0) }
  }
  @Test func `records with string identifiers are read by their slots`() throws {
    try hold { "record \($0)" }
  }

  @Test func `records with UUID identifiers are read by their slots`() throws {
    try hold { `Many records read by their slots`.uuid($0) }
  }
}
