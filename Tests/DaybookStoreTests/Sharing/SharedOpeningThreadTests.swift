import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore
import DaybookSimulation
import StoreTestSupport
import TestSupport
import Testing

/// The openings of replicas, their refusals, and the layouts that several machines add.
@Suite struct `Opening of a replica` {
  /// Returns the description of the error of a call that must fail.
  private func sentence(of call: () async throws -> Void) async -> String? {
    do {
      try await call()
      return nil
    } catch { return "\(error)" }
  }

  /// Performs a call that blocks its thread.
  private func blocking(_ call: @escaping @Sendable () throws -> Void) async throws {
    try await WorkerThreads.shared.value { Result { try call() } }.get()
  }

  private func log(
    named name: String = "banks", from seed: Int = 1
  ) async throws -> MemorySharedLog {
    let log = MemorySharedLog(name: name)
    let store = try await SharedMachine(seed, log: log.connect()).open()
    try await store.write(isolation: nil) { try $0.insert(SharedCounter()) }
    try await store.close()
    return log
  }

  @Test func `a replica opens without its log, and connects later`() async throws {
    let log = try await log()
    // The store closes its connection, so each opening has a new one.
    let cut = PlannedLog(log)
    cut.isCut = true
    let machine = SharedMachine(2, log: cut)
    #expect(
      await sentence { _ = try await machine.open() }
        == "banks.daybook: the transaction is not saved, because of its shared log. The log banks "
        + "cannot be reached: the cable is cut. The replica can be read.")
    #expect(machine.disk.paths.allSatisfy { !$0.hasSuffix("banks.daybook") })

