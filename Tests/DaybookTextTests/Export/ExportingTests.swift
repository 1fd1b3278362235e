import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import FoundationEssentials
import StoreTestSupport
import Testing
import TextTestSupport

@Suite struct `Exporting a journal as text` {
  private let desk = TextDesk()

  /// Saves one record of an entity by the store's newest schema.
  private func save(
    _ store: Store, _ entity: String, _ id: RecordIdentifier, _ values: [AttributeValue]?,
    creation: UInt64? = nil, _ metadata: TransactionMetadata = TransactionMetadata()
  ) throws {
    let frozen = store.snapshot.frozen
    let index = try #require(frozen.catalog.index(of: entity))
    let base = frozen.reader.location(of: IdentifierBytes(id), in: index)
    var proposal = Proposal(metadata)
    proposal.time = JournalTime(nanoseconds: Int64(frozen.sequence.rawValue) * 1_000_000_000)
    if let values {
      DynamicRecord(entity, id: id, values: values).append(
        frozen.catalog.newest(index), to: &proposal.rows)
    }
    proposal.changes = [
      Proposal.Change(
        values == nil ? .delete : base == .none ? .insert : .update, entity: index, id: id,
        row: 0..<proposal.rows.count, base: base, changed: AttributeSet(count: values?.count ?? 0),
        creation: creation)
    ]
    _ = try store.saveAndWait(proposal)
  }

  private let first = EntityDefinition(
    "F", identifiedBy: .int,
    attributes: [
      AttributeDefinition("a", type: .scalar(.string)),
      AttributeDefinition("gone", type: .scalar(.bool)),
    ])
  private let second = EntityDefinition(
    "F", identifiedBy: .int,
    attributes: [
      AttributeDefinition("new", type: .scalar(.int8), isRequired: true, default: .int(5)),
      AttributeDefinition("b", type: .scalar(.string), isRequired: true, renamedFrom: "a"),
      AttributeDefinition("c", type: .scalar(.double), isRequired: true),
    ], unique: [["b"], ["b", "c"]])

