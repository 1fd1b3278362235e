import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import FoundationEssentials
import TestSupport
import Testing
import TextTestSupport

/// A text of random transactions, and its expected export.
///
/// It is independent of the import: it keeps the records in a dictionary, and writes each
/// transaction both as the changes in order and as one change per record.
struct RandomText {
  private var generator: SplitMix64
  private let entities: [EntityDefinition]
  private var records: [String: [RecordIdentifier: [AttributeValue]]] = [:]
  private(set) var made: [String] = []
  private(set) var expected: [String] = []

  init(seed: UInt64, transactionCount: Int) {
    generator = SplitMix64(seed: seed)
    entities = RandomText.entities
    let header = RandomText.header
    made = [header]
    expected = [header]
    for sequence in 1...transactionCount { addTransaction(sequence) }
  }

  private static let kinds: [IdentifierKind] = [.int, .uint, .string, .uuid]

  /// An entity for each kind of identifier, each with every type and with references to the next.
  private static let entities: [EntityDefinition] = kinds.indices.map { index in
    let target = kinds[(index + 1) % kinds.count]
    let reference = EntityReference("E\(target.name)", identifierKind: target)
    var attributes = ScalarType.allCases.map { AttributeDefinition($0.name, type: .scalar($0)) }
    attributes += ScalarType.allCases.map { AttributeDefinition("\($0.name)s", type: .array($0)) }
    attributes += [
      AttributeDefinition("one", type: .reference(reference)),
      AttributeDefinition("many", type: .references(reference)),
    ]
    return EntityDefinition(
      "E\(kinds[index].name)", identifiedBy: kinds[index], attributes: attributes)
  }

  private static var header: String {
    let shown = entities.map { entity in
      let attributes = entity.attributes.map { #""\#($0.name)":"\#($0.type.name)""# }
      let list = attributes.joined(separator: ",")
      return #""\#(entity.name)":{"id":"\#(entity.identifierKind.name)","attributes":{\#(list)}}"#
    }
    return #"{"daybook":1,"entities":{\#(shown.joined(separator: ","))}}"#
  }

  private mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

  private mutating func addTransaction(_ sequence: Int) {
    let before = records
    var touched: [(entity: Int, id: RecordIdentifier)] = []
    var changes: [String] = []
    for _ in 0..<below(7) {
      let index = below(entities.count)
      let entity = entities[index]
      let id = identifier(entity.identifierKind)
      if !touched.contains(where: { $0.entity == index && $0.id == id }) {
        touched.append((index, id))
      }
      var values = records[entity.name]?[id]
      let operation: String
      if values == nil {
        operation = "insert"
        values = Array(repeating: .null, count: entity.attributes.count)
      } else {
        operation = below(4) == 0 ? "delete" : "update"
      }
      let head = #"{"op":"\#(operation)","entity":"\#(entity.name)","id":\#(RandomText.text(id))"#
      if operation == "delete" {
        records[entity.name]?[id] = nil
        changes.append(head + "}")
        continue
      }
      var set: [String] = []
      for attribute in entity.attributes.indices where below(8) == 0 {
        let value = value(entity.attributes[attribute].type)
        values?[attribute] = value
        set.append(#""\#(entity.attributes[attribute].name)":\#(RandomText.text(value))"#)
      }
      records[entity.name, default: [:]][id] = values
      changes.append(head + #","set":{\#(set.joined(separator: ","))}}"#)
    }
    let net = touched.compactMap { entity, id in
      coalesced(
        entities[entity], id, before[entities[entity].name]?[id],
        records[entities[entity].name]?[id])
    }
    let head =
      #"{"tx":\#(sequence),"time":"2020-01-01T00:\#(10 + sequence / 60):\#(10 + sequence % 50)Z","changes":["#
    made.append(head + changes.joined(separator: ",") + "]}")
    expected.append(head + net.joined(separator: ",") + "]}")
  }

  /// Returns the net change of a record, as text.
  private func coalesced(
    _ entity: EntityDefinition, _ id: RecordIdentifier, _ before: [AttributeValue]?,
    _ after: [AttributeValue]?
  ) -> String? {
    let operation: String
    switch (before, after) {
    case (nil, nil): return nil
    case (nil, _): operation = "insert"
    case (_, nil): operation = "delete"
    default: operation = "update"
    }
    let head = #"{"op":"\#(operation)","entity":"\#(entity.name)","id":\#(RandomText.text(id))"#
    guard let after else { return head + "}" }
    let set = entity.attributes.indices.compactMap { index -> String? in
      guard after[index] != before?[index] ?? .null else { return nil }
      return #""\#(entity.attributes[index].name)":\#(RandomText.text(after[index]))"#
    }
    if operation == "update", set.isEmpty { return nil }
    return head + #","set":{\#(set.joined(separator: ","))}}"#
  }

  // MARK: Values

  private mutating func identifier(_ kind: IdentifierKind) -> RecordIdentifier {
    switch kind {
    case .int: .int(Int64(below(5)) - 2)
    case .uint: .uint(UInt64.max - UInt64(below(5)))
    case .string: RecordIdentifier(["", "a", "e\u{301}", "\u{e9}", "\"\\\n"][below(5)])
    case .uuid: .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, UInt8(below(5)))))
    }
  }

