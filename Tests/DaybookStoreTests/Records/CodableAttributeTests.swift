import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Codable values` {
  private struct Address: CodableAttribute, Equatable {
    var street = "", city = ""
    var position: [Double] = []
  }

  private struct Person: Record, Equatable {
    var id = 0
    var home = Address(city: "nowhere")
    var work: Address?
    var former: [Address] = []
    static let schema = RecordSchema<Person>("Person")
      .attribute("home", at: \.home).attribute("work", at: \.work).attribute("former", at: \.former)
  }

  /// The entity `Person` with data attributes, for programs without the Codable types.
  private struct Plain: Record {
    var id = 0
    var home = Data()
    var work: Data?
    var former: [Data] = []
    static let schema = RecordSchema<Plain>("Person")
      .attribute(
        "home", at: \.home, default: Data(#"{"city":"nowhere","position":[],"street":""}"#.utf8)
      )
      .attribute("work", at: \.work).attribute("former", at: \.former)
  }

  private let disk = SimulatedDisk()

  @Test func `codable values survive reopening, also non-finite numbers`() throws {
    let person = Person(
      id: 1, home: Address(street: "1/2 \"é\"", city: "漢", position: [.infinity, -0.0, 1e300]),
      former: [Address(), Address(city: "x")])
    do {
      let store = try Store(at: "j", types: [Person.self], options: .simulated(disk))
      let context = store.makeContext()
      try context.insert(person)
      try context.saveAndWait()
      try store.closeAndWait()
    }
    let store = try Store(at: "j", types: [Person.self], options: .simulated(disk))
    #expect(try store.snapshot.object(Person.self, id: 1) == person)
    #expect(try store.snapshot.object(Person.self, id: 1)?.home.position[1].sign == .minus)
  }

  @Test func `codable values are stored as JSON with sorted keys`() throws {
    let store = try Store.inMemory(types: [Person.self])
    let context = store.makeContext()
    try context.insert(Person(id: 1, home: Address(street: "a/b", city: "c", position: [.nan])))
    #expect(
      try context.value(forKey: "home", of: "Person", id: .int(1))
        == .data(Array(#"{"city":"c","position":["NaN"],"street":"a/b"}"#.utf8)))
  }

  @Test func `assigning an equal codable value is not a change`() throws {
    let store = try Store.inMemory(types: [Person.self])
    let context = store.makeContext()
    try context.insert(Person(id: 1))
    try context.saveAndWait()
    try context.update(Person.self, id: 1) { $0.home = Address(city: "nowhere") }
    context.processPendingChanges()
    #expect(!context.hasChanges)
    try context.update(Person.self, id: 1) { $0.home.city = "x" }
    context.processPendingChanges()
    #expect(context.hasChanges)
  }

  /// The entity with substitutes for data that cannot be decoded.
  private struct TolerantPerson: Record, Equatable {
    var id = 0
    var home = Address(city: "nowhere")
    var work: Address?
    var former: [Address] = []
    static let schema = RecordSchema<TolerantPerson>("Person")
      .attribute("home", at: \.home, unknown: Address(city: "unknown"))
      .attribute("work", at: \.work, unknown: .some(nil))
      .attribute("former", at: \.former, unknown: [])
  }

  @Test func `data that cannot be decoded is an error or reads as the substitute`() throws {
    do {
      let store = try Store(at: "j", types: [Plain.self], options: .simulated(disk))
      let context = store.makeContext()
      try context.insert(
        Plain(
          id: 1, home: Data("[".utf8), work: Data("{}".utf8), former: [Data(), Data("{}".utf8)]))
      try context.saveAndWait()
      try store.closeAndWait()
    }
    func sentence(_ value: String) -> String {
      """
      j: home of Person 1 is \(value), which its Swift type cannot represent. The journal keeps the value. \
      Declare a substitute with unknown:, or set another value with setValue.
      """
    }
    let store = try Store(at: "j", types: [Person.self], options: .simulated(disk))
    #expect(
      TestSupport.sentence { _ = try store.snapshot.object(Person.self, id: 1) }
        == sentence(#""Ww==""#))
    // A million brackets, each of which could cause a recursive call.
    let deep = Data(repeating: UInt8(ascii: "["), count: 1_000_000)
    let context = store.makeContext()
    try context.setValue(.data([UInt8](deep)), forKey: "home", of: "Person", id: .int(1))
    #expect(
      TestSupport.sentence { _ = try context.object(Person.self, id: 1) }
        == sentence(#""W1tb"# + String(repeating: "W1tb", count: 18) + "W1t…"))
    try store.closeAndWait()

    let tolerant = try Store(at: "j", types: [TolerantPerson.self], options: .simulated(disk))
    #expect(
      try tolerant.snapshot.object(TolerantPerson.self, id: 1)
        == TolerantPerson(id: 1, home: Address(city: "unknown")))
    let other = tolerant.makeContext()
    try other.update(TolerantPerson.self, id: 1) { $0.work = Address(city: "x") }
    try other.saveAndWait()
    #expect(
      try other.object("Person", id: .int(1))?.values
        == [
          .data(Array("[".utf8)),
          .data(Array(#"{"city":"x","position":[],"street":""}"#.utf8)),
          .array([.data([]), .data(Array("{}".utf8))]),
        ])
    try tolerant.closeAndWait()
  }
}
