import Daybook
import DaybookTesting
import Foundation

/// A stop of a train, for sort orders and sections of every type.
struct Stop: Record, Hashable {
  /// A load, which defines its own order: the heaviest is first.
  enum Load: Int, Comparable, AttributeRepresentable {
    case empty, light, heavy
    static func < (one: Load, other: Load) -> Bool { one.rawValue > other.rawValue }
  }

  var id = 0
  var name = ""
  var remark: String?
  var platform: Int8 = 0
  var passengers: UInt32?
  var length = 0.0
  var width: Float?
  var price = Decimal(0)
  var time = Date(timeIntervalSinceReferenceDate: 0)
  var departure: Date?
  var code: UUID?
  var load = Load.empty

  static let schema = RecordSchema<Stop>("Stop")
    .attribute("name", at: \.name)
    .attribute("remark", at: \.remark)
    .attribute("platform", at: \.platform)
    .attribute("passengers", at: \.passengers)
    .attribute("length", at: \.length)
    .attribute("width", at: \.width)
    .attribute("price", at: \.price)
    .attribute("time", at: \.time)
    .attribute("departure", at: \.departure)
    .attribute("code", at: \.code)
    .attribute("load", at: \.load)

  /// A computed property, which is no attribute.
  var shout: String { name.uppercased() }
}

/// Returns random stops.
struct StopCrowd {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  /// Returns a string in composed normal form, because other strings have no defined order.
  private mutating func text() -> String {
    let letters = ["a", "b", "Z", "\u{e9}", "e", "\u{DF}", "1", "10", "9", " ", "\u{1F600}"]
    return (0..<below(4)).map { _ in letters[below(letters.count)] }.joined()
  }

  mutating func stops(_ count: Int) -> [Stop] {
    (0..<count).map { id in
      var stop = Stop(id: id, name: text(), remark: below(3) == 0 ? nil : text())
      stop.platform = Int8(below(5) - 2)
      stop.passengers = below(3) == 0 ? nil : UInt32(below(4))
      stop.length = [0, -1.5, 2.25, .infinity, -.infinity, 1e300][below(6)]
      stop.width = [nil, 0, 1.5, -2][below(4)]
      stop.price = Decimal(below(7) - 3) / 4
      stop.time = Date(timeIntervalSinceReferenceDate: Double(below(6) - 3) * 1e9)
      stop.departure = below(3) == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(below(5)))
      let digit = UInt8(below(3) * 100)
      stop.code =
        below(3) == 0
        ? nil : UUID(uuid: (digit, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, UInt8(below(4))))
      return stop
    }
  }
}

/// Returns a store with some stops, inserted in order.
func store(_ stops: [Stop]) throws -> Store {
  let store = try Store.inMemory(types: [Stop.self])
  let context = store.makeContext()
  for stop in stops { try context.insert(stop) }
  try context.saveAndWait()
  return store
}
