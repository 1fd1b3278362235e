import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import StoreTestSupport
import TestSupport
import Testing
import TextTestSupport

/// Tests of records with values for few of many attributes.
@Suite struct `Importing a text with many attributes` {
  private let desk = TextDesk()

  private func byteCount(_ path: String = "j") throws -> Int {
    Int(try desk.disk.status(of: path).byteCount)
  }

  private static let sizes = FaultRow.Scale.current == .small ? [512, 1_024] : [1_024, 4_096]

  @Test(arguments: [HostileText.attributesOneByOne, .wideRows], sizes)
  func `the size of a journal of sparse records is proportional to its text`(
    _ shape: HostileText, _ size: Int
  ) throws {
    let text = shape.bytes(size)
    try desk.importing(text)
    #expect(try byteCount() <= 16 * text.count)
    let exported = try desk.exported()
    try desk.importing(exported, to: "k")
    #expect(try desk.exported("k") == exported)
    guard shape == .attributesOneByOne else { return }
    let made = String(decoding: text, as: UTF8.self).split(separator: "\n")
    #expect(exported.split(separator: "\n").dropFirst().elementsEqual(made))
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `sparse records are exported as they were imported`(_ seed: UInt64) throws {
    let text = SparseText(seed: seed, transactionCount: 120)
    #expect(try desk.passage(text.text) == text.text)
    try desk.importing(text.text)
    let store = try Store(reading: "j", types: [], options: .simulated(desk.disk))
    #expect(store.readingProblem == nil)
    let records = try store.snapshot.objects("E")
    #expect(Set(records.map(\.values)) == Set(text.records.values))
    #expect(records.count == text.records.count)
  }

  @Test func `a record without values can get values in a later transaction`() throws {
    let attributes = (0..<200).map { #""a\#($0)":"int64""# }.joined(separator: ",")
    let text = lines(
      #"{"daybook":1,"entities":{"E":{"id":"int","attributes":{\#(attributes)}}}}"#,
      line(1, #"{"op":"insert","entity":"E","id":1,"set":{}}"#),
      line(2, #"{"op":"insert","entity":"E","id":2,"set":{"a199":1}}"#),
      line(3, #"{"op":"update","entity":"E","id":1,"set":{"a199":1}}"#),
      line(4, #"{"op":"update","entity":"E","id":2,"set":{"a0":1,"a199":null}}"#),
      line(5, #"{"op":"delete","entity":"E","id":1}"#))
    #expect(try desk.passage(text) == text)
  }

  @Test func `an attribute with the earlier name of another one keeps its values`() throws {
    let attributes = (0..<200).map { #""a\#($0)":"int64""# }.joined(separator: ",")
    let header =
      #"{"daybook":1,"entities":{"E":{"id":"int","attributes":{\#(attributes),"#
      + #""name":{"type":"string","renamedFrom":"title"}}}}}"#
    let text = lines(
      header.replacing(#""a3":"#, with: #""title":"#).replacing(
        #""title":"int64""#, with: #""title":"string""#),
      line(1, #"{"op":"insert","entity":"E","id":1,"set":{"title":"x"}}"#),
      line(2, #"{"op":"insert","entity":"E","id":2,"set":{"name":"y"}}"#))
    #expect(try desk.passage(text) == text)
  }

  @Test func `a default declared later does not change imported records`() throws {
    let attributes = (0..<200).map { #""a\#($0)":"int64""# }.joined(separator: ",")
    try desk.importing(
      lines(
        #"{"daybook":1,"entities":{"E":{"id":"int","attributes":{\#(attributes)}}}}"#,
        line(1, #"{"op":"insert","entity":"E","id":1,"set":{}}"#),
        line(2, #"{"op":"insert","entity":"E","id":2,"set":{"a199":1}}"#),
        line(3, #"{"op":"update","entity":"E","id":2,"set":{"a199":null}}"#)))
    let store = try Store(at: "j", records: Rated.self, options: .simulated(desk.disk))
    #expect(try store.snapshot.objects(Rated.self).map(\.rating) == [nil, nil])
    let second = try store.snapshot(at: SequenceNumber(2))
    #expect(try second.objects(Rated.self).map(\.rating) == [nil, 1])
  }
}

/// A record type that declares a default for an attribute of a wide entity.
private struct Rated: Record {
  var id = 0
  var rating: Int64?
  static let schema = RecordSchema<Rated>("E").attribute("a199", at: \.rating, default: 7)
}

/// An exported text of random changes of sparse records, and the final records.
private struct SparseText {
  private(set) var text: String
  private(set) var records: [Int: [AttributeValue]] = [:]
  private var generator: SplitMix64
  /// The number of attributes, several times the limit for a record with few values.
  private static let attributeCount = 300

  init(seed: UInt64, transactionCount: Int) {
    generator = SplitMix64(seed: seed)
    let attributes = (0..<SparseText.attributeCount).map { #""a\#($0)":\#(SparseText.type($0))"# }
    text =
      #"{"daybook":1,"entities":{"E":{"id":"int","attributes":{\#(attributes.joined(separator: ","))},"#
      + #""unique":[["a270"]]}}}"# + "\n"
    for sequence in 1...transactionCount { addTransaction(sequence) }
  }

  private static func type(_ attribute: Int) -> String {
    switch attribute {
    case 150: #""int64!""#
    case 200: #"{"type":"int64","default":7}"#
    default: attribute % 2 == 0 ? #""int64""# : #""string""#
    }
  }

  private mutating func below(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

  private mutating func addTransaction(_ sequence: Int) {
    let id = below(12)
    let head = #""entity":"E","id":\#(id)"#
    let time = "2020-01-01T00:\(10 + sequence / 50):\(10 + sequence % 50)Z"
    func add(_ change: String) {
      text += #"{"tx":\#(sequence),"time":"\#(time)","changes":[\#(change)]}"# + "\n"
    }
    guard let before = records[id] else {
      var values = [AttributeValue](repeating: .null, count: SparseText.attributeCount)
      values[150] = .int(Int64(sequence))
      setSome(&values)
      records[id] = values
      add(#"{"op":"insert",\#(head),"set":{\#(SparseText.members(values, besides: nil))}}"#)
      return
    }
    if below(5) == 0 {
      records[id] = nil
      add(#"{"op":"delete",\#(head)}"#)
      return
    }
    var values = before
    while values == before { setSome(&values) }
    records[id] = values
    add(#"{"op":"update",\#(head),"set":{\#(SparseText.members(values, besides: before))}}"#)
  }

  /// Changes some attributes, most of them close to each other.
  private mutating func setSome(_ values: inout [AttributeValue]) {
    let start = below(SparseText.attributeCount)
    for _ in 0..<below(5) {
      var attribute = min(start + below(20), SparseText.attributeCount - 1)
      if below(8) == 0 { attribute = below(SparseText.attributeCount) }
      let isNull = below(4) == 0 && attribute != 150
      values[attribute] =
        isNull
        ? .null
        : attribute % 2 == 0
          ? .int(Int64(below(1_000_000)))
          : .string(String(repeating: "x", count: below(10) == 0 ? 900 + below(3) : below(9)))
    }
  }

  /// The members of `set`, in the order of the attributes.
  private static func members(_ values: [AttributeValue], besides before: [AttributeValue]?)
    -> String
  {
    let changed = values.indices.filter { index in
      before.map { $0[index] != values[index] } ?? !values[index].isNull
    }
    return changed.map { index in
      let value =
        switch values[index] {
        case .int(let number): "\(number)"
        case .string(let text): "\"\(text)\""
        default: "null"
        }
      return #""a\#(index)":\#(value)"#
    }.joined(separator: ",")
  }
}