    try await machine.open(connectedTo: log.connect()).close()
    let planned = PlannedLog(log)
    planned.isCut = true
    let store = try await machine.open(connectedTo: planned)
    #expect(try store.snapshot.count(of: SharedCounter.self) == 1)
    #expect(
      store.sharingStatus
        == .unavailable(SharedLogError(.unavailable("the cable is cut"), log: "banks")))
    planned.isCut = false
    try await store.write(isolation: nil) { try $0.insert(SharedCounter(id: 1)) }
    #expect(store.sharingStatus == .connected)
    try await store.close()
    #expect(machine.frames == log.frames)
  }

  @Test func `a replica is written only with its log`() async throws {
    let log = try await log()
    let machine = SharedMachine(2, log: log.connect())
    try await machine.open().close()
    let options = JournalOptions.simulated(machine.disk)
    let refusal =
      "banks.daybook: the file is a replica of the log banks, and only a program that shares the "
      + "log may write to it. Nothing was changed. Open it with sharing:, or open it for reading."
    #expect(
      await sentence { _ = try Store(at: "banks.daybook", types: [], options: options) } == refusal)
    #expect(
      await sentence {
        try await blocking { try Store.compact(at: "banks.daybook", options: options) }
      }
        == "banks.daybook: the file is a replica of the log banks, and only the log can drop history. "
        + "Nothing was changed. Call compactSharedLog(keeping:) of a store that shares the log.")
    #expect(
      await sentence {
        try await blocking {
          try Store.erase("Counter", id: .int(0), at: "banks.daybook", options: options)
        }
      }
        == "banks.daybook: the file is a replica of the log banks, which never changes a transaction. "
        + "Nothing was changed. Make a backup of the replica, erase the record in it, and publish "
        + "the backup as a log with a new name.")
    let reading = try Store(reading: "banks.daybook", types: [SharedCounter.self], options: options)
    #expect(try reading.snapshot.count(of: SharedCounter.self) == 1)
    try await reading.close()
  }

  @Test func `a journal of its own, and a replica of another log, are refused`() async throws {
    let log = try await log()
    let machine = SharedMachine(2, log: log.connect())
    let options = JournalOptions.simulated(machine.disk)
    try await Store(at: "own.daybook", types: [SharedCounter.self], options: options).close()
    #expect(
      await sentence {
        _ = try await Store(
          at: "own.daybook", sharing: log.connect(), types: [SharedCounter.self], options: options)
      } == "own.daybook: the file is a journal of its own, and not a replica of the log banks. "
        + "Nothing was changed. Choose another path, or another log.")

    try await machine.open().close()
    let other = try await self.log(named: "games", from: 9)
    let sentence = await sentence { _ = try await machine.open(connectedTo: other.connect()) }
    #expect(sentence?.contains("but the log games contains the journal") == true)
    #expect(sentence?.contains("the file is a replica of the journal") == true)
    // The refused opening has not changed the replica.
    let store = try await machine.open(connectedTo: log.connect())
    #expect(store.sharingStatus == .connected)
    try await store.close()
  }

  @Test(arguments: [0, 8192]) func `a replica whose creation was interrupted is created again`(
    byteCount: Int
  ) async throws {
    let log = try await log()
    let machine = SharedMachine(2, log: log.connect())
    try await machine.open().close()
    // Without hard links, the file has its name before it has contents.
    for path in machine.disk.paths where !path.hasSuffix("-shared") {
      if path.hasSuffix(".daybook") {
        machine.disk.setContents([UInt8](repeating: 0, count: byteCount), at: path)
      } else {
        try machine.disk.remove(path)
      }
    }
    let store = try await machine.open(connectedTo: log.connect())
    #expect(store.sharingStatus == .connected)
    #expect(try store.snapshot.count(of: SharedCounter.self) == 1)
    try await store.close()
    #expect(machine.frames == log.frames)
  }

  @Test func `a different journal at the path of a replica is refused`() async throws {
    let log = try await log()
    let machine = SharedMachine(2, log: log.connect())
    try await machine.open().close()
    let other = SharedMachine(3, log: log.connect())
    try await Store(
      at: SharedMachine.path, types: [SharedCounter.self], options: .simulated(other.disk)
    ).close()
    let foreign = try #require(other.disk.contents(of: SharedMachine.path))
    machine.disk.setContents(foreign, at: SharedMachine.path)
    #expect(
      await sentence { _ = try await machine.open(connectedTo: log.connect()) }
        == "banks.daybook: the file is a journal of its own, and not a replica of the log banks. "
        + "Nothing was changed. Choose another path, or another log.")
    #expect(machine.disk.contents(of: SharedMachine.path)?.prefix(4096) == foreign.prefix(4096))
  }

  @Test func `a log with an invalid head is reported, and the replica can be read`() async throws {
    let log = try await log()
    let machine = SharedMachine(2, log: log.connect())
    try await machine.open().close()
    let planned = PlannedLog(log)
    planned.head = SharedHead(next: 0, checksum: 0)
    let store = try await machine.open(connectedTo: planned)
    #expect(try store.snapshot.count(of: SharedCounter.self) == 1)
    guard case .diverged(let divergence)? = store.sharingStatus else {
      Issue.record("the status is \(store.sharingStatus as Any)")
      return
    }
    #expect(divergence.lastInLog == 0 && divergence.missingCount == 1)
    try await store.close()
  }

  @Test func `a durability beside a log is refused`() async throws {
    let log = try await log()
    var options = JournalOptions.simulated(SimulatedDisk())
    options.durability = .none
    #expect(
      await sentence {
        _ = try await Store(
          at: "banks.daybook", sharing: log.connect(), types: [SharedCounter.self],
          options: options)
      }
        == "banks.daybook: the options set a durability, but a save in a shared log is as durable as "
        + "the log. Leave the durability at .full. Nothing was changed.")
  }

  @Test func `several machines create one log at the same time`() async throws {
    let log = MemorySharedLog()
    let machines = (0..<4).map { SharedMachine($0, log: log.connect()) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, machine) in machines.enumerated() {
        group.addTask {
          let store = try await machine.open()
          try await store.write(isolation: nil) { try $0.insert(SharedCounter(id: number)) }
          try await store.close()
        }
      }
      try await group.waitForAll()
    }
    for machine in machines {
      let store = try await machine.open(connectedTo: log.connect())
      #expect(try store.snapshot.count(of: SharedCounter.self) == 4)
      try await store.close()
      #expect(machine.frames == log.frames)
    }
  }

  @Test func `a stream reports each change of the status`() async throws {
    let log = try await log()
    let planned = PlannedLog(log)
    let store = try await SharedMachine(2, log: planned).open()
    var statuses = store.sharingStatuses().makeAsyncIterator()
    #expect(await statuses.next() == .connected)
    planned.isCut = true
    _ = try? await store.pull()
    #expect(
      await statuses.next()
        == .unavailable(SharedLogError(.unavailable("the cable is cut"), log: "banks")))
    planned.isCut = false
    try await store.pull()
    #expect(await statuses.next() == .connected)
    try await store.close()
    #expect(await statuses.next() == nil)
  }

  @Test func `a store in the background shows what other machines save`() async throws {
    let log = try await log()
    let disk = SimulatedDisk(seed: 3)
    var options = JournalOptions.simulated(disk)
    options.worksInBackground = true
    options.clock = MachineClock()
    let planned = PlannedLog(log)
    let store = try await Store(
      at: "banks.daybook", sharing: planned, types: [SharedCounter.self], options: options)
    let other = try await SharedMachine(2, log: log.connect()).open()
    let receipt = try #require(
      try await save(SharedCounter(id: 1), in: other))
    while store.snapshot.sequence < receipt.sequence {
      await store.publications.suspend(until: store.publications.count + 1)
    }
    #expect(try store.snapshot.count(of: SharedCounter.self) == 2)

    // The store also recovers by itself.
    planned.plan(.answerLost)
    _ = try? await store.write(isolation: nil) { try $0.insert(SharedCounter(id: 2)) }
    while try store.snapshot.count(of: SharedCounter.self) < 3 {
      await store.publications.suspend(until: store.publications.count + 1)
    }
    try await store.close()
    try await other.close()
  }

  private func save(_ counter: SharedCounter, in store: Store) async throws -> Receipt? {
    let context = store.makeContext(isolation: nil)
    try context.insert(counter)
    return try await context.save(isolation: nil)
  }

  // MARK: Layouts

  private struct Wide: Record {
    var id = 0
    var count = 0
    var note = ""
    var more: String?
    static let schema = RecordSchema<Wide>("Counter")
      .attribute("count", at: \.count).attribute("note", at: \.note).attribute("more", at: \.more)
  }

  private struct Game: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Game>("Game").attribute("name", at: \.name)
  }

  @Test func `machines that add the same schemas at the same time agree`() async throws {
    let log = MemorySharedLog()
    let types: [any Record.Type] = [SharedCounter.self, Game.self]
    let one = SharedMachine(1, log: log.connect())
    let two = SharedMachine(2, log: log.connect())
    let first = try await one.open(types)
    let second = try await two.open(types.reversed())
    try await first.write(isolation: nil) { try $0.insert(Game(id: 1, name: "first")) }
    try await second.write(isolation: nil) { try $0.insert(SharedCounter(id: 1)) }
    try await second.write(isolation: nil) { try $0.insert(Game(id: 2, name: "second")) }
    try await first.pull()
    #expect(try first.snapshot.count(of: Game.self) == 2)
    #expect(Audit.differences(first.snapshot, second.snapshot) == [])
    try await first.close()
    try await second.close()
    #expect(one.frames == log.frames && two.frames == log.frames)
  }

  /// Returns two entities whose layouts get the same number, although they are different.
  private func collidingEntities() throws -> [EntityDefinition] {
    var names: [UInt16: EntityDefinition] = [:]
    for index in 0..<10_000 {
      let entity = EntityDefinition("E\(index)", identifiedBy: .int)
      let number = try #require(LayoutTable().sharedNumber(of: entity))
      if let other = names.updateValue(entity, forKey: number) { return [other, entity] }
    }
    throw Surprise("no two of 10,000 entities have the same number")
  }

  @Test func `a schema with the number of a different one is read after opening again`()
    async throws
  {
    // The first store cannot be compared with its journal, as both have a schema with one number.
    try await Audit.$isOff.withValue(true) { try await saveCollidingSchemas() }
  }

  private func saveCollidingSchemas() async throws {
    let entities = try collidingEntities()
    let log = MemorySharedLog()
    let one = SharedMachine(1, log: log.connect())
    let first = try await one.open([])
    let second = try await SharedMachine(2, log: log.connect()).open([])
    try first.define([entities[0]])
    try second.define([entities[1]])
    try await second.write(isolation: nil) { context in
      try context.insert(DynamicRecord(entities[1].name, id: .int(1), values: []))
    }
    let expected =
      "banks.daybook: transaction 1 contains a schema that another machine added at the same time as "
      + "this store, and both have the same number. Nothing is lost. Open the store again."
    #expect(
      await sentence {
        try await first.write(isolation: nil) { context in
          try context.insert(DynamicRecord(entities[0].name, id: .int(1), values: []))
        }
      } == expected)
    #expect(await sentence { try await first.pull() } == expected)
    try await first.close()

    let again = try await one.open([], connectedTo: log.connect())
    try again.define([entities[0]])
    try await again.write(isolation: nil) { context in
      try context.insert(DynamicRecord(entities[0].name, id: .int(1), values: []))
    }
    try await second.pull()
    for entity in entities { #expect(second.snapshot.count(of: entity.name) == 1) }
    try await again.close()
    try await second.close()
    #expect(one.frames == log.frames)
  }

  @Test func `a save after a change of the schema says to save again`() {
    #expect(
      "\(StoreError(.schemaChanged, path: "banks.daybook"))"
        == "banks.daybook: another machine has added a schema since the changes were made. Save again."
    )
  }

  @Test func `a context saves changes that it made before a schema has changed`() async throws {
    let log = MemorySharedLog()
    let older = try await SharedMachine(1, log: log.connect()).open()
    try await older.write(isolation: nil) { try $0.insert(SharedCounter(id: 1)) }
    let newer = try await SharedMachine(2, log: log.connect()).open([Wide.self])
    let context = older.makeContext(isolation: nil)
    try context.update(SharedCounter.self, id: 1) { $0.note = "older" }
    try await newer.write(isolation: nil) { context in
      try context.update(Wide.self, id: 1) { ($0.count, $0.more) = (7, "newer") }
    }
    let receipt = try await context.save(isolation: nil)
    #expect(receipt?.sequence == 3)
    try await newer.pull()
    let wide = try newer.snapshot.object(Wide.self, id: 1)
    #expect(wide?.note == "older" && wide?.count == 7 && wide?.more == "newer")
    try await older.close()
    try await newer.close()
  }

  @Test func `records are inserted in bulk while another machine adds a schema`() async throws {
    let log = MemorySharedLog()
    let one = SharedMachine(1, log: log.connect())
    let older = try await one.open()
    try await older.write(isolation: nil) { try $0.insert(SharedCounter(id: 1)) }
    let newer = try await SharedMachine(2, log: log.connect()).open([Wide.self])
    try await blocking {
      try older.insertAndWait(
        contentsOf: (2..<6).map { SharedCounter(id: $0, note: "older") }, inTransactionsOf: 1
      ) { count in
        guard count == 2 else { return }
        // The pull of the next save brings the schema.
        let context = newer.makeContext(isolation: nil)
        try? context.insert(Wide(id: 100, more: "newer"))
        _ = try? context.saveAndWait()
      }
    }
    try await newer.pull()
    #expect(try newer.snapshot.objects(Wide.self).map(\.id) == [1, 2, 3, 100, 4, 5])
    #expect(try newer.snapshot.objects(Wide.self).map(\.note).filter { $0 == "older" }.count == 4)
    #expect(try newer.snapshot.object(Wide.self, id: 100)?.more == "newer")
    #expect(try older.snapshot.count(of: SharedCounter.self) == 6)
    #expect(Audit.differences(older.snapshot, newer.snapshot) == [])
    try await older.insert(
      contentsOf: (200..<204).map { SharedCounter(id: $0) }, inTransactionsOf: 2)
    try await older.close()
    try await newer.close()
    #expect(one.frames == log.frames)
  }

  @Test func `a machine with an older schema and one with a newer schema share a log`()
    async throws
  {
    let log = MemorySharedLog()
    let one = SharedMachine(1, log: log.connect())
    let two = SharedMachine(2, log: log.connect())
    let older = try await one.open()
    let newer = try await two.open([Wide.self])
    try await older.write(isolation: nil) { try $0.insert(SharedCounter(id: 1, note: "older")) }
    try await newer.write(isolation: nil) { try $0.insert(Wide(id: 2, more: "newer")) }
    try await older.pull()
    for _ in 0..<3 {
      try await older.write(isolation: nil) { context in
        for id in 1...2 { try context.update(SharedCounter.self, id: id) { $0.count += 1 } }
      }
      try await newer.write(isolation: nil) { context in
        for id in 1...2 { try context.update(Wide.self, id: id) { $0.count += 1 } }
      }
    }
    try await older.pull()
    #expect(try older.snapshot.objects(SharedCounter.self).map(\.count) == [6, 6])
    #expect(try newer.snapshot.object(Wide.self, id: 2)?.more == "newer")
    try await older.close()
    try await newer.close()
    #expect(one.frames == log.frames && two.frames == log.frames)
    let again = try await one.open([Wide.self], connectedTo: log.connect())
    #expect(try again.snapshot.object(Wide.self, id: 2)?.more == "newer")
    try await again.close()
  }
}
