import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookCLibrary
import DaybookSimulation
import DaybookText
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing
import TextTestSupport

/// Provokes each error of a store and compares its description.
@Suite struct `The descriptions of store errors` {
  private let disk = SimulatedDisk()

  private func open() throws -> (store: Store, context: EditingContext) {
    let store = try Store(at: "j", types: [Numbered.self, Unique.self], options: .simulated(disk))
    let context = store.makeContext()
    try context.insert(Numbered(id: 1, name: "one"))
    try context.saveAndWait()
    return (store, context)
  }

  @Test func `errors name the missing type, entity, attribute or record`() throws {
    let (store, context) = try open()
    let other = EveryType()
    let problems = [
      sentence { try context.insert(other) },
      sentence { _ = try store.snapshot.objects(EveryType.self) },
      sentence { _ = try store.snapshot.objects("Numberd") },
      sentence { try context.delete("Numberd", id: .int(1)) },
      sentence { _ = try context.value(forKey: "nam", of: "Numbered", id: .int(1)) },
      sentence { try context.update(Numbered.self, id: 2) { $0.name = "two" } },
      sentence { try context.delete(Numbered.self, id: 2) },
      sentence {
        try context.setValue(.string("two"), forKey: "name", of: "Numbered", id: .int(2))
      },
      sentence { try context.delete("Unique", id: .string("a \"b\"")) },
    ]
    #expect(
      problems == [
        "j: the store was not opened with the type EveryType. Add it to the types.",
        "j: the store was not opened with the type EveryType. Add it to the types.",
        "j: no entity 'Numberd'.",
        "j: no entity 'Numberd'.",
        "j: Numbered has no attribute 'nam'.",
        "j: Numbered 2 does not exist.",
        "j: Numbered 2 does not exist.",
        "j: Numbered 2 does not exist.",
        "j: Unique a \"b\" does not exist.",
      ])
    #expect(!context.hasChanges)
  }

  @Test func `errors name the duplicate record or the expected type`() throws {
    let (_, context) = try open()
    let problems = [
      sentence { try context.insert(Numbered(id: 1, name: "again")) },
      sentence { try context.setValue(.int(2), forKey: "name", of: "Numbered", id: .int(1)) },
      sentence {
        try context.insert(DynamicRecord("Numbered", id: .int(1), values: [.string("again")]))
      },
      sentence {
        try context.insert(DynamicRecord("Numbered", id: .string("2"), values: [.string("two")]))
      },
      sentence {
        try context.insert(DynamicRecord("Numbered", id: .int(2), values: [.bool(true)]))
      },
      sentence { try context.insert(DynamicRecord("Numbered", id: .int(2), values: [])) },
    ]
    #expect(
      problems == [
        "j: Numbered 1 already exists.",
        "j: Numbered.name needs a value of type string.",
        "j: Numbered 1 already exists.",
        "j: Numbered.id needs a value of type int.",
        "j: Numbered.name needs a value of type string.",
        "j: Numbered needs 1 attribute value, but the record has 0.",
      ])
    #expect(!context.hasChanges)
  }

  @Test func `the error of a conflict names the attributes and records`() throws {
    let (store, context) = try open()
    try context.insert(Numbered(id: 2, name: "two"))
    try context.saveAndWait()
    let other = store.makeContext()
    for context in [context, other] {
      try context.update(Numbered.self, id: 1) { $0.name = context === other ? "uno" : "eins" }
    }
    try context.update(Numbered.self, id: 2) { $0.name = "zwei" }
    try other.delete(Numbered.self, id: 2)
    try other.saveAndWait()
    #expect(
      sentence { try context.saveAndWait() } == """
        j: name of Numbered 1 was changed both here and elsewhere; Numbered 2 was changed in one \
        place and deleted in the other. Nothing was saved.
        """)
    #expect(context.hasChanges)
  }

  @Test func `the error of an unknown outcome says when the outcome is decided`() throws {
    let (store, context) = try open()
    try context.insert(Numbered(id: 2, name: "two"))
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    #expect(
      sentence { try context.saveAndWait() } == """
        j: /disk/j: sync: Input/output error (5). Transaction 2 may or may not be in the journal. \
        Recover the store to find out.
        """)
    disk.plan = .none
    try store.recoverAndWait()
    #expect(store.snapshot.sequence == 2)
  }

  @Test func `the error of a call by a notified observer says to call later`() throws {
    let (_, context) = try open()
    var problems: [String] = []
    let token = context.observe { [unowned context] _ in
      problems = [
        sentence { try context.saveAndWait() }, sentence { try context.rollback() },
        sentence { try context.reset() }, sentence { try context.mergeChanges() },
        sentence { try context.undo() }, sentence { try context.redo() },
      ]
    }
    try context.insert(Numbered(id: 2, name: "two"))
    context.processPendingChanges()
    #expect(
      problems
        == Array(
          repeating:
            "j: a delegate cannot save, fetch or roll back while it is being notified. Do it after the callback returns.",
          count: 6))
    withExtendedLifetime(token) {}
  }

  // Each definition copies the catalog, which is slow in a debug build.
  @Test(.enabled(if: FaultRow.Scale.current != .small))
  func `a schema that has changed too often is refused`() throws {
    let store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
    // A layout number has 14 bits, and an entity has at most 1024 layouts. Numbered uses one.
    func definition(_ entity: Int, _ version: Int) -> EntityDefinition {
      let attributes = [AttributeDefinition("a", type: .scalar(.bool))].prefix(version % 2)
      return EntityDefinition("E\(entity)", identifiedBy: .int, attributes: Array(attributes))
    }
    try store.define(
      (0..<16).flatMap { entity in (0..<1024).map { definition(entity, $0) } }.dropLast())
    #expect(
      sentence { try store.define([definition(15, 1023)]) }
        == "j: the schema has changed 16384 times, which is the limit of a journal. Export the journal and import it into a new one."
    )
  }

  @Test func `the error of exhausted creation numbers says to export and import`() throws {
    let text = """
      {"daybook":1,"entities":{"Numbered":{"id":"int","attributes":{"name":"string!"}}}}
      {"tx":1,"time":"2026-01-01T00:00:00Z","changes":[{"op":"insert","entity":"Numbered","id":1,\
      "set":{"name":"one"},"created":9223372036854775807}]}
      """
    let desk = TextDesk()
    try desk.importing(text)
    let store = try Store(at: "j", types: [Numbered.self], options: .simulated(desk.disk))
    let context = store.makeContext()
    try context.insert(Numbered(id: 2, name: "two"))
    #expect(
      sentence { try context.saveAndWait() } == """
        j: no creation number is left for a new record: a record already has the highest, \
        9223372036854775807. Export the journal, and import it without the creation numbers.
        """)
    try context.rollback()
    // An existing record can be changed, and keeps its number when it is inserted again.
    try context.delete(Numbered.self, id: 1)
    context.processPendingChanges()
    try context.insert(Numbered(id: 1, name: "uno"))
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Numbered.self).map(\.name) == ["uno"])
    #expect(try desk.exported().contains("9223372036854775807"))
  }

  @Test func `the error of an invalid payload names its transaction and byte`() throws {
    let (store, _) = try open()
    try store.closeAndWait()
    let journal = try FileJournal(at: "j", options: .simulated(disk))
    try #require(journal.appendAndWait([1, 2, 3]).isAppended)
    try journal.closeAndWait()
    #expect(
      sentence { _ = try Store(at: "j", types: [Numbered.self], options: .simulated(disk)) } == """
        j: transaction 2, byte 2 of its payload: the bytes are intact but do not form a valid \
        change, so they were written this way.
        """)
  }

  // The test copies gigabytes, which is slow in a debug build.
  @Test(.enabled(if: FaultRow.Scale.current != .small))
  func `the error of an oversized transaction names the limit`() throws {
    let store = try Store.inMemory(types: [Big.self])
    let context = store.makeContext()
    // Each record alone would fit.
    for id in 1...2 { try context.insert(Big(id: id, data: Data(count: 1 << 29))) }
    #expect(
      sentence { try context.saveAndWait() } == """
        store in memory: the transaction has 1073741954 bytes, but the limit is 1 GiB. Save the \
        changes in several transactions.
        """)
    #expect(context.hasChanges && store.snapshot.sequence == 0)
  }

  private struct Big: Record {
    var id = 0
    var data = Data()
    static let schema = RecordSchema<Big>("Big").attribute("data", at: \.data)
  }
}

extension AppendOutcome {
  fileprivate var isAppended: Bool { if case .appended = self { true } else { false } }
}
