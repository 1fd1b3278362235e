import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookSimulation
import Testing

@Suite("Scans of rows") struct RowScanBytesTests {
  private static let first = EntityDefinition(
    "Food", identifiedBy: .int,
    attributes: [
      AttributeDefinition("grams", type: .scalar(.int64)),
      AttributeDefinition("note", type: .scalar(.string)),
      AttributeDefinition("price", type: .scalar(.double)),
    ])
  private static let second = EntityDefinition(
    "Food", identifiedBy: .int,
    attributes: [
      AttributeDefinition("stock", type: .scalar(.int64), default: .int(5)),
      AttributeDefinition("shelf", type: .scalar(.string)),
      AttributeDefinition("weight", type: .scalar(.int64), renamedFrom: "grams"),
      AttributeDefinition("price", type: .scalar(.string)),
      AttributeDefinition("note", type: .scalar(.string)),
    ])

  private func text(_ generator: inout SplitMix64) -> AttributeValue {
    switch generator.next() % 8 {
    case 0: .null
    case 1: .string(String(repeating: "long ", count: 200))
    default: .string("n\(generator.next() % 100)")
    }
  }

  private func number(_ generator: inout SplitMix64) -> AttributeValue {
    generator.next() % 5 == 0 ? .null : .int(Int64(bitPattern: generator.next()))
  }

  /// Inserts, changes and deletes records of either layout.
  private func change(_ store: Store, _ isSecond: Bool, _ generator: inout SplitMix64) throws {
    let context = store.makeContext()
    for id in 0..<400 as Range<Int64> where generator.next() % 3 == 0 {
      let values =
        isSecond
        ? [
          number(&generator), text(&generator), number(&generator), text(&generator),
          text(&generator),
        ] : [number(&generator), text(&generator), .double(Double(id))]
      let exists = try store.snapshot.object("Food", id: .int(id)) != nil
      if exists { try context.delete("Food", id: .int(id)) }
      if !exists || generator.next() & 1 == 0 {
        try context.insert(DynamicRecord("Food", id: .int(id), values: values))
      }
    }
    try context.saveAndWait()
  }

  @Test(arguments: Place.allCases)
  func `a scan reads every attribute in rows of every layout`(
    _ place: Place
  ) throws {
    var generator = SplitMix64(seed: 5)
    try place.withStores([]) { open in
      let store = try open()
      try store.define([Self.first])
      try change(store, false, &generator)
      try check(store)
      try store.define([Self.second])
      try check(store)
      try change(store, true, &generator)
      try check(store)
    }
  }

  private func check(_ store: Store) throws {
    let snapshot = store.snapshot
    let frozen = snapshot.frozen
    let records = try snapshot.objects("Food")
    let entity = try #require(frozen.catalog.index(of: "Food"))
    let attributes = frozen.catalog.newest(entity).entity.attributes
    let scan = RowScan(frozen)
    for (index, attribute) in attributes.enumerated() {
      let path = try #require(AttributePath(attribute.name, of: "Food", in: frozen.catalog))
      var found: [(creation: UInt64, value: AttributeValue, number: Int64?)] = []
      scan.forEach(in: entity) { entry, row in
        func value(_ row: RawSpan) -> AttributeValue {
          path.withBytes(in: row) { bytes in
            guard let bytes else { return .null }
            return AttributeValue(attribute.type, bytes: bytes) ?? .null
          }
        }
        let value =
          path.isElsewhere(in: row)
          ? scan.withCompleteRow(at: entry.location, value) : value(row)
        found.append((entry.creation, value, path.number(in: row, as: Int64.self)))
      }
      found.sort { $0.creation < $1.creation }
      #expect(found.map(\.value) == records.map { $0.values[index] }, "\(attribute.name)")
      guard attribute.type == .scalar(.int64) else { continue }
      let numbers = records.map { record -> Int64? in
        guard case .int(let number) = record.values[index] else { return nil }
        return number
      }
      #expect(found.map(\.number) == numbers, "\(attribute.name)")
    }
    #expect(AttributePath("colour", of: "Food", in: frozen.catalog) == nil)
    #expect(AttributePath("note", of: "Drink", in: frozen.catalog) == nil)
  }
}
