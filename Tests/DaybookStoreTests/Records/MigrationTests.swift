import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Opening a journal with a newer schema` {
  /// A schema, and the original name of each attribute.
  private struct Version {
    var definition: EntityDefinition
    /// The original name of each attribute, which identifies its values in the model.
    var origins: [String]
  }

  private static let types: [(AttributeType, @Sendable (UInt64) -> AttributeValue)] = [
    (.scalar(.int64), { .int(Int64(truncatingIfNeeded: $0)) }),
    (.scalar(.string), { .string("text \($0 % 1000)") }),
    (.scalar(.bool), { .bool($0 & 1 == 0) }),
    (.scalar(.double), { .double(Double($0 % 1000) / 8) }),
    (.array(.string), { number in .array((0..<number % 4).map { .string("\($0)") }) }),
    (.scalar(.data), { number in .data((0..<number % 700).map { UInt8(truncatingIfNeeded: $0) }) }),
    (.reference(EntityReference("R", identifierKind: .int)), { .reference(.int(Int64($0 % 5))) }),
  ]

  private func attribute(_ name: String, _ generator: inout SplitMix64) -> AttributeDefinition {
    let (type, make) = Self.types[Int(generator.next() % UInt64(Self.types.count))]
    var attribute = AttributeDefinition(name, type: type)
    if generator.next() & 1 == 0 { attribute.defaultValue = make(generator.next()) }
    return attribute
  }

  /// Returns a newer schema: some attributes removed, some renamed, some added, in another order.
  /// Two attributes may swap names, and a new attribute may reuse a released name.
  private func next(
    _ version: Version, _ number: Int, _ generator: inout SplitMix64
  ) -> Version {
    var next: [(AttributeDefinition, String)] = []
    var freeNames: [String] = []
    for (attribute, origin) in zip(version.definition.attributes, version.origins) {
      var attribute = attribute
      switch generator.next() % 5 {
      case 0: continue
      case 1:
        attribute.earlierName = attribute.name
        freeNames.append(attribute.name)
        attribute.name = "renamed\(number)_\(next.count)"
      // A schema may keep declaring an earlier name.
      case 2: break
      default: attribute.earlierName = nil
      }
      next.append((attribute, origin))
    }
    let isKept = { (index: Int) in
      version.definition.attributes.contains { $0.name == next[index].0.name }
    }
    // Swapping two names back is the same definition as before: a declared rename is applied once.
    let earlierNames = Dictionary(
      uniqueKeysWithValues: version.definition.attributes.map { ($0.name, $0.earlierName) })
    let isSwapped = { (first: String, second: String) in
      earlierNames[first] == second || earlierNames[second] == first
    }
    if next.count >= 2, isKept(0), isKept(1), !isSwapped(next[0].0.name, next[1].0.name),
      generator.next() % 3 == 0
    {
      let (first, second) = (next[0].0.name, next[1].0.name)
      (next[0].0.name, next[0].0.earlierName) = (second, first)
      (next[1].0.name, next[1].0.earlierName) = (first, second)
    }
    for added in 0..<generator.next() % 3 {
      let name = freeNames.popLast() ?? "added\(number)_\(added)"
      next.append((attribute(name, &generator), "origin\(number)_\(added)"))
    }
    if generator.next() & 1 == 0 { next.reverse() }
    var definition = version.definition
    definition.attributes = next.map(\.0)
    return Version(definition: definition, origins: next.map(\.1))
  }

  @Test func `records keep values while schemas add, remove and rename attributes`() throws {
    for seed in 0..<UInt64(FaultRow.count(500, full: 2000)) {
      var generator = SplitMix64(seed: seed)
      let disk = SimulatedDisk()
      var definition = EntityDefinition("E", identifiedBy: .int)
      for number in 0..<4 { definition.attributes.append(attribute("first\(number)", &generator)) }
      var version = Version(
        definition: definition, origins: definition.attributes.map(\.name))
      /// The values of each record, by the original names of its attributes.
      var model: [Int64: [String: AttributeValue]] = [:]

      for generation in 0..<5 {
        let store = try Store(at: "j", entities: [version.definition], options: .simulated(disk))
        let context = store.makeContext()
        // The current values of existing records.
        for (id, values) in model {
          let record = try #require(try store.snapshot.object("E", id: .int(id)))
          let expected = zip(version.definition.attributes, version.origins).map {
            values[$1] ?? $0.defaultValue
          }
          #expect(record.values == expected, "seed \(seed), generation \(generation), \(id)")
        }
        // Some records are updated, and some are new.
        for id in 0..<Int64(3 + generation) where generator.next() & 1 == 0 || model[id] == nil {
          let isNew = model[id] == nil
          var values = version.definition.attributes.map { attribute in
            let make = Self.types.first { $0.0 == attribute.type }?.1
            return generator.next() % 4 == 0 ? .null : make?(generator.next()) ?? .null
          }
          if isNew {
            try context.insert(DynamicRecord("E", id: .int(id), values: values))
          } else {
            let before = try #require(try store.snapshot.object("E", id: .int(id)))
            for (index, attribute) in version.definition.attributes.enumerated() {
              if generator.next() & 1 == 0 { values[index] = before.values[index] }
              try context.setValue(values[index], forKey: attribute.name, of: "E", id: .int(id))
            }
            // An unchanged record keeps its earlier row.
            if values == before.values { continue }
          }
          model[id] = Dictionary(uniqueKeysWithValues: zip(version.origins, values))
        }
        try context.saveAndWait()
        try store.closeAndWait()
        version = next(version, generation, &generator)
      }
    }
  }

  @Test func `an older record that is deleted and restored keeps its position`() throws {
    let disk = SimulatedDisk()
    var definition = EntityDefinition(
      "E", identifiedBy: .int, attributes: [AttributeDefinition("a", type: .scalar(.int64))])
    var store = try Store(at: "j", entities: [definition], options: .simulated(disk))
    var context = store.makeContext()
    for id in 1...2 as ClosedRange<Int64> {
      try context.insert(DynamicRecord("E", id: .int(id), values: [.int(id)]))
    }
    try context.saveAndWait()
    try store.closeAndWait()
    definition.attributes.append(AttributeDefinition("b", type: .scalar(.bool)))
    store = try Store(at: "j", entities: [definition], options: .simulated(disk))
    context = store.makeContext()
    context.undoLimit = 1
    try context.delete("E", id: .int(1))
    try context.saveAndWait()
    try context.undo()
    try context.saveAndWait()
    #expect(try store.snapshot.objects("E").map(\.id) == [.int(1), .int(2)])
  }

  // MARK: Types

  private struct Before: Record {
    var id = 0
    var amount = "0"
    var kind: String?
    static let schema = RecordSchema<Before>("Sale")
      .attribute("amount", at: \.amount).attribute("kind", at: \.kind)
  }

  private struct After: Record, Equatable {
    enum Kind: Int16, AttributeRepresentable { case cash = 1, card }
    var id = 0
    var cents = 0
    var kind: Kind?
    static let schema = RecordSchema<After>("Sale")
      .attribute(
        "cents", at: \.cents, renamedFrom: "amount",
        converting: { (text: String) in
          Int(text).map { $0 * 100 }
        }
      )
      .attribute(
        "kind", at: \.kind, converting: { (text: String) in text == "cash" ? .cash : .card })
  }

  @Test func `an attribute of another type is converted`() throws {
    let disk = SimulatedDisk()
    var store = try Store(at: "j", types: [Before.self], options: .simulated(disk))
    var context = store.makeContext()
    try context.insert(Before(id: 1, amount: "12", kind: "cash"))
    try context.insert(Before(id: 2, amount: "?", kind: nil))
    try context.saveAndWait()
    try store.closeAndWait()
    store = try Store(at: "j", types: [After.self], options: .simulated(disk))
    #expect(
      try store.snapshot.objects(After.self) == [
        After(id: 1, cents: 1200, kind: .cash), After(id: 2, cents: 0, kind: nil),
      ])
    context = store.makeContext()
    try context.update(After.self, id: 1) { $0.cents += 1 }
    try context.saveAndWait()
    try store.closeAndWait()
    store = try Store(at: "j", types: [After.self], options: .simulated(disk))
    #expect(try store.snapshot.object(After.self, id: 1) == After(id: 1, cents: 1201, kind: .cash))
    // Earlier moments read the earlier rows.
    #expect(try store.snapshot(at: 1).object(After.self, id: 1)?.cents == 1200)
  }

  @Test func `a reference to another entity needs a converter as well`() throws {
    struct Old: Record {
      var id = 0
      var target: Reference<Numbered>?
      static let schema = RecordSchema<Old>("E").reference(
        "target", at: \.target, whenTargetDeleted: .nullify)
    }
    struct New: Record {
      var id = 0
      var target: Reference<Unique>?
      static let schema = RecordSchema<New>("E").reference(
        "target", at: \.target, whenTargetDeleted: .nullify)
    }
    let disk = SimulatedDisk()
    let store = try Store(at: "j", types: [Old.self, Numbered.self], options: .simulated(disk))
    let context = store.makeContext()
    try context.insert(Old(id: 1, target: Reference(3)))
    try context.saveAndWait()
    try store.closeAndWait()
    let error = #expect(throws: StoreError.self) {
      try Store(at: "j", types: [New.self, Unique.self], options: .simulated(disk))
    }
    #expect(
      error?.description == """
        j: the type of E.target is ref:Numbered in the journal, but ref:Unique in the schema. \
        Declare a converter for the attribute. The journal was not changed.
        """)
  }
}
