import DaybookResults
import DaybookSimulation
import DaybookStore
import FoundationEssentials

/// Records with an attribute of every type, that refer to each other and to records that are not
/// there.
struct Thing: Record {
  var id = 0
  var flag = false
  var flagOrNot: Bool?
  var tiny: Int8?
  var short: Int16 = 0
  var middle: Int32?
  var long: Int64 = 0
  var natural: UInt64?
  var byte: UInt8 = 0
  var single: Float = 0
  var precise: Double?
  var exact: Decimal?
  var name = ""
  var note: String?
  var moment: Date?
  var mark: UUID?
  var bytes: Data?
  var link: URL?
  var numbers: [Int32] = []
  var words: [String]?
  var prices: [Double] = []
  var place: Reference<Place>?
  var friend: Reference<Thing>?
  var friends: [Reference<Thing>] = []
  var places: [Reference<Place>] = []
  var twin: Reference<Thing>?

  static let schema = RecordSchema<Thing>("Thing")
    .attribute("flag", at: \.flag).attribute("flagOrNot", at: \.flagOrNot).attribute(
      "tiny", at: \.tiny
    )
    .attribute("short", at: \.short).attribute("middle", at: \.middle).attribute("long", at: \.long)
    .attribute("natural", at: \.natural).attribute("byte", at: \.byte).attribute(
      "single", at: \.single
    )
    .attribute("precise", at: \.precise).attribute("exact", at: \.exact).attribute(
      "name", at: \.name
    )
    .attribute("note", at: \.note).attribute("moment", at: \.moment).attribute("mark", at: \.mark)
    .attribute("bytes", at: \.bytes).attribute("link", at: \.link).attribute(
      "numbers", at: \.numbers
    )
    .attribute("words", at: \.words).attribute("prices", at: \.prices)
    .reference("place", at: \.place, inverse: "things", whenTargetDeleted: .keep)
    .reference("friend", at: \.friend, inverse: "followers", whenTargetDeleted: .keep)
    .references("friends", at: \.friends, inverse: "fans", whenTargetDeleted: .keep)
    .references("places", at: \.places, inverse: "visitors", whenTargetDeleted: .keep)
    .reference("twin", at: \.twin, inverse: "double", whenTargetDeleted: .keep).unique(\.twin)

  /// No attribute, but made of some.
  var size: Int { name.utf8.count + numbers.count }
}

struct Place: Record {
  var id = ""
  var name = ""
  var height: Int16?
  var owner: Reference<Thing>?
  var tags: [String] = []
  var keeper: Reference<Thing>?

  static let schema = RecordSchema<Place>("Place")
    .attribute("name", at: \.name).attribute("height", at: \.height)
    .reference("owner", at: \.owner, inverse: "estates", whenTargetDeleted: .keep)
    .attribute("tags", at: \.tags)
    .reference("keeper", at: \.keeper, inverse: "castle", whenTargetDeleted: .keep).unique(\.keeper)
}

/// A store with some of these, drawn at random.
struct FilterWorld {
  let snapshot: StoreSnapshot
  let entity: Int
  let things: [DynamicRecord]

  static let texts = [
    "", "a", "A", "ab", "Abba", "\u{e9}", "e\u{301}", "E\u{301}a", "stra\u{df}e", "STRASSE", "x*y",
    "a\nb", "\u{1F600}", "CA", "ca", "abab", "\u{3c2}\u{3a3}", "\u{130}", "ab A", "x-ab, Ab\u{e9}",
  ]

  init(_ things: [Thing], _ places: [Place]) throws {
    let store = try Store.inMemory(types: [Thing.self, Place.self])
    let context = store.makeContext()
    for thing in things { try context.insert(thing) }
    for place in places { try context.insert(place) }
    try context.saveAndWait()
    snapshot = store.snapshot
    entity = snapshot.frozen.catalog.index(of: "Thing") ?? 0
    self.things = try snapshot.objects("Thing")
  }

  init(seed: UInt64, count: Int) throws {
    var random = RandomFilters(seed: seed)
    try self.init(
      (0..<count).map { Thing.random($0, using: &random) },
      (0..<6).map { Place.random("p\($0)", using: &random) })
  }

  /// The row of a record.
  func row(_ id: RecordIdentifier) -> RowLocation {
    snapshot.frozen.reader.location(of: IdentifierBytes(id), in: entity)
  }

