import DaybookJournal
import DaybookSimulation
@_spi(Tools) import DaybookStore
import DaybookText
import StoreTestSupport
import Testing

/// Problems that opening tolerates and `verify` reports.
@Suite struct `Checking transactions` {
  private static let layout = Layout(
    number: 0,
    of: EntityDefinition(
      "A", identifiedBy: .string,
      attributes: [
        AttributeDefinition("name", type: .scalar(.string), isRequired: true),
        AttributeDefinition("list", type: .array(.string)),
      ]))

  private let layout = `Checking transactions`.layout
  private let journal = MemoryJournal()

  private func row(_ id: String, name: String?, list: AttributeValue = .null) -> [UInt8] {
    var buffer = RowBuffer()
    let values: [AttributeValue] = [name.map { .string($0) } ?? .null, list]
    DynamicRecord("A", id: RecordIdentifier(id), values: values).append(layout, to: &buffer)
    return buffer.bytes
  }

  /// Appends a transaction with the changes that a closure writes.
  private func append(_ changeCount: Int, _ write: (inout PayloadWriter) -> Void) throws {
    let isFirst = journal.head.sequence == .zero
    var writer = PayloadWriter(
      layouts: PayloadLayouts(isFirst ? [layout] : []), changeCount: changeCount)
    write(&writer)
    _ = try journal.appendAndWait(writer.finish())
  }

  private func findings() throws -> [String] {
    try Audit.$isOff.withValue(true) {
      var findings: [String] = []
      let check = try TransactionsCheck(try Store.inMemory(types: [], journal: journal)) {
        findings.append("\($0)")
      }
      #expect(TextJournal.headerProblem(of: check.entities, base: .zero) == nil)
      return findings
    }
  }

  /// Returns the position of the only row of a transaction.
  private func position(_ sequence: UInt64) throws -> ChangePosition {
    let store = try Audit.$isOff.withValue(true) { try Store.inMemory(types: [], journal: journal) }
    let location = store.snapshot.frozen.reader.location(of: IdentifierBytes(.string("1")), in: 0)
    let position = store.snapshot.frozen.memory.position(of: location)
    #expect(position.sequence == sequence)
    return position
  }

  @Test func `a duplicate creation number is a finding`() throws {
    try append(2) { writer in
      writer.insert(row("1", name: "a").span.bytes, creation: 1)
      writer.insert(row("2", name: "b").span.bytes, creation: 2)
    }
    try append(1) { $0.insert(row("3", name: "c").span.bytes, creation: 1) }
    #expect(try findings() == ["in transaction 2, A 3 has the creation number 1 of another record"])
  }

  @Test func `the creation number of a record that the transaction deletes is free`() throws {
    try append(1) { $0.insert(row("1", name: "a").span.bytes, creation: 1) }
    let position = try position(1)
    try append(2) { writer in
      writer.insert(row("2", name: "b").span.bytes, creation: 1)
      writer.delete(.string("1"), in: layout, after: position)
    }
    #expect(try findings() == [])
  }

