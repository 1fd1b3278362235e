@_spi(Tools) import DaybookStore
import DaybookSimulation
import FoundationEssentials
import StoreTestSupport
import Testing

private struct Account: Record, Codable, Equatable {
  var id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10))
  var name = ""
  var details: Reference<Numbered>?
  var owners: [Reference<Owner>] = []

  static let schema = RecordSchema<Account>("Account")
    .attribute("name", at: \.name).reference("details", at: \.details)
    .references("owners", at: \.owners)
}

private struct Owner: Record {
  var id = ""

  static let schema = RecordSchema<Owner>("Owner")
}

@Suite struct `Coding of records` {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode<Value: DecodableWithConfiguration>(
    _ type: Value.Type, _ json: String, _ configuration: Value.DecodingConfiguration
  ) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8), configuration: configuration)
  }

  private func problem(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "none"
    } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
      DecodingError.valueNotFound(_, let context), DecodingError.keyNotFound(_, let context)
    {
      let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
      return "\(path.joined(separator: ".")): \(context.debugDescription)"
    } catch EncodingError.invalidValue(_, let context) {
      return context.debugDescription
    } catch { return "\(error)" }
  }

  @Test func `a record with references is written as JSON and read from it`() throws {
    let account = Account(
      name: "First", details: Reference(7), owners: [Reference("ada"), Reference("bo")])
    let text = try json(account)
    #expect(
      text == #"{"details":7,"id":"00000000-0000-0000-0000-00000000000A","name":"First","#
        + #""owners":["ada","bo"]}"#)
    #expect(try JSONDecoder().decode(Account.self, from: Data(text.utf8)) == account)
  }

  @Test func `a reference is not read from an identifier of another kind`() throws {
    let list = #"["a"]"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Reference<Numbered>].self, from: Data(list.utf8))
    }
    let numbers = try JSONDecoder().decode([Reference<Owner>].self, from: Data(list.utf8))
    #expect(numbers == [Reference("a")])
  }

  @Test func `identifiers of a known kind are equal after decoding`() throws {
    let ids: [RecordIdentifier] = [
      .int(.min), .int(0), .int(.max), .uint(0), .uint(.max), "", "e\u{301}\"\\\n", "7",
      "00000000-0000-0000-0000-00000000000A", .uuid(UUID()),
    ]
    for id in ids {
      #expect(try decode(RecordIdentifier.self, json(id), id.kind) == id)
    }
  }

  @Test func `an identifier of an unknown kind is read by its form`() throws {
    let uuid = UUID()
    let texts: [(String, RecordIdentifier)] = [
      ("7", .int(7)), ("-7", .int(-7)), ("18446744073709551615", .uint(.max)),
      (#""a""#, .string("a")), (#""7""#, .string("7")), ("\"\(uuid.uuidString)\"", .uuid(uuid)),
    ]
    for (text, id) in texts {
      #expect(try JSONDecoder().decode(RecordIdentifier.self, from: Data(text.utf8)) == id)
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(RecordIdentifier.self, from: Data("1.5".utf8))
    }
  }

  @Test func `records of every type are equal after decoding, from the JSON of the tool too`()
    throws
  {
    var random = SplitMix64(seed: 61)
    let records = (0..<60).map { EveryType.random("r\($0)", using: &random) }
    let store = try Store.inMemory(records: EveryType.self, Numbered.self)
    let context = store.makeContext()
    for record in records { try context.insert(record) }
    _ = try context.saveAndWait()
    let definition = try #require(
      store.snapshot.entities.first { $0.name == EveryType.schema.entity })
    let stored = try store.snapshot.objects("EveryType")
    #expect(stored.count == records.count)
    for record in stored {
      #expect(try decode(DynamicRecord.self, json(record), definition) == record)
      var writer = JSONWriter()
      writer.beginObject()
      writer.key("id")
      writer.write(record.id)
      for (attribute, value) in zip(definition.attributes, record.values) {
        writer.key(attribute.name)
        writer.write(value)
      }
      writer.endObject()
      let text = String(decoding: writer.bytes, as: UTF8.self)
      #expect(try decode(DynamicRecord.self, text, definition) == record)
    }
  }

  @Test func `numbers that are not finite are encoded by their names`() throws {
    let values: [(AttributeValue, ScalarType)] = [
      (.double(.nan), .double), (.double(.infinity), .double), (.double(-.infinity), .double),
      (.float(.nan), .float), (.float(-.infinity), .float), (.double(-0.0), .double),
      (.date(Date(timeIntervalSinceReferenceDate: .infinity)), .date),
    ]
    for (value, type) in values {
      #expect(try decode(AttributeValue.self, json(value), .scalar(type)) == value)
    }
    #expect(try json(AttributeValue.double(-.infinity)) == #""-Infinity""#)
  }

  @Test func `an absent attribute has its default, and another key is ignored`() throws {
    let definition = EntityDefinition(
      "Note", identifiedBy: .int,
      attributes: [
        AttributeDefinition(
          "stars", type: .scalar(.int8), isRequired: true, default: .int(3)),
        AttributeDefinition("title", type: .scalar(.string)),
      ])
    let note = try decode(DynamicRecord.self, #"{"id":1,"colour":"red"}"#, definition)
    #expect(note == DynamicRecord("Note", id: .int(1), values: [.int(3), .null]))
    #expect(try json(note) == #"{"id":1,"stars":3,"title":null}"#)
  }

  @Test func `a value that is not of its type is refused, with its path`() throws {
    let definition = EntityDefinition(
      "Note", identifiedBy: .int,
      attributes: [
        AttributeDefinition("day", type: .scalar(.date)),
        AttributeDefinition("title", type: .scalar(.string), isRequired: true),
        AttributeDefinition("sizes", type: .array(.int8)),
      ])
    func problem(_ json: String) -> String {
      self.problem { _ = try decode(DynamicRecord.self, json, definition) }
    }
    #expect(
      problem(#"{"id":1,"title":"a","day":"tomorrow"}"#)
        == "day: expected a year of four digits, found 't'.")
    #expect(problem(#"{"id":1}"#) == ": title is required, and has no value.")
    #expect(problem(#"{"id":1,"title":null}"#) == "title: title is required, and has no value.")
    #expect(problem(#"{"id":1,"title":"a","sizes":[1,null]}"#).hasPrefix("sizes.1: "))
    #expect(problem(#"{"id":1,"title":"a","sizes":[300]}"#) != "none")
    #expect(problem(#"{"id":"x","title":"a"}"#).hasPrefix("id: "))
  }

  @Test func `a record without the names of its attributes cannot be encoded`() throws {
    let record = DynamicRecord("Note", id: .int(1), values: [.string("a")])
    #expect(
      problem { _ = try json(record) } == """
        the record 1 of Note does not contain the names of its attributes. Create it with the \
        definition of the entity, from StoreSnapshot.entities.
        """)
    let definition = EntityDefinition("Note", identifiedBy: .int)
    #expect(
      problem { _ = try json(DynamicRecord(definition, id: .int(1), values: [.string("a")])) }
        == """
        the record 1 of Note has a value count of 1, and its definition has an attribute count of 0. \
        Set a value for each attribute, or null.
        """)
  }
}
