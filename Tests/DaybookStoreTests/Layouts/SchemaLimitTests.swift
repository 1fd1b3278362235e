import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookSimulation
import DaybookText
import StoreTestSupport
import TestSupport
import Testing
import TextTestSupport

/// A schema that exceeds a limit is neither written nor imported. A journal with such a schema is
/// refused with the limit as the reason.
@Suite struct `Limits of a schema` {
  private static let afterJournal =
    " The journal is intact and was not changed, but this version cannot read a schema of this size."

  private func refusal(of shape: HostileShape, _ size: Int) throws -> StoreError? {
    let journal = MemoryJournal()
    for payload in shape.payloads(size) { _ = try journal.appendAndWait(payload) }
    do throws(StoreError) {
      _ = try Store.inMemory(types: [], journal: journal)
      return nil
    } catch { return error }
  }

  private static let sentences: [(HostileShape, Int, Int, String)] = [
    (
      .attributes, 4_096, 1,
      "transaction 1: Entity has 4097 attributes; the limit is 4096."
    ),
    (
      .uniqueLists, 64, 1,
      "transaction 1: Entity has 65 unique lists; the limit is 64."
    ),
    (
      .uniqueListAttributes, 16, 1,
      "transaction 1: a unique list of Entity names 17 attributes; the limit is 16."
    ),
    (
      .entities, 1_024, 1,
      "transaction 1: Entity1024 is entity number 1025; the limit is 1024 entities in a journal."
    ),
    (
      .layouts, 1_024, 1,
      "transaction 1: Entity has 1025 layouts; the limit is 1024."
    ),
    (
      .layoutsApart, 1_024, 1_025,
      "transaction 1025: Entity has 1025 layouts; the limit is 1024."
    ),
  ]

  @Test(arguments: sentences)
  func `a journal is read up to a schema limit and refused above it`(
    _ shape: HostileShape, _ limit: Int, _ sequence: Int, _ sentence: String
  ) throws {
    try Audit.$isOff.withValue(true) {
      #expect(try refusal(of: shape, limit) == nil)
      let error = try #require(try refusal(of: shape, limit + 1))
      guard case .limit(_, in: let found) = error.reason,
        found == SequenceNumber(UInt64(sequence))
      else {
        Issue.record("\(error)")
        return
      }
      #expect("\(error)" == "\(error.path): \(sentence)\(Self.afterJournal)")
    }
  }

  @Test func `a journal above a schema limit is not salvaged`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("j")
      try HostileShape.attributes.write(SchemaLimit.attributes.maximum + 1, to: path)
      let error = #expect(throws: StoreError.self) {
        try Store.salvage(from: path, to: directory.path("s"))
      }
      #expect(
        error.map { "\($0)" }
          == "\(path): \(Self.sentences[0].3)\(Self.afterJournal)")
      #expect(!directory.names.contains("s"))
    }
  }

  private struct ManyLists: Record {
    var id = 0
    var name = ""
    static let schema: RecordSchema<ManyLists> = {
      var schema = RecordSchema<ManyLists>("ManyLists").attribute("name", at: \.name)
      for _ in 0...SchemaLimit.uniqueLists.maximum { schema = schema.unique(\.name) }
      return schema
    }()
  }

  @Test func `a program's schema above a limit is refused`() throws {
    let error = #expect(throws: StoreError.self) { try Store.inMemory(records: ManyLists.self) }
    #expect(
      error.map { "\($0)" }
        == "\(error?.path ?? ""): ManyLists has 65 unique lists; the limit is 64. "
        + "The journal was not changed.")
  }

  @Test func `an entity with too many attributes is refused`()
    throws
  {
    let store = try Store.inMemory(types: [])
    let attributes = (0...SchemaLimit.attributes.maximum).map {
      AttributeDefinition("a\($0)", type: .scalar(.bool))
    }
    let error = #expect(throws: StoreError.self) {
      try store.define([EntityDefinition("Wide", identifiedBy: .int, attributes: attributes)])
    }
    #expect(
      error.map { "\($0)" }
        == "\(store.path): Wide has 4097 attributes; the limit is 4096. "
        + "The journal was not changed.")
  }

  @Test func `an entity keeps its layouts when a definition exceeds their limit`() throws {
    let store = try Store.inMemory(types: [])
    func define(_ count: Int) throws(StoreError) {
      let attributes = (0..<count).map { AttributeDefinition("a\($0)", type: .scalar(.bool)) }
      try store.define([EntityDefinition("E", identifiedBy: .int, attributes: attributes)])
    }
    for number in 0..<SchemaLimit.layouts.maximum { try define(number % 2) }
    let error = #expect(throws: StoreError.self) { try define(2) }
    #expect(
      error.map { "\($0)" }
        == "\(store.path): E has 1025 layouts; the limit is 1024. "
        + "The journal was not changed.")
    #expect(store.snapshot.entities.first?.attributes.count == 1)
  }

  @Test func `a text journal above a schema limit is refused at the excess`() throws {
    let desk = TextDesk()
    func problem(_ text: HostileText, _ size: Int) -> String? {
      desk.problem(String(decoding: text.bytes(size), as: UTF8.self))
    }
    func column(of part: String, in line: String) throws -> Int {
      let start = try #require(line.firstRange(of: part)).lowerBound
      return line.unicodeScalars.distance(from: line.startIndex, to: start) + 1
    }
    func line(_ number: Int, _ text: HostileText, _ size: Int) -> String {
      let lines = String(decoding: text.bytes(size), as: UTF8.self).split(separator: "\n")
      return String(lines[number - 1])
    }
    let oneByOne = try column(
      of: #""a4097""#, in: line(4_097, .attributesOneByOne, 4_097))
    #expect(
      problem(.attributesOneByOne, 4_097)
        == "t:4097:\(oneByOne): Entity has 4097 attributes; the limit is 4096.")
    let wide = try column(of: #""a4096""#, in: line(1, .wideRows, 4_097))
    #expect(
      problem(.wideRows, 4_097)
        == "t:1:\(wide): Entity has 4097 attributes; the limit is 4096.")
    let entities = try column(of: #""Entity1025""#, in: line(1_025, .inferredEntities, 1_025))
    #expect(
      problem(.inferredEntities, 1_025)
        == "t:1025:\(entities): Entity1025 is entity number 1025; the limit is 1024 entities in a journal."
    )
    let named = try column(of: #""Entity1024""#, in: line(1, .entities, 1_025))
    #expect(
      problem(.entities, 1_025)
        == "t:1:\(named): Entity1024 is entity number 1025; the limit is 1024 entities in a journal."
    )
    let lists = problem(.uniqueLists, 65)
    #expect(
      lists?.hasSuffix("Entity has 65 unique lists; the limit is 64.") == true)
    #expect(problem(.uniqueLists, 64) == nil)
  }
}
