import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

@Suite("Following a store of another process") struct FollowingStoreThreadTests {
  /// The `Numbered` type of a newer program.
  private struct Newer: Record, Equatable {
    var id = 0
    var title = "none"
    var size = 7
    static let schema = RecordSchema<Newer>("Numbered")
      .attribute("title", at: \.title, renamedFrom: "name").attribute("size", at: \.size)
  }

  /// Calls a body with functions that open a writer and a follower, on a simulated disk and in a
  /// file.
  private func withPairs(
    _ body: (
      _ write: ([any Record.Type]) throws -> Store, _ follow: ([any Record.Type]) throws -> Store
    )
      throws -> Void
  ) throws {
    let disk = SimulatedDisk()
    try body {
      try Store(at: "j", types: $0, options: .simulated(disk))
    } _: {
      try Store(following: "j", types: $0, options: .simulated(disk))
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "j").path
    var options = JournalOptions()
    options.worksInBackground = false
    let settled = options
    try body {
      try Store(at: path, types: $0, options: settled)
    } _: {
      try Store(following: path, types: $0, options: settled)
    }
  }

  @Test func `a follower shows the writer's saves in snapshots and contexts`() throws {
    try withPairs { write, follow in
      let store = try write([Numbered.self])
      let context = store.makeContext()
      try context.insert(Numbered(id: 1, name: "one"))
      try context.saveAndWait()
      let followed = try follow([Numbered.self])
      #expect(try followed.snapshot.objects(Numbered.self) == [Numbered(id: 1, name: "one")])
      let reading = followed.makeContext()
      var received: [String] = []
      let token = reading.observe { event in
        guard case .transaction(let transaction) = event else { return received.append("reset") }
        received += transaction.changes.map { "\(transaction.origin) \($0.kind) \($0.id)" }
      }
      try withExtendedLifetime(token) {
        try context.insert(Numbered(id: 2, name: "two"))
        try context.update(Numbered.self, id: 1) { $0.name = "uno" }
        try context.saveAndWait()
        #expect(try followed.catchUp())
        #expect(try !followed.catchUp())
        try reading.mergeChanges()
        #expect(received == ["merge insert 2", "merge update 1"])
      }
      #expect(try followed.snapshot.objects(Numbered.self) == store.snapshot.objects(Numbered.self))
      #expect(try followed.snapshot(at: 1).objects(Numbered.self).map(\.name) == ["one"])
      // Changes can be tried and not saved.
      try reading.delete(Numbered.self, id: 1)
      reading.processPendingChanges()
      let error = #expect(throws: StoreError.self) { try reading.saveAndWait() }
      #expect(error?.description.hasSuffix(": the store is read-only.") == true)
    }
  }

  @Test func `programs of other versions read each other's records`() throws {
    try withPairs { write, follow in
      var store = try write([Numbered.self])
      var context = store.makeContext()
      try context.insert(Numbered(id: 1, name: "one"))
      try context.saveAndWait()
      let newer = try follow([Newer.self])
      #expect(try newer.snapshot.objects(Newer.self) == [Newer(id: 1, title: "one", size: 7)])
      let older = try follow([Numbered.self])
      try store.closeAndWait()
      store = try write([Newer.self])
      context = store.makeContext()
      try context.insert(Newer(id: 2, title: "two", size: 2))
      try context.saveAndWait()
      try newer.catchUp()
      try older.catchUp()
      #expect(
        try newer.snapshot.objects(Newer.self) == [
          Newer(id: 1, title: "one", size: 7), Newer(id: 2, title: "two", size: 2),
        ])
      // The newer program renamed the attribute, so the older program declares a new attribute.
      let names = try older.snapshot.objects(Numbered.self).map(\.name)
      #expect(names == ["", ""])
    }
  }

  @Test func `a follower reads a file that replaces the journal and resets its contexts`() throws {
    let disk = SimulatedDisk()
    var store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
    try store.write(1, 2)
    let followed = try Store(following: "j", types: [Numbered.self], options: .simulated(disk))
    let reading = followed.makeContext()
    try reading.perform { try reading.insert(Numbered(id: 4)) }
    var received: [String] = []
    let token = reading.observe { event in
      guard case .reset = event else { return received.append("transaction") }
      received.append("reset")
    }
    try store.closeAndWait()
    // The payload of the first transaction also describes the state after it.
    let journal = try FileJournal(at: "j", options: .simulated(disk))
    var transactions = try journal.transactions(from: 1)
    let first = try #require(try transactions.next())
    try journal.compact(through: 1, state: [first.payload.copy()])
    store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
    try store.write(3)
    #expect(try followed.catchUp())
    try withExtendedLifetime(token) { try reading.mergeChanges() }
    #expect(received == ["reset"] && !reading.hasChanges)
    #expect(try reading.objects(Numbered.self).map(\.id) == [1, 2, 3])
    #expect(try followed.snapshot.objects(Numbered.self).map(\.id) == [1, 2, 3])
    #expect(followed.snapshot.sequence == 3 && store.base == 1)
  }

  @Test func `a follower's thread reads new transactions`() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "j").path
    let store = try Store(at: path, records: Numbered.self)
    let followed = try Store(following: path, records: Numbered.self)
    let context = store.makeContext()
    try context.insert(Numbered(id: 1, name: "one"))
    try context.saveAndWait()
    // The test does not depend on timing: without the transaction it would hang.
    while followed.snapshot.sequence < 1 { sched_yield() }
    #expect(try followed.snapshot.objects(Numbered.self).count == 1)
    try followed.closeAndWait()
    try store.closeAndWait()
  }
}

extension Store {
  /// Saves a record of each number, one after another.
  fileprivate func write(_ ids: Int...) throws {
    let context = makeContext()
    for id in ids {
      try context.insert(Numbered(id: id))
      try context.saveAndWait()
    }
  }
}