  @Test func `an export shows rows of every schema by the newest one`() throws {
    var store = try Store(at: "j", entities: [first], options: .simulated(desk.disk))
    try save(store, "F", .int(1), [.string("x"), .bool(true)])
    try save(store, "F", .int(2), [.string("y"), .bool(true)])
    try save(store, "F", .int(2), [.string("y"), .null])
    try store.closeAndWait()
    store = try Store(at: "j", entities: [second], options: .simulated(desk.disk))
    try save(store, "F", .int(1), [.int(5), .string("x"), .double(0.5)])
    try save(store, "F", .int(2), [.int(6), .string("z"), .double(1)])
    try save(store, "F", .int(1), nil)
    try store.closeAndWait()
    // Every row has b, which stays required. Some rows lack c, so the export does not declare c as
    // required.
    let expected = lines(
      #"{"daybook":1,"entities":{"F":{"id":"int","attributes":{"new":{"type":"int8!","default":5},"#
        + #""b":{"type":"string!","renamedFrom":"a"},"c":"double"},"unique":[["b"],["b","c"]]}}}"#,
      #"{"tx":1,"time":"1970-01-01T00:00:00Z","changes":[{"op":"insert","entity":"F","id":1,"#
        + #""set":{"new":5,"b":"x"}}]}"#,
      #"{"tx":2,"time":"1970-01-01T00:00:01Z","changes":[{"op":"insert","entity":"F","id":2,"#
        + #""set":{"new":5,"b":"y"}}]}"#,
      #"{"tx":3,"time":"1970-01-01T00:00:02Z","changes":[]}"#,
      #"{"tx":4,"time":"1970-01-01T00:00:03Z","changes":[{"op":"update","entity":"F","id":1,"#
        + #""set":{"c":0.5}}]}"#,
      #"{"tx":5,"time":"1970-01-01T00:00:04Z","changes":[{"op":"update","entity":"F","id":2,"#
        + #""set":{"new":6,"b":"z","c":1.0}}]}"#,
      #"{"tx":6,"time":"1970-01-01T00:00:05Z","changes":[{"op":"delete","entity":"F","id":1}]}"#)
    #expect(try desk.exported() == expected)
    try desk.disk.remove("j")
    #expect(try desk.passage(expected) == expected)
  }

  @Test func `references to missing records and their declarations are exported unchanged`() throws
  {
    let text = lines(
      #"{"daybook":1,"entities":{"F":{"id":"uint","attributes":{"to":{"type":"ref:G","#
        + #""inverse":"from","onDelete":"deny"},"all":"refs:F!"}},"G":{"id":"uuid","#
        + #""attributes":{"from":{"type":"refs:F","inverse":"to","onDelete":"none"}}}}}"#,
      line(
        1,
        #"{"op":"insert","entity":"F","id":1,"set":{"#
          + #""to":"00000000-0000-0000-0000-00000000000A","all":[7,1,7]}}"#),
      line(2, #"{"op":"update","entity":"F","id":1,"set":{"to":null,"all":[]}}"#))
    #expect(try desk.passage(text) == text)
  }

  @Test func `an import keeps rules for deletions of targets and applies none`()
    throws
  {
    let text = lines(
      #"{"daybook":1,"entities":{"F":{"id":"int","attributes":{"#
        + #""up":{"type":"ref:F","inverse":"down","onDelete":"deny","whenDeleted":"cascade"},"#
        + #""all":{"type":"refs:F!","whenDeleted":"deny"},"#
        + #""like":{"type":"ref:F","whenDeleted":"nullify"},"#
        + #""last":{"type":"ref:F","onDelete":"cascade","whenDeleted":"none"}}}}}"#,
      line(
        1, #"{"op":"insert","entity":"F","id":1,"set":{"all":[]}}"#,
        #"{"op":"insert","entity":"F","id":2,"set":{"up":1,"all":[1],"like":1,"last":3}}"#),
      line(2, #"{"op":"delete","entity":"F","id":1}"#))
    #expect(try desk.passage(text) == text)
  }

  @Test func `metadata is exported and imported unchanged`() throws {
    var store = try Store(at: "j", entities: [first], options: .simulated(desk.disk))
    try save(store, "F", .int(1), [.null, .null], TransactionMetadata(author: "é\n", reason: "r"))
    try store.closeAndWait()
    let once = try desk.exported()
    #expect(once.contains(#""meta":{"author":"é\n","reason":"r"},"#))
    try desk.importing(once, to: "k")
    #expect(try desk.exported("k") == once)
    store = try Store(at: "k", entities: [], options: .simulated(desk.disk))
    #expect(try store.snapshot.objects("F").count == 1)
    try store.closeAndWait()
  }

  /// Saves random records of every type, exports the journal, imports the text, and compares both
  /// journals.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func `importing an export makes an equal journal`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let store = try Store(
      at: "j", records: EveryType.self, Numbered.self, options: .simulated(desk.disk))
    let frozen = store.snapshot.frozen
    let entity = try #require(frozen.catalog.index(of: "EveryType"))
    let codec = try RecordCodec<EveryType>(frozen.catalog.history[entity])
    for number in 0..<25 {
      let frozen = store.snapshot.frozen
      var proposal = Proposal(TransactionMetadata(author: number % 3 == 0 ? nil : "a\(number)"))
      proposal.time = JournalTime(nanoseconds: Int64(number) * 1_234_567_891)
      for place in 0..<Int(generator.next() % 4) {
        let id = "r\(place * 5 + Int(generator.next() % 5))"
        let base = frozen.reader.location(of: IdentifierBytes(RecordIdentifier(id)), in: entity)
        let isDelete = base != .none && generator.next() % 3 == 0
        let start = proposal.rows.count
        if !isDelete {
          codec.append(EveryType.random(id, using: &generator), to: &proposal.rows)
        }
        var change = Proposal.Change(
          isDelete ? .delete : base == .none ? .insert : .update, entity: entity,
          id: RecordIdentifier(id), row: start..<proposal.rows.count, base: base,
          changed: AttributeSet(count: codec.layout.fields.count))
        if change.kind == .insert, generator.next() % 4 == 0 {
          change.creation = frozen.state.nextCreation + 100 + UInt64(place)
        }
        proposal.changes.append(change)
      }
      _ = try store.saveAndWait(proposal)
    }
    let text = try desk.exported(store)
    try desk.importing(text, to: "k")
    #expect(try desk.exported("k") == text)
    let copy = try Store(
      at: "k", records: EveryType.self, Numbered.self, options: .simulated(desk.disk))
    #expect(copy.snapshot.sequence == 25)
    #expect(copy.snapshot.time == store.snapshot.time)
    #expect(copy.snapshot.entities == store.snapshot.entities)
    #expect(copy.snapshot.frozen.state.nextCreation == store.snapshot.frozen.state.nextCreation)
    // Compare the records in order of creation, by every value.
    #expect(try copy.snapshot.objects("EveryType") == store.snapshot.objects("EveryType"))
    try copy.closeAndWait()
    try store.closeAndWait()
  }

  @Test func `a store in memory can be exported`() throws {
    let store = try Store.inMemory(records: Numbered.self)
    try save(store, "Numbered", .int(1), [.string("one")])
    try save(store, "Numbered", .int(1), [.string("two")])
    #expect(
      try desk.exported(store)
        == lines(
          #"{"daybook":1,"entities":{"Numbered":{"id":"int","attributes":{"name":{"type":"string!","#
            + #""default":""}}}}}"#,
          #"{"tx":1,"time":"1970-01-01T00:00:00Z","changes":[{"op":"insert","entity":"Numbered","#
            + #""id":1,"set":{"name":"one"}}]}"#,
          #"{"tx":2,"time":"1970-01-01T00:00:01Z","changes":[{"op":"update","entity":"Numbered","#
            + #""id":1,"set":{"name":"two"}}]}"#))
  }

  @Test func `the error of an invalid payload names its transaction`() throws {
    let journal = try FileJournal(at: "j", options: .simulated(desk.disk))
    _ = try journal.appendAndWait([1, 0, 0])
    _ = try journal.appendAndWait([1, 0, 1, 9])
    try journal.closeAndWait()
    do {
      _ = try desk.exported()
      Issue.record("nothing was thrown")
    } catch {
      #expect(
        "\(error)"
          == """
          j: transaction 2, byte 3 of its payload: the bytes are intact but do not form a valid \
          change, so they were written this way.
          """)
    }
  }

  @Test func `the base is exported before an unreadable transaction`() throws {
    let entities = #""entities":{"F":{"id":"int","attributes":{"t":"string"}}}}"#
    let insert = line(1, #"{"op":"insert","entity":"F","id":1,"set":{"t":"x"}}"#)
    let text = lines(#"{"daybook":1,"base":1,"# + entities, insert)
    try desk.importing(text)
    try desk.importing(lines(#"{"daybook":1,"# + entities, insert), to: "k")
    let reader = try JournalReader(at: "k", options: .simulated(desk.disk))
    var transactions = try reader.transactions(from: 1)
    let first = try #require(try transactions.next())
    // The record is inserted although it exists.
    let journal = try FileJournal(at: "j", options: .simulated(desk.disk))
    _ = try journal.appendAndWait(first.payload.withSpan { $0.withUnsafeBytes { Array($0) } })
    try journal.closeAndWait()
    var written: [UInt8] = []
    #expect(throws: TextJournalError.self) {
      try TextJournal.export(JournalReader(at: "j", options: .simulated(desk.disk))) {
        (piece) throws(DiskError) in
        piece.withUnsafeBytes { written.append(contentsOf: $0) }
      }
    }
    #expect(String(decoding: written, as: UTF8.self) == text)
  }

  @Test func `an export throws the error of its output`() throws {
    try desk.importing(lines(line(1)))
    let reader = try JournalReader(at: "j", on: desk.disk)
    do throws(TextJournalError) {
      try TextJournal.export(reader) { (_) throws(DiskError) in
        throw DiskError(.write, path: "out", code: 32)
      }
      Issue.record("nothing was thrown")
    } catch { #expect("\(error)" == "out: write: Broken pipe (32).") }
  }
}
