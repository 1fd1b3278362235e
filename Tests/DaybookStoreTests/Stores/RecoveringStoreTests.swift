import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@Suite struct `Stores that recover` {
  private static let durabilities: [Durability] = [
    .full, .batched(interval: .milliseconds(3_600_000)), .none,
  ]

  private func open(
    _ disk: any Disk, _ durability: Durability, reading: JournalReading = .mapped
  ) throws -> Store {
    Audit.start()
    var options = JournalOptions()
    options.disk = disk
    options.worksInBackground = false
    options.durability = durability
    options.reading = reading
    return try Store(at: "j", types: [Numbered.self], options: options)
  }

  private func names(_ store: Store) throws -> [String] {
    try store.snapshot.objects(Numbered.self).map(\.name)
  }

  @Test(arguments: durabilities, [JournalReading.mapped, .copied])
  func `recovering a store without a failure changes nothing`(
    durability: Durability, reading: JournalReading
  ) throws {
    let disk = SimulatedDisk()
    disk.mapsFiles = reading == .mapped
    let store = try open(disk, durability, reading: reading)
    let context = store.makeContext()
    for id in 0..<10 {
      try context.insert(Numbered(id: id, name: "name \(id)"))
      try context.saveAndWait()
    }
    let before = store.snapshot
    let callCount = disk.callCount
    #expect(try store.recoverAndWait()?.isUneventful == true)
    #expect(disk.callCount == callCount)
    #expect(store.snapshot.frozen === before.frozen)
    #expect(try names(store) == (0..<10).map { "name \($0)" })
    for id in 0..<10 {
      try context.update(Numbered.self, id: id) { $0.name = "new \(id)" }
      try context.saveAndWait()
      try store.recoverAndWait()
      #expect(store.snapshot.sequence == SequenceNumber(rawValue: UInt64(11 + id)))
    }
    #expect(try names(store) == (0..<10).map { "new \($0)" })
    try store.closeAndWait()
    let again = try open(disk, durability, reading: reading)
    #expect(try names(again) == (0..<10).map { "new \($0)" })
    try again.closeAndWait()
  }

  @Test(arguments: durabilities)
  func `a transaction acknowledged before the failure stays visible through recovery`(
    durability: Durability
  ) throws {
    let disk = SimulatedDisk()
    disk.mapsFiles = true
    let store = try open(disk, durability)
    for id in 0..<3 { try insert(id, into: store) }
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.write])
    #expect(throws: StoreError.self) { try insert(3, into: store) }
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1, 2])
    // Recovery writes the unsynced frames again, and that fails as well.
    disk.plan = .failAlways(from: 1, with: EIO, only: [.write, .sync])
    #expect(throws: StoreError.self) { try store.recoverAndWait() }
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1, 2])
    disk.plan = .none
    try store.recoverAndWait()
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1, 2])
    try insert(3, into: store)
    try store.closeAndWait()
    let again = try open(disk, durability)
    #expect(try again.snapshot.objects(Numbered.self).map(\.id) == [0, 1, 2, 3])
    try again.closeAndWait()
  }

  @Test func `an asynchronous recovery on a worker thread has the result of a blocking one`()
    async throws
  {
    var failureCount = 0
    for call in 1...30 {
      let disks = (SimulatedDisk(), SimulatedDisk())
      let startedCount = Mutex(0)
      var options = JournalOptions()
      options.workers = WorkerThreads { body in
        startedCount.withLock { $0 += 1 }
        return SystemThread.detach(body)
      }
      /// Returns a store after a failed save, on a disk with one failing call.
      func stopped(_ disk: SimulatedDisk) throws -> Store {
        Audit.start()
        disk.mapsFiles = true
        (options.disk, options.worksInBackground) = (disk, false)
        let store = try Store(at: "j", types: [Numbered.self], options: options)
        try insert(0, into: store)
        disk.clearLog()
        disk.plan = .fail(call: 1, with: EIO, only: [.sync])
        #expect(throws: StoreError.self) { try insert(1, into: store) }
        disk.clearLog()
        disk.plan = .fail(call: call, with: EIO)
        return store
      }
      let (byTask, byThread) = (try stopped(disks.0), try stopped(disks.1))
      let before = startedCount.withLock { $0 }
      var outcomes: [Result<RecoveryReport?, StoreError>] = []
      do throws(StoreError) { outcomes.append(.success(try await byTask.recover())) } catch {
        outcomes.append(.failure(error))
      }
      #expect(startedCount.withLock { $0 } == before + 1)
      outcomes.append(recoverOnThisThread(byThread))
      switch (outcomes[0], outcomes[1]) {
      case (.success(let one), .success(let other)): #expect(one == other, "call \(call)")
      case (.failure(let one), .failure(let other)):
        failureCount += 1
        #expect("\(one)" == "\(other)", "call \(call)")
      default: Issue.record("call \(call): \(outcomes)")
      }
      for (store, disk) in [(byTask, disks.0), (byThread, disks.1)] {
        disk.plan = .none
        try await store.recover()
        #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1], "call \(call)")
        try await store.close()
      }
    }
    #expect(failureCount > 3)
  }

  private func recoverOnThisThread(_ store: Store) -> Result<RecoveryReport?, StoreError> {
    Result { () throws(StoreError) in try store.recoverAndWait() }
  }

  @Test func `a recovery that would lose visible transactions is refused and changes no byte`()
    throws
  {
    let disk = SimulatedDisk()
    var store = try open(disk, .none)
    try insert(0, into: store)
    try store.closeAndWait()
    store = try open(disk, .none)
    for id in 1..<4 { try insert(id, into: store) }
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.write])
    #expect(throws: StoreError.self) { try insert(4, into: store) }
    disk.plan = .none
    // The system has dropped the page of transaction 2 after a failed write.
    let reader = try JournalReader(at: "j", on: disk)
    let offset = try #require(try reader.position(after: 1)).endOffset
    let zeros = [UInt8](repeating: 0, count: 16)
    try disk.open("j", for: .readingAndWriting).writeAll(zeros.span.bytes, at: offset)
    let bytes = disk.contents(of: "j")
    let error = #expect(throws: StoreError.self) { try store.recoverAndWait() }
    #expect(
      error?.description == """
        j: byte \(offset): transactions up to 4 were written but not synced, and from here on they \
        can no longer be read. Transaction 1 is intact. The file was not changed. Close it, and \
        open it again to continue from there.
        """)
    #expect(disk.contents(of: "j") == bytes)
    #expect(store.snapshot.sequence == 4)
    #expect(throws: StoreError.self) { try insert(5, into: store) }
    Audit.$isOff.withValue(true) { _ = try? store.closeAndWait() }
    let again = try open(disk, .none)
    #expect(try again.snapshot.objects(Numbered.self).map(\.id) == [0])
  }

  @Test func `a recovery that cannot read the file announces rolled back transactions`() throws {
    var failureCount = 0
    var announcedCount = 0
    for call in 1...40 {
      let disk = SimulatedDisk()
      disk.mapsFiles = false
      let store = try open(disk, .full, reading: .copied)
      try insert(0, into: store)
      disk.clearLog()
      disk.plan = .fail(call: 1, with: EIO, only: [.sync])
      #expect(throws: StoreError.self) { try insert(1, into: store) }
      let count = store.publications.count
      disk.clearLog()
      disk.plan = .fail(call: call, with: EIO, only: [.read])
      if (try? store.recoverAndWait()) == nil {
        failureCount += 1
        if store.publications.count > count { announcedCount += 1 }
      }
      disk.plan = .none
      try store.recoverAndWait()
      #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [0, 1])
      #expect(store.waitingSaveCount == 0 && store.statistics.inFlightCount == 0)
      try store.closeAndWait()
    }
    // Some failing reads belong to the journal's own recovery, when nothing is rolled back.
    #expect(announcedCount > 0 && announcedCount < failureCount)
  }

  private func insert(_ id: Int, into store: Store) throws {
    let context = store.makeContext(isolation: nil)
    try context.insert(Numbered(id: id, name: "name \(id)"))
    try context.saveAndWait()
  }
}