  private mutating func value(_ type: AttributeType) -> AttributeValue {
    if below(6) == 0 { return .null }
    switch type {
    case .scalar(let scalar): return value(scalar)
    case .array(let scalar): return .array((0..<below(3)).map { _ in value(scalar) })
    case .reference(let target): return .reference(identifier(target.identifierKind))
    case .references(let target):
      return .array((0..<below(3)).map { _ in .reference(identifier(target.identifierKind)) })
    }
  }

  private mutating func value(_ type: ScalarType) -> AttributeValue {
    let bits = generator.next()
    let special = below(6)
    switch type {
    case .bool: return .bool(bits & 1 == 0)
    case .int8: return .int(Int64(Int8(truncatingIfNeeded: bits)))
    case .int16: return .int(Int64(Int16(truncatingIfNeeded: bits)))
    case .int32: return .int(Int64(Int32(truncatingIfNeeded: bits)))
    case .int64: return .int(Int64(truncatingIfNeeded: bits >> UInt64(special * 10)))
    case .uint8: return .uint(UInt64(UInt8(truncatingIfNeeded: bits)))
    case .uint16: return .uint(UInt64(UInt16(truncatingIfNeeded: bits)))
    case .uint32: return .uint(UInt64(UInt32(truncatingIfNeeded: bits)))
    case .uint64: return .uint(bits >> UInt64(special * 10))
    case .float:
      if special < 5 { return .float([-0.0, .nan, .infinity, -.infinity, 16_777_216][special]) }
      return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits) & 0xBFFF_FFFF))
    case .double:
      if special < 5 { return .double([-0.0, .nan, .infinity, -.infinity, 1e300][special]) }
      return .double(Double(bitPattern: bits & 0xBFFF_FFFF_FFFF_FFFF))
    case .decimal:
      return special == 0
        ? .decimal(.nan) : .decimal(Decimal(Int64(truncatingIfNeeded: bits)) / 1000)
    case .string: return .string(text(special))
    case .date:
      if special == 0 { return .date(Date(timeIntervalSinceReferenceDate: .infinity)) }
      return .date(Date(timeIntervalSinceReferenceDate: Double(bits % 1_000_000_000_000) / 1000))
    case .uuid:
      return .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, UInt8(bits & 255))))
    case .data:
      return .data(
        (0..<[0, 1, 2, 3, 40, 700][special]).map {
          UInt8(truncatingIfNeeded: bits >> UInt64($0 % 50))
        })
    case .url: return .url("https://example.org/\(bits % 100)")
    }
  }

  private mutating func text(_ length: Int) -> String {
    if length == 5 { return String(repeating: "long ", count: 200 + below(3)) }
    let alphabet = ["a", "\u{e9}", "漢", "😀", "\"", "\\", "\n", "\u{1}", "/"]
    return (0..<length).map { _ in alphabet[below(alphabet.count)] }.joined()
  }

  private static func text(_ value: AttributeValue) -> String {
    func quoted(_ text: String) -> String {
      JSONValue.string(text).text
    }
    switch value {
    case .null: return "null"
    case .bool(let value): return "\(value)"
    case .int(let value): return "\(value)"
    case .uint(let value): return "\(value)"
    case .float(let value): return value.isFinite ? "\(value)" : RandomText.special(Double(value))
    case .double(let value): return value.isFinite ? "\(value)" : RandomText.special(value)
    case .decimal(let value): return quoted(DecimalText.text(of: value))
    case .string(let value), .url(let value): return quoted(value)
    case .date(let value): return quoted(DateText.text(of: value))
    case .uuid(let value): return quoted(value.uuidString)
    case .data(let value): return quoted(Base64Text.text(of: value))
    case .reference(let value): return text(value)
    case .array(let values): return "[" + values.map { text($0) }.joined(separator: ",") + "]"
    }
  }

  private static func special(_ value: Double) -> String {
    value.isNaN ? #""NaN""# : value < 0 ? #""-Infinity""# : #""Infinity""#
  }

  private static func text(_ id: RecordIdentifier) -> String {
    switch id {
    case .int, .uint: "\(id)"
    case .string(let text): JSONValue.string(text).text
    case .uuid(let uuid): #""\#(uuid.uuidString)""#
    }
  }
}

