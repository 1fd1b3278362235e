import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing
import TextTestSupport

/// The law of partial types: an update through one type keeps every attribute that the type does
/// not name byte for byte, in the live state, in a replay and in an export.
@Suite struct `Random histories of types that name different parts` {
  /// One part of ``EveryType``.
  private struct Left: Record {
    var id = "?"
    var bool = false
    var int64: Int64 = 0
    var string = ""
    var decimal = Decimal(0)
    var optionalText: String?
    var texts: [String] = []
    static let schema = RecordSchema<Left>("EveryType")
      .attribute("string", at: \.string).attribute("bool", at: \.bool).attribute(
        "int64", at: \.int64
      )
      .attribute("decimal", at: \.decimal).attribute("texts", at: \.texts)
      .attribute("optionalText", at: \.optionalText)
  }

  /// Another part, which shares one attribute with the first.
  private struct Right: Record {
    var id = "?"
    var string = ""
    var data = Data()
    var options = EveryType.Options()
    var flavour = EveryType.Flavour.sweet
    var one: Reference<Numbered>?
    static let schema = RecordSchema<Right>("EveryType")
      .attribute("data", at: \.data).attribute("options", at: \.options)
      .attribute("flavour", at: \.flavour).attribute("string", at: \.string)
      .reference("one", at: \.one, whenTargetDeleted: .nullify)
  }

  private typealias Values = [String: [UInt8]]

  /// Returns the bytes of the non-nil attributes of every record in a state.
  private func values(_ state: FrozenState) throws -> [RecordIdentifier: Values] {
    let catalog = state.catalog
    let entity = try #require(catalog.index(of: "EveryType"))
    let layout = catalog.newest(entity)
    var records: [RecordIdentifier: Values] = [:]
    RowScan(state).forEach(in: entity) { entry, _ in
      let row = state.memory.withCompleteRow(at: entry.location, layouts: catalog.layouts) {
        catalog.types.newest($0, of: entity, in: catalog)
      }
      var values: Values = [:]
      for (index, attribute) in layout.entity.attributes.enumerated() {
        guard let range = layout.range(of: index, in: row.span.bytes) else { continue }
        values[attribute.name] = Array(row[range])
      }
      records[state.reader.identifier(ofSlot: entry.slot, in: entity)] = values
    }
    return records
  }

  /// Changes some attributes of a record, and returns their names.
  private func change(
    _ id: String, in context: EditingContext, through type: any Record.Type,
    _ generator: inout SplitMix64
  ) throws -> Set<String> {
    let new = EveryType.random(id, using: &generator)
    var bits = generator.next()
    var names: Set<String> = []
    func set<R: Record, Value>(
      _ record: inout R, _ name: String, _ keyPath: WritableKeyPath<R, Value>, to value: Value
    ) {
      bits >>= 1
      guard bits & 1 == 0 else { return }
      record[keyPath: keyPath] = value
      names.insert(name)
    }
    if type is Left.Type {
      try context.update(Left.self, id: id) { record in
        set(&record, "bool", \.bool, to: new.bool)
        set(&record, "int64", \.int64, to: new.int64)
        set(&record, "string", \.string, to: new.string)
        set(&record, "decimal", \.decimal, to: new.decimal)
        set(&record, "optionalText", \.optionalText, to: new.optionalText)
        set(&record, "texts", \.texts, to: new.texts)
      }
    } else if type is Right.Type {
      try context.update(Right.self, id: id) { record in
        set(&record, "string", \.string, to: new.string)
        set(&record, "data", \.data, to: new.data)
        set(&record, "options", \.options, to: new.options)
        set(&record, "flavour", \.flavour, to: new.flavour)
        set(&record, "one", \.one, to: new.one)
      }
    } else {
      try context.setValue(
        .int(Int64(new.int32)), forKey: "int32", of: "EveryType", id: .string(id))
      names = ["int32"]
    }
    return names
  }

  @Test(arguments: 0..<UInt64(FaultRow.count(60, full: 600)))
  func `an update keeps attributes that its type does not name byte for byte`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let disk = SimulatedDisk()
    let choices: [[any Record.Type]] = [
      [EveryType.self, Numbered.self], [Left.self], [Right.self, Numbered.self],
      [Left.self, Right.self, Numbered.self],
    ]
    var store = try Store(at: "j", types: choices[0], options: .simulated(disk))
    for number in 0..<4 {
      let record = EveryType.random("r\(number)", using: &generator)
      try store.insertAndWait(contentsOf: [record])
    }
    for _ in 0..<12 {
      try store.closeAndWait()
      let types = choices[Int(generator.next() % 4)]
      store = try Store(at: "j", types: types, options: .simulated(disk))
      let context = store.makeContext()
      context.undoLimit = 2
      let id = "r\(generator.next() % 4)"
      let before = try values(store.snapshot.frozen)
      let type = types[Int(generator.next() % UInt64(types.count))]
      let names = try change(id, in: context, through: type, &generator)
      context.processPendingChanges()
      var expected = before
      func check(_ state: FrozenState, _ form: String) throws {
        let found = try values(state)
        #expect(Set(found.keys) == Set(before.keys))
        for (other, old) in before {
          for (name, value) in old where other != .string(id) || !names.contains(name) {
            #expect(found[other]?[name] == value, "seed \(seed), \(form): \(other).\(name)")
          }
          for name in (found[other] ?? [:]).keys where old[name] == nil {
            #expect(other == .string(id) && names.contains(name), "seed \(seed), \(form): \(name)")
          }
        }
        if form == "pending" { expected = found }
        #expect(found == expected, "seed \(seed), \(form)")
      }
      try check(context.frozen, "pending")
      try context.saveAndWait()
      try check(store.snapshot.frozen, "saved")
      try check(store.replayed().frozen, "replayed")
      let line = try #require(TextDesk(disk: disk).exported(store).split(separator: "\n").last)
      for attribute in EveryType.schema.attributes where !names.contains(attribute.name) {
        #expect(
          expected == before || !line.contains("\"\(attribute.name)\":"),
          "seed \(seed): \(attribute.name) in \(line.prefix(200))")
      }
    }
    // The full type reads all changes made through any type.
    let last = try values(store.snapshot.frozen)
    try store.closeAndWait()
    store = try Store(at: "j", types: choices[0], options: .simulated(disk))
    #expect(store.openingReport.isEmpty)
    #expect(store.snapshot.frozen.catalog.layouts.count <= 2)
    #expect(try values(store.snapshot.frozen) == last)
    try store.closeAndWait()
  }
}
