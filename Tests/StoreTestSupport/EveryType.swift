import DaybookSimulation
import DaybookStore
import FoundationEssentials

/// A record with an attribute of every type.
package struct EveryType: Record, Equatable {
  package enum Flavour: String, AttributeRepresentable, CaseIterable { case sweet, sour, bitter }
  package struct Options: CodableAttribute, Equatable {
    package var sizes: [Double] = [], names: [String: Int] = [:]

    package init(sizes: [Double] = [], names: [String: Int] = [:]) {
      self.sizes = sizes
      self.names = names
    }
  }
  package enum Level: Int8, ScalarRepresentable, ElementRepresentable {
    case low = -1
    case middle, high
  }

  package var id = "?"
  package var bool = false
  package var int8: Int8 = 0
  package var int16: Int16 = 0
  package var int32: Int32 = 0
  package var int64: Int64 = 0
  package var int = 0
  package var uint8: UInt8 = 0
  package var uint16: UInt16 = 0
  package var uint32: UInt32 = 0
  package var uint64: UInt64 = 0
  package var uint: UInt = 0
  package var float: Float = 0
  package var double = 0.0
  package var decimal = Decimal(0)
  package var string = ""
  package var date = Date(timeIntervalSinceReferenceDate: 0)
  package var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  package var data = Data()
  package var url = URL(string: "https://example.org") ?? URL(filePath: "/")
  package var flavour = Flavour.sweet
  package var level = Level.low
  package var optionalInt: Int32?
  package var optionalText: String?
  package var optionalLevel: Level?
  package var numbers: [Int16] = []
  package var texts: [String] = []
  package var levels: [Level] = []
  package var optionalTexts: [String]?
  package var options = Options()
  package var optionalOptions: Options?
  package var severalOptions: [Options] = []
  package var one: Reference<Numbered>?
  package var many: [Reference<Numbered>] = []
  package var parent: Reference<EveryType>?
  package var children: [Reference<EveryType>] = []

  package init() {}

  package init(id: String) { self.id = id }

  package static let schema = RecordSchema<EveryType>("EveryType")
    .attribute("bool", at: \.bool).attribute("int8", at: \.int8).attribute("int16", at: \.int16)
    .attribute("int32", at: \.int32).attribute("int64", at: \.int64).attribute("int", at: \.int)
    .attribute("uint8", at: \.uint8).attribute("uint16", at: \.uint16).attribute(
      "uint32", at: \.uint32
    )
    .attribute("uint64", at: \.uint64).attribute("uint", at: \.uint).attribute("float", at: \.float)
    .attribute("double", at: \.double).attribute("decimal", at: \.decimal).attribute(
      "string", at: \.string
    )
    .attribute("date", at: \.date).attribute("uuid", at: \.uuid).attribute("data", at: \.data)
    .attribute("url", at: \.url).attribute("flavour", at: \.flavour).attribute("level", at: \.level)
    .attribute("optionalInt", at: \.optionalInt).attribute("optionalText", at: \.optionalText)
    .attribute("optionalLevel", at: \.optionalLevel).attribute("numbers", at: \.numbers)
    .attribute("texts", at: \.texts).attribute("levels", at: \.levels)
    .attribute("optionalTexts", at: \.optionalTexts)
    .attribute("options", at: \.options).attribute("optionalOptions", at: \.optionalOptions)
    .attribute("severalOptions", at: \.severalOptions)
    .reference("one", at: \.one, whenTargetDeleted: .nullify).references(
      "many", at: \.many, whenTargetDeleted: .nullify
    )
    .reference("parent", at: \.parent, whenTargetDeleted: .nullify).references(
      "children", at: \.children, whenTargetDeleted: .nullify)

  /// Returns a record of random values.
  package static func random(_ id: String, using generator: inout SplitMix64) -> EveryType {
    var record = EveryType()
    func number() -> UInt64 { generator.next() }
    func text() -> String {
      let alphabet = Array("abcdefghij é漢😀\"\\\n\u{0301}")
      return String(
        (0..<Int(number() % 20)).map { _ in alphabet[Int(number() % UInt64(alphabet.count))] })
    }
    record.id = id
    record.bool = number() & 1 == 0
    record.int8 = Int8(truncatingIfNeeded: number())
    record.int16 = Int16(truncatingIfNeeded: number())
    record.int32 = Int32(truncatingIfNeeded: number())
    record.int64 = Int64(truncatingIfNeeded: number())
    record.int = Int(truncatingIfNeeded: number())
    record.uint8 = UInt8(truncatingIfNeeded: number())
    record.uint16 = UInt16(truncatingIfNeeded: number())
    record.uint32 = UInt32(truncatingIfNeeded: number())
    record.uint64 = number()
    record.uint = UInt(number())
    record.float = Float(bitPattern: UInt32(truncatingIfNeeded: number()) & 0xBFFF_FFFF)
    record.double = Double(bitPattern: number() & 0xBFFF_FFFF_FFFF_FFFF)
    record.decimal = Decimal(Int64(truncatingIfNeeded: number())) / 1000
    record.string = text()
    record.date = Date(timeIntervalSinceReferenceDate: Double(number() % 1_000_000_000_000) / 1000)
    record.data = Data((0..<Int(number() % 700)).map { _ in UInt8(truncatingIfNeeded: number()) })
    record.flavour = Flavour.allCases[Int(number() % 3)]
    record.level = Level(rawValue: Int8(number() % 3) - 1) ?? .low
    if number() & 1 == 0 { record.optionalInt = Int32(truncatingIfNeeded: number()) }
    if number() & 1 == 0 { record.optionalText = text() }
    if number() & 1 == 0 { record.optionalLevel = .high }
    record.numbers = (0..<Int(number() % 5)).map { _ in Int16(truncatingIfNeeded: number()) }
    record.texts = (0..<Int(number() % 5)).map { _ in text() }
    record.levels = (0..<Int(number() % 5)).map { _ in .middle }
    if number() & 1 == 0 { record.optionalTexts = (0..<Int(number() % 3)).map { _ in text() } }
    func options() -> Options {
      Options(
        sizes: (0..<Int(number() % 3)).map { _ in Double(number() % 1000) / 8 },
        names: Dictionary(
          (0..<Int(number() % 4)).map { _ in (text(), Int(number() % 9)) }, uniquingKeysWith: +))
    }
    record.options = options()
    if number() & 1 == 0 { record.optionalOptions = options() }
    record.severalOptions = (0..<Int(number() % 3)).map { _ in options() }
    if number() & 1 == 0 { record.one = Reference(Int(number() % 100)) }
    record.many = (0..<Int(number() % 4)).map { _ in Reference(Int(number() % 100)) }
    if number() & 1 == 0 { record.parent = Reference("r\(number() % 100)") }
    record.children = (0..<Int(number() % 4)).map { _ in Reference("r\(number() % 100)") }
    return record
  }
}

/// A record that is identified by an integer.
package struct Numbered: Record, Equatable {
  package var id = 0
  package var name = ""

  package init() {}

  package init(id: Int, name: String = "") {
    self.id = id
    self.name = name
  }

  package static let schema = RecordSchema<Numbered>("Numbered").attribute("name", at: \.name)
}

/// A record that is identified by a UUID.
package struct Unique: Record, Equatable {
  package var id = UUID()
  package var name = ""
  package var note: String?

  package init() {}

  package init(id: UUID = UUID(), name: String = "", note: String? = nil) {
    self.id = id
    self.name = name
    self.note = note
  }

  package static let schema = RecordSchema<Unique>("Unique").attribute("name", at: \.name)
    .attribute(
      "note", at: \.note)
}

extension RecordIdentifier: ExpressibleByStringLiteral {
  /// Creates a string identifier.
  public init(stringLiteral text: String) { self.init(text) }
}
