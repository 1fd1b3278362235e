import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@Suite struct `Attributes that changed their type and are no longer declared` {
  private struct Old: Record {
    var id = 0
    var name = ""
    var vip = 0
    static let schema = RecordSchema<Old>("Guest").attribute("name", at: \.name)
      .attribute("vip", at: \.vip)
  }

  private struct Changed: Record, Equatable {
    var id = 0
    var name = ""
    var vip = false
    static let schema = RecordSchema<Changed>("Guest").attribute("name", at: \.name)
      .attribute("vip", at: \.vip, converting: { (number: Int) in number > 1 })
  }

  private struct Removing: Record, Equatable {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Removing>("Guest").attribute("name", at: \.name)
      .removed("vip")
  }

  private struct Silent: Record, Equatable {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Silent>("Guest").attribute("name", at: \.name)
  }

  private func open(
    _ type: any Record.Type, _ steps: [Migration] = [], on disk: SimulatedDisk
  ) throws -> Store {
    try Store(at: "j", types: [type], migrations: steps, options: .simulated(disk))
  }

  /// Returns a disk with the journal of two programs: guest 1 has the number 5, and guest 2 a Bool.
  private func disk() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    var store = try open(Old.self, on: disk)
    try store.insertAndWait(contentsOf: [Old(id: 1, name: "Ada", vip: 5)])
    try store.closeAndWait()
    store = try open(Changed.self, on: disk)
    try store.insertAndWait(contentsOf: [Changed(id: 2, name: "Bob", vip: true)])
    try store.closeAndWait()
    return disk
  }

  private func update<R: Record>(
    _ type: R.Type, id: R.ID, in store: Store, with change: (inout R) -> Void
  ) throws {
    let context = store.makeContext()
    try context.update(type, id: id) { change(&$0) }
    try context.saveAndWait()
  }

  @Test func `a removed attribute needs no converter, with steps or without`() throws {
    let nothing = Migration("nothing", version: 1) { _ in }
    for steps in [[], [nothing]] {
      let disk = try disk()
      let store = try open(Removing.self, steps, on: disk)
      #expect(
        try store.snapshot.objects(Removing.self)
          == [Removing(id: 1, name: "Ada"), Removing(id: 2, name: "Bob")])
      try update(Removing.self, id: 1, in: store) { $0.name = "Eve" }
      try store.closeAndWait()
      let again = try open(Removing.self, steps, on: disk)
      #expect(try again.snapshot.object(Removing.self, id: 1)?.name == "Eve")
      try again.closeAndWait()
    }
  }

  @Test func `an attribute that no type names needs no converter to be read or deleted`() throws {
    let disk = try disk()
    let store = try open(Silent.self, on: disk)
    #expect(
      try store.snapshot.objects(Silent.self)
        == [Silent(id: 1, name: "Ada"), Silent(id: 2, name: "Bob")])
    // A value of the newest type is kept.
    try update(Silent.self, id: 2, in: store) { $0.name = "Eve" }
    try store.closeAndWait()
    let earlier = try open(Changed.self, on: disk)
    #expect(
      try earlier.snapshot.objects(Changed.self)
        == [Changed(id: 1, name: "Ada", vip: true), Changed(id: 2, name: "Eve", vip: true)])
    try earlier.closeAndWait()
    let again = try open(Silent.self, on: disk)
    let context = again.makeContext()
    try context.delete(Silent.self, id: 1)
    try context.saveAndWait()
    #expect(try again.snapshot.count(of: Silent.self) == 1)
    try again.closeAndWait()
  }

  @Test func `a save that would drop a value of an earlier type is refused`() throws {
    let disk = try disk()
    let refusal = """
      j: vip of Guest 1 is of the earlier type int64, and no record type converts it to bool; declare \
      the attribute with a converter, or as removed. Nothing was saved.
      """
    let store = try open(Silent.self, on: disk)
    #expect(sentence { try update(Silent.self, id: 1, in: store) { $0.name = "Eve" } } == refusal)
    #expect(store.snapshot.sequence == 2)
    try store.closeAndWait()
    // A step is refused in the same way.
    let before = disk.contents(of: "j")
    let step = Migration("rename", version: 1) { context in
      try context.setValue(.string("Eve"), forKey: "name", of: "Guest", id: .int(1))
    }
    #expect(sentence { _ = try open(Silent.self, [step], on: disk) } == refusal)
    let isSame = disk.contents(of: "j") == before
    #expect(isSame)
    try open(Removing.self, [step], on: disk).closeAndWait()
  }

  @Test(arguments: [true, false])
  func `a step that reads such an attribute by name gets the stored value`(
    isRemoved: Bool
  ) throws {
    /// The values that a step has read.
    final class Values: Sendable {
      let all = Mutex<[AttributeValue?]>([])
    }
    let values = Values()
    let read = Migration("read", version: 2) { context in
      var found = try context.objects("Guest").map { $0["vip"] }
      for id in [RecordIdentifier.int(1), .int(2)] {
        found.append(try context.object("Guest", id: id)?["vip"])
        found.append(try context.value(forKey: "vip", of: "Guest", id: id))
      }
      values.all.withLock { [found] in $0 += found }
    }
    let rename = Migration("rename", version: 1) { context in
      for guest in try context.objects("Guest") {
        try context.setValue(.string("x"), forKey: "name", of: "Guest", id: guest.id)
      }
    }
    let type: any Record.Type = isRemoved ? Removing.self : Silent.self
    // A step that has changed the record before does not hide the value.
    let store = try open(type, isRemoved ? [rename, read] : [read], on: try disk())
    let (old, new) = (AttributeValue.int(5), AttributeValue.bool(true))
    #expect(values.all.withLock { $0 } == [old, new, old, old, new, new])
    try store.closeAndWait()
  }

  @Test func `a step that reads an entity without a record type gets the stored values`() throws {
    struct Other: Record {
      var id = 0
      static let schema = RecordSchema<Other>("Other")
    }
    let step = Migration("read", version: 1) { context in
      #expect(try context.objects("Guest").map { $0["vip"] } == [.int(5), .bool(true)])
      try context.delete("Guest", id: .int(1))
    }
    let store = try open(Other.self, [step], on: try disk())
    #expect(try store.snapshot.objects("Guest").map(\.id) == [.int(2)])
    try store.closeAndWait()
  }

  @Test func `a step can move such a value to another attribute`() throws {
    struct Rank: Record, Equatable {
      var id = 0
      var name = ""
      var rank = 0
      static let schema = RecordSchema<Rank>("Guest").attribute("name", at: \.name)
        .attribute("rank", at: \.rank).removed("vip")
    }
    let step = Migration("rank", version: 1) { context in
      for guest in try context.objects("Guest") {
        let rank: Int64? =
          switch guest["vip"] {
          case .int(let number): number
          case .bool(let isVIP): isVIP ? 1 : 0
          default: nil
          }
        guard let rank else { continue }
        try context.setValue(.int(rank), forKey: "rank", of: "Guest", id: guest.id)
      }
    }
    let disk = try disk()
    let store = try open(Rank.self, [step], on: disk)
    let expected = [Rank(id: 1, name: "Ada", rank: 5), Rank(id: 2, name: "Bob", rank: 1)]
    #expect(try store.snapshot.objects(Rank.self) == expected)
    try store.closeAndWait()
    let again = try open(Rank.self, [step], on: disk)
    #expect(try again.snapshot.objects(Rank.self) == expected)
    try again.closeAndWait()
  }

  @Test func `a step that reads a declared attribute by name gets the converted value`() throws {
    let step = Migration("check", version: 1) { context in
      let values = try context.objects("Guest").map { $0["vip"] }
      #expect(values == [.bool(true), .bool(true)])
      let value = try context.value(forKey: "vip", of: "Guest", id: .int(1))
      #expect(value == .bool(true))
    }
    try open(Changed.self, [step], on: try disk()).closeAndWait()
  }
}