  /// The identifiers of the things that match.
  func matches(_ filter: Filter) throws(FilterError) -> [RecordIdentifier] {
    let compiled = try filter.compiled(for: entity, in: snapshot.frozen.catalog)
    return things.map(\.id).filter { compiled.matches(row($0), in: snapshot.frozen) }
  }

  /// The identifiers of the things that match a text, as numbers.
  func matches(_ text: String, _ arguments: any AttributeRepresentable...) throws -> [Int] {
    let filter = try Filter(text, arguments: arguments.map { $0.attributeValue })
    return try matches(filter).map { Int($0.description) ?? -1 }
  }
}

extension Thing {
  static func random(_ id: Int, using random: inout RandomFilters) -> Thing {
    var thing = Thing(id: id)
    func chance() -> Bool { random.number(3) > 0 }
    let text = { (random: inout RandomFilters) in random.one(of: FilterWorld.texts) }
    thing.flag = random.number(2) == 0
    if chance() { thing.flagOrNot = random.number(2) == 0 }
    if chance() { thing.tiny = random.one(of: [-128, -1, 0, 1, 5, 127]) }
    thing.short = random.one(of: [-300, -1, 0, 1, 5, 300])
    if chance() { thing.middle = random.one(of: [.min, -5, 0, 5, 16_777_217, .max]) }
    thing.long = random.one(of: [.min, -5, 0, 5, 1 << 53, 1 << 53 + 1, .max - 1, .max])
    if chance() { thing.natural = random.one(of: [0, 5, 1 << 63, 1 << 63 - 1, .max - 1, .max]) }
    thing.byte = random.one(of: [0, 1, 5, 255])
    thing.single = random.one(of: [0, -0.0, 0.1, 0.5, 5, 16_777_216, .nan, .infinity, -.infinity])
    if chance() {
      thing.precise = random.one(of: [
        0, -0.0, 0.1, 0.5, 5, 0x1p53, 0x1p63, 0x1p64, 1e300, .leastNonzeroMagnitude, .nan,
        -.infinity, .infinity,
      ])
    }
    if chance() {
      thing.exact = random.one(of: [
        0, 5, Decimal(1) / 10, Decimal(5) / 10, Decimal(-5), .nan, Decimal(Int64.max),
        .greatestFiniteMagnitude,
      ])
    }
    thing.name = text(&random)
    if chance() {
      thing.note = text(&random) + String(repeating: "n", count: random.number(2) * 600)
    }
    if chance() {
      thing.moment = Date(
        timeIntervalSinceReferenceDate: random.one(of: [0, -0.0, 1, 0.5, 86_400, 1e9, -1e9]))
    }
    if chance() {
      thing.mark = UUID(
        uuid: (UInt8(random.number(3)), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    }
    if chance() { thing.bytes = Data([UInt8](text(&random).utf8)) }
    if chance() {
      thing.link = URL(string: random.one(of: ["https://a.b/c", "https://x.y", "file:///z"]))
    }
    thing.numbers = (0..<random.number(4)).map { _ in random.one(of: [-5, 0, 5, 7]) }
    if chance() { thing.words = (0..<random.number(4)).map { _ in text(&random) } }
    thing.prices = (0..<random.number(3)).map { _ in random.one(of: [0.1, 5, .nan, -0.0]) }
    if chance() { thing.place = Reference("p\(random.number(9))") }
    if chance() { thing.friend = Reference(random.number(40)) }
    thing.friends = (0..<random.number(4)).map { _ in Reference(random.number(40)) }
    thing.places = (0..<random.number(3)).map { _ in Reference("p\(random.number(9))") }
    // No other thing has one of these twins, so that every save obeys the unique list.
    let choice = thing.numbers.count
    thing.twin = choice == 0 ? nil : Reference(2 * id + choice % 2)
    return thing
  }
}

extension Place {
  static func random(_ id: String, using random: inout RandomFilters) -> Place {
    var place = Place(id: id)
    place.name = random.one(of: FilterWorld.texts)
    if random.number(3) > 0 { place.height = random.one(of: [-5, 0, 5, 300]) }
    if random.number(3) > 0 { place.owner = Reference(random.number(40)) }
    place.tags = (0..<random.number(3)).map { _ in random.one(of: FilterWorld.texts) }
    // No other place has one of these keepers.
    let (number, choice) = (Int(id.dropFirst()) ?? 0, place.tags.count)
    place.keeper = choice == 0 ? nil : Reference(2 * number + choice % 2)
    return place
  }
}
