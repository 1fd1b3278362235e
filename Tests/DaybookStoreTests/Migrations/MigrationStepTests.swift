import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookText
import StoreTestSupport
import TestSupport
import Testing

@testable import DaybookStore

@Suite struct `Migration steps` {
  private func transaction(_ number: UInt64, of store: Store) throws -> StoreTransaction {
    var reader = try store.transactions(from: SequenceNumber(number))
    return try #require(try reader.next())
  }

  private struct Refusal: Error, CustomStringConvertible {
    var description: String { "no." }
  }

  private static let failing = Migration("give up", version: 3) { context in
    try context.delete("Person", id: .int(1))
    throw Refusal()
  }

  // MARK: Running

  @Test func `all pending steps run once, as one transaction that names them`() throws {
    let disk = try People.disk()
    let store = try People.new(on: disk)
    #expect(try store.snapshot.objects(People.New.self) == People.migrated)
    #expect(try store.snapshot.objects(People.Address.self) == People.addresses)
    #expect(store.snapshot.sequence == 3 && store.schemaVersion == 2)
    let metadata = try transaction(3, of: store).metadata
    #expect(metadata.reason == "migration to version 2: join names, split addresses")
    #expect(
      metadata.text == """
        {"reason":"migration to version 2: join names, split addresses","schema":{"version":2,\
        "compatibleFrom":2,"steps":[{"version":1,"name":"join names"},{"version":2,\
        "name":"split addresses"}]}}
        """)
    #expect(metadata.migrationSteps == People.steps.map(\.step))
    #expect(
      store.openingReport.description == """
        the records were migrated by these steps: 1 "join names", 2 "split addresses".
        Person.name is new.
        Person.address is new.
        Person.first was removed.
        Person.last was removed.
        Person.street was removed.
        Person.city was removed.
        """)
    try store.closeAndWait()
    let again = try People.new(on: disk)
    #expect(again.snapshot.sequence == 3 && again.openingReport.migrationSteps.isEmpty)
    #expect(try again.snapshot.objects(People.New.self) == People.migrated)
  }

  @Test func `moments before a step are read as they were`() throws {
    let disk = try People.disk()
    let store = try People.new(on: disk)
    let before = try store.snapshot(at: SequenceNumber(2))
    #expect(try before.objects(People.New.self).map(\.name) == ["", ""])
    #expect(try before.objects(People.Address.self) == [])
    try store.closeAndWait()
    let tool = try Store(at: "j", types: [], options: .simulated(disk))
    let old = try tool.snapshot(at: SequenceNumber(1)).objects("Person")
    #expect(old.map(\.id) == [.int(1)])
    #expect(try tool.history(of: "Person", id: .int(2)).map(\.sequence) == [2, 3])
  }

  @Test func `only steps above the version of the data run`() throws {
    let disk = try People.disk()
    try People.new([People.joinNames], on: disk).closeAndWait()
    let store = try People.new(on: disk)
    #expect(store.openingReport.migrationSteps == [People.splitAddresses.step])
    #expect(store.snapshot.sequence == 4 && store.schemaVersion == 2)
    // Removed attributes exist until the next change of their record.
    #expect(try store.snapshot.objects(People.New.self) == People.migrated)
    #expect(try store.snapshot.objects(People.Address.self) == People.addresses)
  }

  @Test func `a new journal has the version of the program and needs no step`() throws {
    let disk = SimulatedDisk()
    let store = try People.new(People.steps + [Self.failing], on: disk)
    #expect(store.schemaVersion == 3 && store.snapshot.sequence == 1)
    #expect(store.openingReport.isEmpty)
    #expect(try transaction(1, of: store).metadata.reason == "new journal of version 3")
    #expect(try transaction(1, of: store).changes.isEmpty)
    let context = store.makeContext()
    try context.insert(People.New(id: 1, name: "Ada"))
    try context.saveAndWait()
    try store.closeAndWait()
    let again = try People.new(People.steps + [Self.failing], on: disk)
    #expect(again.snapshot.sequence == 2)
  }

  @Test func `a step that changes nothing is recorded too`() throws {
    let disk = try People.disk()
    let nothing = Migration("look", version: 1) { _ = try $0.objects("Person") }
    let store = try Store(
      at: "j", types: [People.Old.self], migrations: [nothing], options: .simulated(disk))
    #expect(store.snapshot.sequence == 3 && store.schemaVersion == 1)
    #expect(try transaction(3, of: store).changes.isEmpty)
  }

  @Test func `a step can set the author of its transaction`() throws {
    let disk = try People.disk()
    let step = Migration("sign", version: 1) { $0.metadata.author = "me" }
    let store = try Store(
      at: "j", types: [People.Old.self], migrations: [step], options: .simulated(disk))
    let metadata = try transaction(3, of: store).metadata
    #expect(metadata.author == "me" && metadata.reason == "migration to version 1: sign")
  }

  @Test func `additions, renames and removals do not change the version`() throws {
    let disk = try People.disk()
    let store = try Store(at: "j", types: People.newTypes, options: .simulated(disk))
    try store.makeContext().deleteAll()
    #expect(store.schemaVersion == 0 && store.snapshot.sequence == 3)
    #expect(store.openingReport.newerVersion == nil)
  }

  @Test func `a store in memory can be migrated`() throws {
    let journal = MemoryJournal()
    let old = try Store.inMemory(types: [People.Old.self], journal: journal)
    let context = old.makeContext()
    try context.insert(People.Old(id: 2, first: "Bob", last: "Low"))
    try context.saveAndWait()
    let store = try Store.inMemory(
      types: People.newTypes, migrations: People.steps, journal: journal)
    #expect(try store.snapshot.objects(People.New.self) == [People.New(id: 2, name: "Bob Low")])
    #expect(store.schemaVersion == 2)
  }

  // MARK: Failing

  @Test func `a step that throws leaves the bytes of the journal as they were`() throws {
    let disk = try People.disk()
    let before = disk.contents(of: "j")
    #expect(
      sentence { _ = try People.new(People.steps + [Self.failing], on: disk) } == """
        j: the migration step 3 "give up" threw an error, so the journal was not changed. The error \
        is: no.
        """)
    let isSame = disk.contents(of: "j") == before
    #expect(isSame)
    let error = #expect(throws: StoreError.self) {
      try People.new(People.steps + [Self.failing], on: disk)
    }
    guard case .migration(let failure)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.step == Self.failing.step && failure.error is Refusal)
    // The lock is released, and the journal can be opened without the step.
    #expect(try People.new(on: disk).schemaVersion == 2)
  }

  @Test func `steps whose versions do not ascend are refused`() throws {
    let disk = try People.disk()
    let before = disk.contents(of: "j")
    func refusal(_ steps: [Migration]) -> String {
      sentence { _ = try People.new(steps, on: disk) }
    }
    #expect(
      refusal([People.splitAddresses, People.joinNames]) == """
        j: the migration step 1 "join names" follows version 2. The version of each step must be above \
        the one before it, and the first above 0. The journal was not changed.
        """)
    #expect(
      refusal([Migration("zero", version: 0) { _ in }]) == """
        j: the migration step 0 "zero" follows version 0. The version of each step must be above \
        the one before it, and the first above 0. The journal was not changed.
        """)
    #expect(
      refusal([People.joinNames, People.joinNames]).hasPrefix(
        "j: the migration step 1 \"join names\" follows version 1."))
    let isSame = disk.contents(of: "j") == before
    #expect(isSame)
  }

  private struct Strict: Record {
    var id = 0
    var name: String?
    static let schema = RecordSchema<Strict>("Person")
      .attribute("name", at: \.name, required: true).unique(\.name)
  }

  private func strict(
    _ disk: SimulatedDisk, _ body: @escaping @Sendable (EditingContext) throws -> Void
  )
    throws -> Store
  {
    try Store(
      at: "j", types: [Strict.self], migrations: [Migration("name", version: 1, body: body)],
      options: .simulated(disk))
  }

  @Test func `a new required attribute needs no default if a step sets it`() throws {
    let disk = try People.disk()
    let before = disk.contents(of: "j")
    #expect(
      sentence { _ = try Store(at: "j", types: [Strict.self], options: .simulated(disk)) }
        .hasPrefix(
          "j: Person.name is new and required, but older records have no value for it."))
    #expect(
      sentence { _ = try strict(disk) { try $0.update(Strict.self, id: 1) { $0.name = "a" } } }
        == "j: Person 2 has no name, which is required. Nothing was saved.")
    #expect(
      sentence {
        _ = try strict(disk) { context in
          for id in 1...2 { try context.update(Strict.self, id: id) { $0.name = "a" } }
        }
      } == "j: Person 2 has the same name as Person 1. Nothing was saved.")
    let isSame = disk.contents(of: "j") == before
    #expect(isSame)
    let store = try strict(disk) { context in
      for id in 1...2 { try context.update(Strict.self, id: id) { $0.name = "\(id)" } }
    }
    #expect(try store.snapshot.objects(Strict.self).map(\.name) == ["1", "2"])
    try store.closeAndWait()
    #expect(try strict(disk) { _ in }.openingReport.violations.isEmpty)
  }

  @Test func `a step cannot save`() throws {
    let disk = try People.disk()
    let message = sentence {
      _ = try People.new([Migration("save", version: 1) { try $0.saveAndWait() }], on: disk)
    }
    #expect(
      message == """
        j: the migration step 1 "save" threw an error, so the journal was not changed. The error is: j: \
        the body of a write cannot save and wait, because other saves may be waiting for the body to \
        return. Nothing was saved. Change records in the context of the body, which is saved when the \
        body returns, or save after write has returned.
        """)
  }

  // MARK: Versions

  @Test func `a program of a lower version reads the journal and cannot save`() throws {
    let disk = try People.disk()
    try People.new(on: disk).closeAndWait()
    let store = try People.new([People.joinNames], on: disk)
    #expect(try store.snapshot.objects(People.New.self) == People.migrated)
    #expect(
      store.openingReport.newerVersion?.description == """
        the journal has version 2 of its data, and the program version 1. The program can read the \
        journal, but not change it.
        """)
    let context = store.makeContext()
    try context.update(People.New.self, id: 1) { $0.name = "Eve" }
    #expect(
      sentence { try context.saveAndWait() } == """
        j: the journal has version 2 of its data, but the program has version 1, so it can only read \
        the journal. Nothing was saved. Open it with a program of version 2.
        """)
    #expect(context.hasChanges)
    #expect(throws: StoreError(.lowerVersion(program: 1, journal: 2), path: "j")) {
      try store.insertAndWait(contentsOf: [People.New(id: 3)])
    }
    try store.closeAndWait()
    let old = try People.old(on: disk)
    #expect(old.openingReport.newerVersion?.isReadOnly == true)
    #expect(throws: StoreError(.lowerVersion(program: 0, journal: 2), path: "j")) {
      try old.makeContext().deleteAll()
    }
  }

  @Test func `a write of a program of a lower version is refused`() async throws {
    let disk = try People.disk()
    try await People.new(on: disk).close()
    let store = try People.new([People.joinNames], on: disk)
    await #expect(throws: StoreError(.lowerVersion(program: 1, journal: 2), path: "j")) {
      try await store.write { try $0.insert(People.New(id: 3)) }
    }
    #expect(store.snapshot.sequence == 3)
  }

  @Test func `compatible steps let programs of lower versions save`() throws {
    let compatible = Migration("tidy", version: 3, compatible: true) { _ in }
    let disk = try People.disk()
    try People.new(People.steps + [compatible], on: disk).closeAndWait()
    let store = try People.new(on: disk)
    #expect(
      store.openingReport.newerVersion?.description == """
        the journal has version 3 of its data, and the program version 2. The later migrations are \
        compatible, so the program can change the journal.
        """)
    try store.makeContext().deleteAll()
    #expect(try store.schemaVersion == 3 && store.snapshot.count(of: People.New.self) == 0)
    try store.closeAndWait()
    // The second step was not declared as compatible.
    #expect(throws: StoreError(.lowerVersion(program: 1, journal: 3), path: "j")) {
      try People.new([People.joinNames], on: disk).makeContext().insertOne()
    }
  }

  @Test func `a new journal records the last step that is not compatible`() throws {
    let compatible = Migration("tidy", version: 3, compatible: true) { _ in }
    let disk = SimulatedDisk()
    try People.new(People.steps + [compatible], on: disk).closeAndWait()
    try People.new(on: disk).makeContext().insertOne()
    #expect(throws: StoreError(.lowerVersion(program: 1, journal: 3), path: "j")) {
      try People.new([People.joinNames], on: disk).makeContext().insertOne()
    }
  }

  @Test func `a program without record types changes data of every version`() throws {
    let disk = try People.disk()
    try People.new(on: disk).closeAndWait()
    let tool = try Store(at: "j", types: [], options: .simulated(disk))
    let context = tool.makeContext()
    try context.delete("Person", id: .int(1))
    try context.saveAndWait()
    #expect(tool.openingReport.isEmpty && tool.schemaVersion == 2)
  }
}

extension EditingContext {
  /// Deletes all people, and saves.
  fileprivate func deleteAll() throws {
    for person in try objects("Person") { try delete("Person", id: person.id) }
    try saveAndWait()
  }

  /// Inserts a person, and saves.
  fileprivate func insertOne() throws {
    try insert(People.New(id: Int(store.snapshot.sequence.rawValue) + 90))
    try saveAndWait()
  }
}