@Suite struct `Random texts` {
  private let desk = TextDesk()

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `random texts are exported with one change per record`(seed: UInt64) throws {
    let text = RandomText(seed: seed, transactionCount: 20)
    let expected = lines(text.expected)
    #expect(Array(try desk.passage(lines(text.made)).utf8) == Array(expected.utf8))
    // The export of an exported text is the same text.
    #expect(Array(try desk.passage(expected).utf8) == Array(expected.utf8))
  }

  @Test func `truncated texts are imported or refused without leaving files`() throws {
    let bytes = Array(lines(RandomText(seed: 1, transactionCount: 2).made).utf8)
    for count in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 150)) {
      tryOut(Array(bytes[..<count]))
    }
  }

  @Test func `texts with a replaced byte are imported or refused without leaving files`() throws {
    let text = lines(
      #"{"daybook":1,"base":3,"entities":{"F":{"id":"int","attributes":{"a":"date!","r":"refs:F"}}}}"#,
      #"{"tx":3,"time":"2020-01-01T00:00:00Z","meta":{"a":[1.5]},"changes":[{"op":"insert","entity":"F","id":1,"set":{"a":"2020-01-01T00:00:00Z","r":[1,2]},"created":3},{"op":"insert","entity":"G","id":"x","set":{"v":-1.5e3}}]}"#,
      line(
        4, #"{"op":"delete","entity":"F","id":1}"#,
        #"{"op":"update","entity":"G","id":"x","set":{"v":7}}"#))
    let bytes = Array(text.utf8)
    let replacements = Array(#"{}[]",:0-9e.a\u"#.utf8) + [0, 10, 0x80, 0xFF]
    var generator = SplitMix64(seed: 9)
    for place in bytes.indices {
      var changed = bytes
      changed[place] = replacements[Int(generator.next() % UInt64(replacements.count))]
      tryOut(changed)
      guard place % 4 == 0 else { continue }
      var shorter = bytes
      shorter.remove(at: place)
      tryOut(shorter)
    }
  }

  /// Imports some bytes, and checks that there is either no journal or one that can be exported.
  private func tryOut(_ bytes: [UInt8]) {
    do {
      try desk.importing(bytes)
    } catch {
      #expect(desk.names.isEmpty)
      #expect(!"\(error)".isEmpty)
      return
    }
    #expect(desk.names == ["j"])
    do {
      let once = try desk.exported()
      try desk.disk.remove("j")
      #expect(try desk.passage(once) == once)
    } catch { Issue.record("\(error): \(String(decoding: bytes, as: UTF8.self))") }
  }
}

func lines(_ all: [String]) -> String { all.map { $0 + "\n" }.joined() }
