import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport

/// A program in two versions: the second one joins the names of people, and moves their addresses
/// to an entity of their own.
enum People {
  struct Old: Record, Equatable {
    var id = 0
    var first = ""
    var last = ""
    var street: String?
    var city: String?
    static let schema = RecordSchema<Old>("Person")
      .attribute("first", at: \.first).attribute("last", at: \.last)
      .attribute("street", at: \.street).attribute("city", at: \.city)
  }

  struct New: Record, Equatable {
    var id = 0
    var name = ""
    var address: Reference<Address>?
    static let schema = RecordSchema<New>("Person")
      .attribute("name", at: \.name).reference(
        "address", at: \.address, whenTargetDeleted: .nullify
      )
      .removed("first", "last", "street", "city")
  }

  struct Address: Record, Equatable {
    var id = 0
    var street = ""
    var city = ""
    static let schema = RecordSchema<Address>("Address")
      .attribute("street", at: \.street).attribute("city", at: \.city)
  }

  static let newTypes: [any Record.Type] = [New.self, Address.self]

  static let joinNames = Migration("join names", version: 1) { context in
    for person in try context.objects("Person") {
      guard case .string(let first)? = person["first"], case .string(let last)? = person["last"]
      else { continue }
      try context.setValue(
        .string("\(first) \(last)"), forKey: "name", of: "Person", id: person.id)
    }
  }

  static let splitAddresses = Migration("split addresses", version: 2) { context in
    for person in try context.objects("Person") {
      guard case .string(let street)? = person["street"], case .string(let city)? = person["city"],
        case .int(let id) = person.id
      else { continue }
      try context.insert(Address(id: Int(id), street: street, city: city))
      try context.update(New.self, id: Int(id)) { $0.address = Reference(Int(id)) }
    }
  }

  static let steps = [joinNames, splitAddresses]

  static func old(on disk: SimulatedDisk) throws -> Store {
    try Store(at: "j", types: [Old.self], options: .simulated(disk))
  }

  static func new(_ steps: [Migration] = steps, on disk: SimulatedDisk) throws -> Store {
    try Store(at: "j", types: newTypes, migrations: steps, options: .simulated(disk))
  }

  /// Returns a disk with a closed journal of two people, in two transactions.
  static func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let store = try old(on: disk)
    let context = store.makeContext()
    try context.insert(Old(id: 1, first: "Ada", last: "King", street: "Main", city: "Ems"))
    try context.saveAndWait()
    try context.insert(Old(id: 2, first: "Bob", last: "Low"))
    try context.saveAndWait()
    try store.closeAndWait()
    return disk
  }

  /// The people and the addresses of ``disk()`` after the two steps.
  static let migrated = [
    New(id: 1, name: "Ada King", address: Reference(1)), New(id: 2, name: "Bob Low"),
  ]
  static let addresses = [Address(id: 1, street: "Main", city: "Ems")]
}
