import DaybookJournal
import DaybookStore
@testable import DaybookSimulation
import DaybookCLibrary
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `Loading a list from a state` {
  /// The properties of a row in a list: whether it matches, the key of its section, and its own
  /// key.
  struct Made {
    var exists = true
    var section: [UInt8] = []
    var order: [UInt8] = []
  }

  /// Enough rows for it to be found out that keys have to be kept.
  static let rowCount = 20_000

  /// Rows whose slots are not in the order of their creation.
  private static let snapshot = Result {
    let store = try Store.inMemory(types: [Item.self])
    let context = store.makeContext()
    for id in 0..<rowCount - 500 { try context.insert(Item(id: id)) }
    try context.saveAndWait()
    let again = stride(from: 0, to: rowCount - 500, by: 11)
    for id in again { try context.delete(Item.self, id: id) }
    try context.saveAndWait()
    for id in again { try context.insert(Item(id: id)) }
    for id in rowCount - 500..<rowCount { try context.insert(Item(id: id)) }
    try context.saveAndWait()
    return store.snapshot
  }

  private static func compare(_ one: [UInt8], _ other: [UInt8]) -> Int {
    let order = Int(memcmp(one, other, min(one.count, other.count)))
    return order != 0 ? order : one.count - other.count
  }

  /// Compares loaded rows with rows that are sorted by their whole keys.
  private func hold(
    isSectioned: Bool = false, _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (Int) -> Made
  ) throws {
    let frozen = try Self.snapshot.get().frozen
    let made = (0..<Self.rowCount).map(make)
    let path = try ValuePath(["id"], from: 0, in: frozen.catalog)
    @Sendable func row(_ place: RowLocation, _ state: FrozenState) -> Made {
      made[Int(path.number(of: place, in: state) ?? 0)]
    }
    let appendSection: ResultPlan.KeyEncoder = { place, state, buffer in
      buffer.append(row(place, state).section)
    }
    let plan = ResultPlan(
      entity: 0, matches: { place, state in row(place, state).exists },
      sections: isSectioned ? ResultPlan.Sections(append: appendSection) : nil,
      order: { place, state, buffer in buffer.append(row(place, state).order) })
    var all: [(slot: UInt32, section: [UInt8], own: [UInt8])] = []
    frozen.state.tables[0].forEach(in: frozen.space) { slot, location, creation in
      let row = row(location, frozen)
      guard row.exists else { return }
      let own = row.order + withUnsafeBytes(of: creation.bigEndian) { Array($0) }
      all.append((slot, isSectioned ? row.section : [], own))
    }
    all.sort { one, other in
      let order = Self.compare(one.section, other.section)
      return (order != 0 ? order : Self.compare(one.own, other.own)) < 0
    }
    let load = ResultLoad(plan, in: frozen)
    let rows = all.map { RankEntry(RowKey.prefix($0.own[...]), value: $0.slot) }
    let wrong = rows.indices.first { $0 >= load.rows.count || load.rows[$0] != rows[$0] }
    #expect(load.rows.count == rows.count, "\(what)", sourceLocation: sourceLocation)
    #expect(wrong == nil, "\(what)", sourceLocation: sourceLocation)
    var sections: [RankEntry] = []
    for (place, row) in all.enumerated() where isSectioned {
      if place == 0 || row.section != all[place - 1].section {
        sections.append(RankEntry(RowKey.prefix(row.section[...]), value: 0))
      }
      sections[sections.count - 1].value += 1
    }
    #expect(load.sections == sections, "\(what)", sourceLocation: sourceLocation)
  }

  /// Bytes of a number, the highest first.
  private func bytes(_ number: UInt64, _ count: Int = 8) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0.suffix(count)) }
  }

  private func random(_ id: Int, _ salt: UInt64 = 0) -> UInt64 {
    SlotHash.hash(UInt64(id), and: salt)
  }

  @Test func `a load sorts rows by keys of any length`() throws {
    try hold("of eight bytes") { Made(order: bytes(random($0))) }
    try hold("of few bytes") { Made(order: bytes(random($0), 2)) }
    try hold("of no bytes") { _ in Made() }
    try hold("of many bytes") { id in
      Made(order: (0..<40).map { UInt8(truncatingIfNeeded: random(id, $0)) })
    }
  }

  @Test func `a load sorts rows whose keys share any number of bytes`() throws {
    for sharedCount in FaultRow.some([1, 7, 8, 9, 70, 72, 73, 400, 500]) {
      let shared = [UInt8](repeating: 7, count: sharedCount)
      try hold("\(sharedCount) bytes") { id in
        // Many equal keys, and keys of different lengths.
        Made(order: shared + bytes(random(id) % 3000, 1 + id % 8))
      }
    }
  }

  @Test func `a load rebuilds keys if later rows share more bytes`() throws {
    let shared: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    try hold("those of the last rows") { id in
      Made(order: (id > 9000 ? shared : []) + bytes(random(id)))
    }
    try hold("those of the first rows") { id in
      Made(order: (id < 9000 ? shared : []) + bytes(random(id)))
    }
    for part in FaultRow.some([2, 100, 5000] as [UInt64]) {
      try hold("pairs, of \(part)") { id in
        Made(order: (random(id, 1) % part == 0 ? bytes(random(id / 2)) : []) + bytes(random(id)))
      }
    }
  }

  @Test func `a load omits rows that do not match`() throws {
    try hold("none is") { _ in Made(exists: false) }
    try hold("one is") { Made(exists: $0 == 4711, order: bytes(random($0))) }
    try hold(isSectioned: true, "one is in a section") { Made(exists: $0 == 4711) }
    try hold(isSectioned: true, "none is in a section") { _ in Made(exists: false) }
    for part in FaultRow.some([2, 3, 1000]) {
      try hold(isSectioned: true, "each of \(part)") {
        Made(
          exists: $0 % part == 0, section: bytes(random($0) % 7, 1), order: bytes(random($0), 3))
      }
    }
  }

  @Test func `a load groups rows in any number of sections`() throws {
    for count in FaultRow.some([1, 2, 50, 700, 10_000, 1 << 40] as [UInt64]) {
      try hold(isSectioned: true, "\(count) sections") { id in
        Made(section: bytes(random(id) % count), order: bytes(random(id, 1)))
      }
      try hold(isSectioned: true, "\(count) sections, with ties") { id in
        Made(section: bytes(random(id) % count), order: bytes(random(id, 1) % 40, 1))
      }
    }
  }

  @Test func `a section whose key is a prefix of another key is first`() throws {
    try hold(isSectioned: true, "zeros") { id in
      Made(section: [UInt8](repeating: 0, count: id % 30), order: bytes(random(id)))
    }
    let shared = [UInt8](repeating: 65, count: 100)
    try hold(isSectioned: true, "long ones") { id in
      Made(section: shared + bytes(random(id), id % 3), order: bytes(random(id)))
    }
  }

  @Test func `a load of an entity without records has no rows`() throws {
    let store = try Store.inMemory(types: [Item.self])
    let load = ResultLoad(
      ResultPlan(
        entity: 0, sections: ResultPlan.Sections(append: { _, _, _ in }), order: { _, _, _ in }),
      in: store.snapshot.frozen)
    #expect(load.rows == [])
    #expect(load.sections == [])
  }
}
