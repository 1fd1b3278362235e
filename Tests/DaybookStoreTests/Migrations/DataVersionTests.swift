import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookText
import StoreTestSupport
import TestSupport
import Testing
import TextTestSupport

@testable import DaybookStore

/// The version of the data must be found after everything that is done to a journal.
@Suite struct `The version of the data` {
  /// Returns a disk with a migrated journal and one more transaction.
  private func disk() throws -> SimulatedDisk {
    let disk = try People.disk()
    let store = try People.new(on: disk)
    let context = store.makeContext()
    try context.insert(People.New(id: 3, name: "Cy"))
    try context.saveAndWait()
    try store.closeAndWait()
    return disk
  }

  /// Checks that a journal has the version 2, and that no step runs again.
  private func check(_ disk: SimulatedDisk, at path: String = "j", what: String) throws {
    let options = JournalOptions.simulated(disk)
    let store = try Store(
      at: path, types: People.newTypes, migrations: People.steps, options: options)
    #expect(store.schemaVersion == 2 && store.openingReport.migrationSteps.isEmpty, "\(what)")
    #expect(
      try store.snapshot.objects(People.New.self) == People.migrated + [
        People.New(id: 3, name: "Cy")
      ], "\(what)")
    try store.closeAndWait()
    let old = try Store(at: path, types: [People.Old.self], options: options)
    #expect(old.openingReport.newerVersion?.isReadOnly == true, "\(what)")
    try old.closeAndWait()
  }

  @Test func `reopening, reading and following find the version`() throws {
    let disk = try disk()
    try check(disk, what: "reopened")
    let options = JournalOptions.simulated(disk)
    #expect(try Store(reading: "j", types: People.newTypes, options: options).schemaVersion == 2)
    #expect(try Store(following: "j", types: People.newTypes, options: options).schemaVersion == 2)
  }

  @Test func `a checkpoint has the version`() throws {
    let disk = SimulatedDisk()
    disk.mapsFiles = true
    let place = CheckpointPlace(disk: disk)
    func open() throws -> Store {
      try Store(
        at: "j", types: CheckpointPlace.types, migrations: [Migration("one", version: 1) { _ in }],
        options: place.options)
    }
    var random = SplitMix64(seed: 3)
    var store = try open()
    try place.change(store, times: 5, &random)
    try store.closeAndWait()
    store = try open()
    #expect(store.statistics.checkpoints?.openedFrom != nil && store.schemaVersion == 1)
    #expect(store.dataVersions.entries.map(\.sequence) == [1])
    try place.change(store, times: 5, &random)
    try store.closeAndWait()
    store = try Store(
      at: "j", types: CheckpointPlace.types,
      migrations: [Migration("one", version: 1) { _ in }, Migration("two", version: 2) { _ in }],
      options: place.options)
    #expect(store.statistics.checkpoints?.openedFrom != nil && store.schemaVersion == 2)
    #expect(store.openingReport.migrationSteps.map(\.name) == ["two"])
    try store.closeAndWait()
    store = try Store(at: "j", types: CheckpointPlace.types, options: place.options)
    #expect(store.openingReport.newerVersion?.isReadOnly == true)
  }

  @Test func `compactions keep the version as of their base`() throws {
    let disk = try disk()
    let options = JournalOptions.simulated(disk)
    try Store.compact(at: "j", keeping: .nothing, options: options)
    try check(disk, what: "compacted")
    let reader = try Store(reading: "j", types: [], options: options)
    #expect(
      try reader.baseTransaction()?.metadata.text
        == #"{"schema":{"version":2,"compatibleFrom":2}}"#)
    let context = try People.new(on: disk).makeContext()
    try context.delete(People.New.self, id: 1)
    try context.saveAndWait()
    try context.store.closeAndWait()
    try Store.compact(at: "j", keeping: .nothing, options: options)
    #expect(try People.new(on: disk).schemaVersion == 2)
  }

  @Test func `a compaction before the migration leaves the version to its transaction`() throws {
    let disk = SimulatedDisk()
    let clock = ManualClock()
    let options = JournalOptions.simulated(on: disk, clock: clock)
    let old = try Store(at: "j", types: [People.Old.self], options: options)
    let context = old.makeContext()
    try context.insert(People.Old(id: 1, first: "Ada", last: "King"))
    try context.saveAndWait()
    try old.closeAndWait()
    clock.advance(milliseconds: 3 * 86_400_000)
    try Store(at: "j", types: People.newTypes, migrations: People.steps, options: options)
      .closeAndWait()
    let report = try Store.compact(at: "j", keeping: .days(1), options: options)
    #expect(report.base == 1 && report.keptTransactionCount == 1)
    let store = try Store(reading: "j", types: People.newTypes, options: options)
    #expect(store.schemaVersion == 2)
    #expect(store.dataVersions.through(1) == DataVersions())
    #expect(try store.baseTransaction()?.metadata.isEmpty == true)
  }

  @Test func `an erasure, a backup and a salvage keep the version`() throws {
    let disk = try disk()
    let options = JournalOptions.simulated(disk)
    let store = try People.new(on: disk)
    try store.backup(to: "b")
    try store.closeAndWait()
    try check(disk, at: "b", what: "backup")
    try Store.salvage(from: "j", to: "s", options: options)
    try check(disk, at: "s", what: "salvage")
    try Store.erase("Person", id: .int(3), at: "j", options: options)
    #expect(try People.new(on: disk).schemaVersion == 2)
  }

  @Test func `an exported and imported journal has the version`() throws {
    for compacts in [false, true] {
      let disk = try disk()
      if compacts { try Store.compact(at: "j", options: .simulated(disk)) }
      let desk = TextDesk(disk: disk)
      let text = try desk.exported()
      #expect(text.contains(#""schema":{"version":2,"compatibleFrom":2"#))
      try desk.importing(text, to: "k")
      #expect(try desk.exported("k") == text)
      try check(disk, at: "k", what: "imported, \(compacts)")
    }
  }

  @Test func `metadata of another form is not a version`() throws {
    let forms = [
      #""x""#, "[]", "{}", #"{"version":0,"compatibleFrom":0}"#, #"{"version":2}"#,
      #"{"version":2,"compatibleFrom":3}"#, #"{"version":"2","compatibleFrom":1}"#,
      #"{"version":2,"compatibleFrom":-1}"#, #"{"version":2.0,"compatibleFrom":1}"#,
      #"{"version":18446744073709551615,"compatibleFrom":1}"#,
    ]
    for form in forms {
      let desk = TextDesk()
      let text = """
        {"daybook":1,"entities":{"Person":{"id":"int","attributes":{"name":"string"}}}}
        {"tx":1,"time":"2026-01-01T00:00:00Z","meta":{"schema":\(form)},"changes":[]}

        """
      try desk.importing(text)
      let store = try Store(at: "j", types: [], options: .simulated(desk.disk))
      #expect(store.schemaVersion == 0, "\(form)")
      #expect(try desk.exported(store) == text)
      #expect(try payloadVersions(desk.disk) == [1], "\(form)")
    }
  }

  @Test func `steps of another form are left out`() throws {
    let desk = TextDesk()
    try desk.importing(
      """
      {"daybook":1,"entities":{}}
      {"tx":1,"time":"2026-01-01T00:00:00Z","meta":{"schema":{"version":2,"compatibleFrom":1,"steps":\
      [7,{"version":"1"},{"version":2,"name":"b"}]}},"changes":[]}

      """)
    let store = try Store(at: "j", types: [], options: .simulated(desk.disk))
    var transactions = try store.transactions(from: 1)
    let metadata = try #require(try transactions.next()).metadata
    #expect(store.schemaVersion == 2)
    #expect(metadata.migrationSteps == [MigrationStep(version: 2, name: "b")])
  }

  // MARK: Payloads

  private func payloadVersions(_ disk: SimulatedDisk) throws -> [UInt8] {
    let reader = try JournalReader(at: "j", options: .simulated(disk))
    var transactions = try reader.transactions(from: 1)
    var versions: [UInt8] = []
    while let transaction = try transactions.next() {
      versions.append(transaction.payload.copy()[0])
    }
    return versions
  }

  @Test func `a payload has version 3 only if it records a version of the data`() throws {
    #expect(try payloadVersions(try disk()) == [1, 1, 3, 1])
    #expect(PayloadWriter.versionWithMigrations == 3)
  }

  @Test func `a payload of a later version is refused`() throws {
    var bytes = PayloadWriter(changeCount: 0).finish()
    bytes[0] = 5
    let reader = PayloadReader(bytes.span.bytes, layouts: LayoutTable())
    #expect(reader.defect == PayloadDefect(offset: 0, kind: .version(5)))
  }
}