  @Test func `a change that does not follow the record's last change is a finding`() throws {
    try append(1) { $0.insert(row("1", name: "a").span.bytes, creation: 1) }
    let first = try position(1)
    for name in ["b", "c"] {
      try append(1) { writer in
        writer.update(
          row("1", name: name).span.bytes, creation: 1, after: first,
          changed: AttributeSet(all: 2))
      }
    }
    #expect(
      try findings() == [
        "in transaction 3, A 1 does not refer to the previous change of the record"
      ])
  }

  @Test func `a required value that is missing in the middle of a history is a finding`() throws {
    try append(1) { $0.insert(row("1", name: nil).span.bytes, creation: 1) }
    let first = try position(1)
    #expect(try findings() == [])
    try append(1) { writer in
      writer.update(
        row("1", name: "b").span.bytes, creation: 1, after: first, changed: AttributeSet(all: 2))
    }
    #expect(try findings() == ["in transaction 1, A 1 has no name, which is required"])
  }

  @Test func `an array with invalid ends is a finding, also outside its row`() throws {
    for text in ["x", String(repeating: "x", count: 600)] {
      var row = row("1", name: "a", list: .array([.string(text)]))
      var stored: [UInt8] = []
      let known = layout.range(of: 1, in: row.span.bytes)
      let range = try #require(known)
      // The number of elements is the first word of the array.
      row[range.lowerBound] = 9
      if text.count > 512 {
        let whole = row
        row =
          layout.storing(whole.span.bytes) { _, value in
            stored = value.withUnsafeBytes { [UInt8]($0) }
            return StoredValue(
              sequence: 0, offset: 0, length: UInt32(stored.count),
              checksum: XXH64.checksum(value, seed: 0))
          } ?? row
        let places = layout.storedValues(in: row.span.bytes)
        let place = try #require(places.first).offset
        let start = PayloadWriter(
          layouts: PayloadLayouts([layout]), storedValues: stored, changeCount: 1
        )
        .storedValuesOffset
        for byte in 0..<4 { row[place + 8 + byte] = UInt8(truncatingIfNeeded: start >> (8 * byte)) }
      }
      let journal = MemoryJournal()
      var writer = PayloadWriter(
        layouts: PayloadLayouts([layout]), storedValues: stored, changeCount: 1)
      writer.insert(row.span.bytes, creation: 1)
      _ = try journal.appendAndWait(writer.finish())
      try Audit.$isOff.withValue(true) {
        var findings: [String] = []
        _ = try TransactionsCheck(try Store.inMemory(types: [], journal: journal)) {
          findings.append("\($0)")
        }
        #expect(findings == ["in transaction 1, A 1 has an unreadable value of list"])
      }
    }
  }

  @Test func `a schema that no text header can express is a problem`() throws {
    let attribute = AttributeDefinition("x", type: .scalar(.int64))
    func entity(_ change: (inout EntityDefinition) -> Void) -> EntityDefinition {
      var entity = EntityDefinition("A", identifiedBy: .int, attributes: [attribute])
      change(&entity)
      return entity
    }
    let cases: [(EntityDefinition, String?)] = [
      (entity { _ in }, nil),
      (entity { $0.name = "" }, "the name of the entity is empty."),
      (
        entity { $0.attributes[0].name = "" },
        "the name of an attribute of A is empty."
      ),
      (
        entity { $0.attributes[0].name = "id" },
        "an attribute of A is named \"id\", which is reserved for the identifier."
      ),
      (
        entity { $0.unique = [[]] },
        "a list in \"unique\" of A is empty; it needs at least one attribute."
      ),
      (
        entity {
          $0.attributes[0].type = .array(.int64)
          $0.unique = [["x"]]
        },
        "\"unique\" of A names \"x\", which has several values."
      ),
      (
        entity { $0.attributes[0].inverse = "y" },
        "only a reference can have an inverse; A.x is not a reference."
      ),
      (
        entity { $0.attributes[0].ownDeleteRule = .deny },
        "the header of a text journal cannot express the schema of A."
      ),
      (
        entity { $0.attributes[0].type = .reference(EntityReference("B", identifierKind: .int)) },
        "the reference leads to \"B\", which the header does not declare."
      ),
      (
        entity {
          $0.attributes[0].type = .reference(EntityReference("A", identifierKind: .string))
        },
        "the header of a text journal cannot express the schema of A."
      ),
    ]
    for (entity, problem) in cases {
      let journal = MemoryJournal()
      let writer = PayloadWriter(
        layouts: PayloadLayouts([Layout(number: 0, of: entity)]), changeCount: 0)
      _ = try journal.appendAndWait(writer.finish())
      try Audit.$isOff.withValue(true) {
        let check = try TransactionsCheck(try Store.inMemory(types: [], journal: journal)) { _ in
        }
        #expect(TextJournal.headerProblem(of: check.entities, base: .zero) == problem)
      }
    }
  }

  @Test func `the transactions of a program have no findings`() throws {
    for seed in 0..<10 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      let store = try Store.inMemory(types: [EveryType.self, Numbered.self], journal: journal)
      let context = store.makeContext()
      for number in 0..<8 {
        try context.insert(EveryType.random("s\(seed) r\(number)", using: &generator))
        if number > 2 {
          try context.update(EveryType.self, id: "s\(seed) r\(number - 2)") { $0.int += 1 }
          try context.delete(EveryType.self, id: "s\(seed) r\(number - 3)")
        }
        try context.saveAndWait()
        // A restored record has its creation number again.
        _ = try context.undo()
        try context.saveAndWait()
        _ = try context.redo()
        try context.saveAndWait()
      }
    }
    #expect(try findings() == [])
  }
}
