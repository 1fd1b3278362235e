import DaybookJournal
import DaybookSimulation
import StoreTestSupport
import Testing

@testable @_spi(Tools) import DaybookStore
@testable @_spi(Tools) import DaybookText

@Suite struct `Appending lines to a store` {
  private let entity = EntityDefinition(
    "F", identifiedBy: .int,
    attributes: [
      AttributeDefinition("t", type: .scalar(.string)),
      AttributeDefinition("n", type: .scalar(.int64)),
    ])

  private func store() throws -> Store {
    let store = try Store.inMemory(types: [])
    try store.define([entity])
    return store
  }

  private func append(
    _ text: String, to store: Store,
    saving: @escaping TextAppend.Saving = { (save) throws(StoreError) in
      try save().map { TextAppend.Saved($0) }
    }
  ) throws -> Int {
    var left = ArraySlice(Array(text.utf8))
    let lines = LineReader { (memory) throws(DiskError) in
      let count = min(memory.count, left.count, 7)
      memory.copyBytes(from: left.prefix(count))
      left = left.dropFirst(count)
      return count
    }
    var append = TextAppend(to: store, lines: lines, path: "lines", saving: saving)
    var count = 0
    while try append.next() != nil { count += 1 }
    return count
  }

  private func exported(_ store: Store) throws -> [String] {
    var bytes: [UInt8] = []
    try TextJournal.export(store) { (piece) throws(DiskError) in
      piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(arguments: 0..<20) func `exported changes that are appended give the same changes`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let original = try store()
    let context = original.makeContext(isolation: nil)
    for _ in 0..<30 {
      for _ in 0..<1 + Int(random.next() % 5) {
        let id = RecordIdentifier.int(Int64(random.next() % 8))
        let record = DynamicRecord(
          "F", id: id,
          values: [
            random.next() % 3 == 0 ? .null : .string("t\(random.next() % 4)"),
            .int(Int64(bitPattern: random.next())),
          ])
        switch random.next() % 4 {
        case 0: try? context.delete("F", id: id, isolation: nil)
        default: try context.upsert(record, isolation: nil)
        }
      }
      context.metadata.author = "a\(random.next() % 3)"
      try context.saveAndWait()
    }
    let lines = try exported(original).dropFirst()
    let unnumbered = lines.map { line in
      "{"
        + line[
          line.firstRange(of: line.contains("\"meta\"") ? "\"meta\"" : "\"changes\"")!.lowerBound...
        ]
    }
    let copy = try store()
    #expect(try append(unnumbered.joined(separator: "\n"), to: copy) == lines.count)
    func withoutTimes(_ lines: [String]) -> [String] {
      lines.map { $0.replacing(/"time":"[^"]*"/, with: "") }
    }
    #expect(try withoutTimes(exported(copy)) == withoutTimes(exported(original)))
  }

  @Test(arguments: [
    #"{"op":"update","entity":"Project","id":1,"set":{"plan":null}},"#
      + #"{"op":"update","entity":"Project","id":2,"set":{"plan":1}},"#
      + #"{"op":"delete","entity":"Project","id":1}"#,
    // As a transaction is exported that has changed project 1 first.
    #"{"op":"delete","entity":"Project","id":1},"#
      + #"{"op":"update","entity":"Project","id":2,"set":{"plan":1}}"#,
  ])
  func `a line can give an owned record to a new owner`(changes: String) throws {
    let store = try Store.inMemory(types: [])
    var plan = AttributeDefinition(
      "plan", type: .reference(EntityReference("Plan", identifierKind: .int)))
    plan.ownDeleteRule = .cascade
    try store.define([
      EntityDefinition("Plan", identifiedBy: .int, attributes: []),
      EntityDefinition("Project", identifiedBy: .int, attributes: [plan]),
    ])
    let records =
      #"{"changes":[{"op":"insert","entity":"Plan","id":1,"set":{}},"#
      + #"{"op":"insert","entity":"Project","id":1,"set":{"plan":1}},"#
      + #"{"op":"insert","entity":"Project","id":2,"set":{}}]}"#
    #expect(try append(records + "\n{\"changes\":[" + changes + "]}", to: store) == 2)
    #expect(try store.snapshot.object("Plan", id: .int(1)) != nil)
    #expect(try store.snapshot.object("Project", id: .int(2))?["plan"] == .reference(.int(1)))
    #expect(try store.snapshot.object("Project", id: .int(1)) == nil)
    // A record can be deleted and inserted again in one line.
    let again =
      #"{"changes":[{"op":"delete","entity":"Project","id":2},"#
      + #"{"op":"insert","entity":"Project","id":2,"set":{}}]}"#
    #expect(try append(again, to: store) == 1)
    #expect(try store.snapshot.object("Plan", id: .int(1)) == nil)
    #expect(try store.snapshot.object("Project", id: .int(2))?["plan"] == .null)
  }

  @Test func `a refused line leaves the store as it was`() throws {
    let store = try store()
    let good = #"{"changes":[{"op":"insert","entity":"F","id":1,"set":{"n":1}}]}"#
    let bad =
      #"{"changes":[{"op":"update","entity":"F","id":1,"set":{"n":2}},{"op":"delete","entity":"F","id":2}]}"#
    do {
      _ = try append(good + "\n" + bad, to: store)
      Issue.record("the bad line was appended")
    } catch let error as TextJournalError {
      #expect("\(error)" == "lines:2:63: F 2 does not exist.")
    }
    #expect(store.snapshot.sequence == 1)
    #expect(try store.snapshot.object("F", id: .int(1))?.values == [.null, .int(1)])
  }

  @Test func `lost transactions are written as lines that can be appended`() throws {
    let disk = SimulatedDisk()
    let options = JournalOptions.simulated(disk)
    let store = try Store(at: "lost", entities: [entity], options: options)
    for number in 1...3 as ClosedRange<Int64> {
      let context = store.makeContext(isolation: nil)
      context.metadata.author = number == 2 ? "ann" : nil
      try context.insert(DynamicRecord("F", id: .int(number), values: [.null, .int(number)]))
      if number == 3 { try context.delete("F", id: .int(1)) }
      try context.saveAndWait()
    }
    try store.closeAndWait()
    var bytes: [UInt8] = []
    let reader = try JournalReader(at: "lost", options: options)
    let count = try TextJournal.exportLost(reader, after: 1) { (piece) throws(DiskError) in
      piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(count == 2)
    #expect(
      text == """
        {"daybook":1,"entities":{"F":{"id":"int","attributes":{"t":"string","n":"int64"}}}}
        {"meta":{"author":"ann","lost":"2, 2026-01-01T00:00:00Z"},"changes":[{"op":"insert","entity":"F","id":2,"set":{"n":2}}]}
        {"meta":{"lost":"3, 2026-01-01T00:00:00Z"},"changes":[{"op":"insert","entity":"F","id":3,"set":{"n":3}},{"op":"delete","entity":"F","id":1}]}

        """)
    let other = try self.store()
    let context = other.makeContext(isolation: nil)
    try context.insert(DynamicRecord("F", id: .int(1), values: [.null, .null]))
    try context.saveAndWait()
    #expect(try append(text, to: other) == 2)
    #expect(other.snapshot.count(of: "F") == 2)
    #expect(try other.snapshot.object("F", id: .int(3))?.values[1] == .int(3))
  }

  @Test func `a header adds the attributes and the entities that the store lacks`() throws {
    let store = try store()
    let text = """
      {"daybook":1,"entities":{"F":{"id":"int","attributes":{"note":"string"}},\
      "G":{"id":"int","attributes":{"n":"int64"}}}}
      {"changes":[{"op":"insert","entity":"F","id":1,"set":{"n":1,"note":"new"}}]}
      {"changes":[{"op":"insert","entity":"G","id":1,"set":{"n":2}}]}

      """
    #expect(try append(text, to: store) == 2)
    let values = try store.snapshot.object("F", id: .int(1))?.values
    #expect(values == [.null, .int(1), .string("new")])
    #expect(try store.snapshot.object("G", id: .int(1))?.values == [.int(2)])
    #expect(store.snapshot.entities.map(\.name).sorted() == ["F", "G"])
  }

  @Test func `the function of the caller saves each line`() throws {
    let store = try store()
    var attemptCount = 0
    let lines = [
      #"{"changes":[{"op":"insert","entity":"F","id":1,"set":{}}]}"#, #"{"changes":[]}"#,
    ]
    let count = try append(lines.joined(separator: "\n"), to: store) { (save) throws(StoreError) in
      attemptCount += 1
      return try save().map { TextAppend.Saved($0) }
    }
    #expect(count == 2 && attemptCount == 2)
    #expect(store.snapshot.sequence == 2)
  }

  @Test func `a header with a base cannot be appended`() throws {
    do {
      _ = try append(#"{"daybook":1,"base":3,"entities":{}}"#, to: try store())
      Issue.record("the base was appended")
    } catch let error as TextJournalError {
      #expect(
        "\(error)" == "lines:1:1: a text to append cannot have a base, but this one has 3.")
    }
  }
}
