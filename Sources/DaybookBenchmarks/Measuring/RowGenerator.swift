import DaybookStore
import DaybookEssentials

/// The record of most measurements. It has about 100 bytes in the reference format.
struct Row: Record {
  var id = 0
  var state = ""
  var amount = 0
  var createdAt = Date(timeIntervalSince1970: 0)
  var name = ""
  var city = ""
  var note = ""

  static let schema = RecordSchema<Row>("Row")
    .attribute("state", at: \.state)
    .attribute("amount", at: \.amount)
    .attribute("createdAt", at: \.createdAt)
    .attribute("name", at: \.name)
    .attribute("city", at: \.city)
    .attribute("note", at: \.note)
}

/// A generator of random rows. A row depends only on its identifier, which seeds the random
/// numbers. So the rows are the same on every machine.
struct RowGenerator: Sendable {
  let cities: [String]

  init() {
    cities = (0..<1000).map { city in
      var stream = 0xC17E5 &+ UInt64(city)
      return RowGenerator.letters(8 + city % 5, randomizedBy: &stream)
    }
  }

  func row(_ id: Int) -> Row {
    var stream = 0x5EED_2026 &+ UInt64(id) &* 0xD134_2543_DE82_EF95
    func draw(_ bound: UInt64) -> Int { Int(RowGenerator.next(&stream) % bound) }
    var row = Row()
    row.id = id
    row.state = RowGenerator.states[draw(50)]
    row.amount = draw(1_000_000)
    row.createdAt = RowGenerator.moment(draw(100_000_000_000))
    row.name = RowGenerator.letters(16 + draw(9), randomizedBy: &stream)
    row.city = cities[draw(1000)]
    row.note = RowGenerator.letters(26 + draw(9), randomizedBy: &stream)
    return row
  }

  /// Returns a number of rows with consecutive identifiers, from a first identifier on.
  func rows(from first: Int, count: Int) -> [Row] { (first..<first + count).map(row) }

  /// Returns the date that is a number of milliseconds after a moment in September 2020.
  static func moment(_ number: Int) -> Date {
    Date(timeIntervalSince1970: 1_600_000_000 + Double(number) / 1000)
  }

  static func letters(_ count: Int, randomizedBy stream: inout UInt64) -> String {
    var word: UInt64 = 0
    return String(unsafeUninitializedCapacity: count) { buffer in
      for index in 0..<count {
        if index % 8 == 0 { word = next(&stream) }
        let byte = word >> UInt64(8 * (index % 8)) & 0xFF
        buffer[index] = UInt8(ascii: "a") + UInt8(byte % 26)
      }
      return count
    }
  }

  /// Returns the next random number of a stream, with the algorithm SplitMix64.
  static func next(_ state: inout UInt64) -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  static let states = [
    "Alabama", "Alaska", "Arizona", "Arkansas", "California", "Colorado", "Connecticut",
    "Delaware", "Florida", "Georgia", "Hawaii", "Idaho", "Illinois", "Indiana", "Iowa", "Kansas",
    "Kentucky", "Louisiana", "Maine", "Maryland", "Massachusetts", "Michigan", "Minnesota",
    "Mississippi", "Missouri", "Montana", "Nebraska", "Nevada", "New Hampshire", "New Jersey",
    "New Mexico", "New York", "North Carolina", "North Dakota", "Ohio", "Oklahoma", "Oregon",
    "Pennsylvania", "Rhode Island", "South Carolina", "South Dakota", "Tennessee", "Texas", "Utah",
    "Vermont", "Virginia", "Washington", "West Virginia", "Wisconsin", "Wyoming",
  ]
}
