import Daybook
import FoundationEssentials
import Testing

/// Values of every type are read from rows. Two values are equal if a change from one to the other
/// would not be stored.
@Suite struct `Values of every type` {
  private enum Colour: String, AttributeRepresentable { case red, green }

  private struct Thing: Record {
    var id = UUID()
    var place = 0
    var isOpen = false
    var small: Int8 = 0
    var large: UInt64 = 0
    var float: Float = 0
    var double: Double?
    var decimal = Decimal(0)
    var text: String?
    var date: Date?
    var uuid: UUID?
    var data: Data?
    var url: URL?
    var colour: Colour?
    var words: [String] = []
    var friend: Reference<Thing>?
    var friends: [Reference<Thing>] = []

    static let schema = RecordSchema<Thing>("Thing")
      .attribute("place", at: \.place)
      .attribute("isOpen", at: \.isOpen)
      .attribute("small", at: \.small)
      .attribute("large", at: \.large)
      .attribute("float", at: \.float)
      .attribute("double", at: \.double)
      .attribute("decimal", at: \.decimal)
      .attribute("text", at: \.text)
      .attribute("date", at: \.date)
      .attribute("uuid", at: \.uuid)
      .attribute("data", at: \.data)
      .attribute("url", at: \.url)
      .attribute("colour", at: \.colour)
      .attribute("words", at: \.words)
      .reference("friend", at: \.friend, whenTargetDeleted: .keep)
      .references("friends", at: \.friends, whenTargetDeleted: .keep)
  }

  private let byPlace = ListRequest<Thing>(sortedBy: [.ascending(\Thing.place)])

  private func store(_ things: [Thing]) throws -> Store {
    let store = try Store.inMemory(types: [Thing.self])
    let context = store.makeContext()
    for (place, thing) in things.enumerated() {
      var thing = thing
      thing.place = place
      try context.insert(thing)
    }
    try context.saveAndWait()
    return store
  }

  private func thing(_ change: (inout Thing) -> Void) -> Thing {
    var thing = Thing()
    thing.id = UUID()
    change(&thing)
    return thing
  }

  /// The distinct values of a property of some things, in order.
  private func distinct<Value>(
    _ keyPath: WritableKeyPath<Thing, Value>, _ values: [Value]
  ) throws -> [AttributeValue] {
    let store = try store(values.map { value in thing { $0[keyPath: keyPath] = value } })
    return try store.snapshot.fetchValues(byPlace, of: [.attribute(keyPath)], distinct: true)
      .map { $0[keyPath] }
  }

  @Test func `values of every type are read unchanged`() throws {
    let long = String(repeating: "long ", count: 400)
    let one = thing { thing in
      (thing.isOpen, thing.small, thing.large) = (true, -8, .max)
      (thing.float, thing.double, thing.decimal) = (0.1, 0.2, Decimal(string: "12.30") ?? 0)
      (thing.text, thing.date) = (long, Date(timeIntervalSinceReferenceDate: 5))
      (thing.uuid, thing.data) = (UUID(), Data([1, 2]))
      (thing.url, thing.colour) = (URL(string: "https://example.org/a"), .green)
      (thing.words, thing.friend) = (["a", ""], Reference(thing.id))
    }
    var two = one
    two.id = UUID()
    two.friends = [Reference(one.id), Reference(UUID()), Reference(two.id)]
    two.friend = Reference(UUID())
    let store = try store([one, two])
    let names = store.snapshot.entities[0].attributes.map(\.name)
    #expect(names.count == 16)
    let rows = try store.snapshot.fetchValues(
      byPlace, of: (names + ["id"]).map { .attribute(named: $0) })
    let (first, second) = (rows[0], rows[1])
    #expect(first[\.isOpen] == .bool(true))
    #expect(first[\.small] == .int(-8))
    #expect(first[\.large] == .uint(.max))
    #expect(first[\.float] == .float(0.1))
    #expect(first[\.double] == .double(0.2))
    #expect(first[\.decimal] == .decimal(Decimal(string: "12.3") ?? 0))
    #expect(first[\.text] == .string(long))
    #expect(first[\.date] == .date(Date(timeIntervalSinceReferenceDate: 5)))
    #expect(first[\.uuid] == one.uuid.map { .uuid($0) })
    #expect(first[\.data] == .data([1, 2]))
    #expect(first[\.url] == .url("https://example.org/a"))
    #expect(first[\.colour] == .string("green"))
    #expect(first[\.words] == .array([.string("a"), .string("")]))
    #expect(first[\.friend] == .reference(.uuid(one.id)))
    #expect(first[\.friends] == .array([]))
    #expect(first[\.id] == .uuid(one.id))
    // References to records that do not exist are null.
    #expect(second[\.friend] == .null)
    #expect(second[\.friends] == .array([.reference(.uuid(one.id)), .reference(.uuid(two.id))]))
  }

  @Test func `distinct numbers are compared by their bits`() throws {
    let nan = Double(bitPattern: 0x7FF8_0000_0000_0001)
    let doubles = try distinct(\.double, [0.0, -0.0, nil, .nan, nan, 0.0, nil, .nan, -0.0, nan])
    #expect(doubles == [.double(0.0), .double(-0.0), .null, .double(.nan), .double(nan)])
    #expect(try distinct(\.float, [0.0, -0.0, 0.0]) == [.float(0.0), .float(-0.0)])
    let dates = [0.0, -0.0].map { Date(timeIntervalSinceReferenceDate: $0) }
    #expect(try distinct(\.date, [dates[0], dates[1], nil, dates[0]]).count == 3)
    let decimals = ["1.0", "1.00", "1", "10e-1", "-0", "0"].map { Decimal(string: $0) ?? .nan }
    #expect(try distinct(\.decimal, decimals) == [.decimal(1), .decimal(0)])
    #expect(try distinct(\.data, [Data([1]), nil, Data(), Data([1])]).count == 3)
  }

  @Test func `distinct strings are compared by canonical equivalence`() throws {
    let texts = ["e\u{301}", "\u{e9}", "e", "E", nil, "", "\u{212B}", "\u{C5}", "A\u{30A}", nil]
    #expect(
      try distinct(\.text, texts)
        == [.string("\u{e9}"), .string("e"), .string("E"), .null, .string(""), .string("\u{C5}")])
    #expect(
      try distinct(\.words, [["e\u{301}"], ["\u{e9}"], ["\u{e9}", ""], [], ["e\u{301}", ""]]).count
        == 3)
  }

  @Test func `a fetched path cannot cross an array of references`() throws {
    let store = try store([])
    #expect {
      try store.snapshot.fetchValues(byPlace, of: [.attribute(named: "friends.place")])
    } throws: {
      "\($0)" == "Thing.friends is not a reference to one record, so no other name can follow it."
    }
    #expect {
      try store.snapshot.fetchValues(byPlace, of: [.attribute(named: "words.count")])
    } throws: {
      "\($0)" == "Thing.words is not a reference to one record, so no other name can follow it."
    }
  }
}
