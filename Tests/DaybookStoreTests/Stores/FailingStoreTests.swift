import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import StoreTestSupport
import Testing

@testable import DaybookStore

@Suite struct `Stores whose disk fails` {
  private let disk = SimulatedDisk()

  private func open() throws -> Store {
    try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
  }

  @Test func `recovery decides whether a save of unknown outcome is in the store`() throws {
    for (keeps, merges) in [(true, true), (true, false), (false, true), (false, false)] {
      let disk = SimulatedDisk()
      let store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
      let context = store.makeContext()
      try context.insert(Numbered(id: 1, name: "one"))
      try context.saveAndWait()
      try context.insert(Numbered(id: 2, name: "two"))
      disk.clearLog()
      // Either the write succeeds and its sync fails, or the write fails.
      disk.plan = .fail(call: 1, with: EIO, only: keeps ? [.sync] : [.write])
      let error = #expect(throws: StoreError.self) { try context.saveAndWait() }
      guard case .unknown(let append)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(context.hasChanges && store.snapshot.sequence == 1)
      #expect(store.isIncluded(append) == nil)
      #expect(throws: StoreError.self) { try store.makeContextAndSave() }
      try store.recoverAndWait()
      #expect(store.isIncluded(append) == keeps)
      #expect(store.snapshot.sequence == (keeps ? 2 : 1))
      // A save found in the journal is not saved again; a lost one is.
      if merges { try context.mergeChanges() }
      try context.saveAndWait()
      #expect(try store.snapshot.objects(Numbered.self).map(\.name) == ["one", "two"])
      #expect(store.snapshot.sequence == 2)
    }
  }

  /// Makes a save fail with an unknown outcome although it is in the journal.
  private func saveUnknown(_ context: EditingContext) {
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    let error = #expect(throws: StoreError.self) { try context.saveAndWait() }
    guard case .unknown? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    disk.plan = .none
  }

  @Test func `a save that recovery finds in the journal changes no visible record`() throws {
    let store = try open()
    let context = store.makeContext()
    var received: [String] = []
    try context.insert(Numbered(id: 0, name: "none"))
    try context.saveAndWait()
    try context.insert(Numbered(id: 1, name: "one"))
    context.processPendingChanges()
    let token = context.observe { received.append("\($0)") }
    saveUnknown(context)
    try store.recoverAndWait()
    try context.mergeChanges()
    #expect(received == [])
    #expect(!context.hasChanges && store.snapshot.sequence == 2)
    withExtendedLifetime(token) {}
  }

  @Test func `an undo after a save of unknown outcome survives if recovery finds the save`()
    throws
  {
    let store = try open()
    let context = store.makeContext()
    context.undoLimit = 1
    for id in 1...2 { try context.insert(Numbered(id: id, name: "before")) }
    try context.saveAndWait()
    try context.update(Numbered.self, id: 1) { $0.name = "after" }
    try context.require(unchanged: Numbered.self, id: 2)
    saveUnknown(context)
    #expect(try context.undo() == [])
    #expect(try context.saveAndWait() == nil)
    try store.recoverAndWait()
    #expect(try store.snapshot.object(Numbered.self, id: 1)?.name == "after")
    try context.mergeChanges()
    #expect(context.hasChanges)
    #expect(try context.object(Numbered.self, id: 1)?.name == "before")
    try context.saveAndWait()
    #expect(try store.snapshot.object(Numbered.self, id: 1)?.name == "before")
  }

  @Test func `a recovery during the second save leaves no requirement of the first save`() throws {
    let store = try open()
    let context = store.makeContext()
    context.mergePolicy = .contextWins
    for id in 1...2 { try context.insert(Numbered(id: id, name: "before")) }
    try context.saveAndWait()
    try context.update(Numbered.self, id: 1) { $0.name = "after" }
    try context.require(unchanged: Numbered.self, id: 2)
    saveUnknown(context)
    // The second save takes the changes before the recovery, and is numbered after it.
    guard let proposal = try context.takeUnsaved() else {
      Issue.record("the context has nothing to save")
      return
    }
    try store.recoverAndWait()
    context.saved(try store.saveAndWait(proposal))
    try context.mergeChanges()
    #expect(!context.hasChanges && store.snapshot.sequence == 2)
    try context.update(Numbered.self, id: 2) { $0.name = "later" }
    #expect(try context.saveAndWait()?.sequence == 3)
  }

  @Test func `a refused transaction is not confused with the one that replaces it`() throws {
    var rolledBackCount = 0
    for index in 1..<60 {
      let disk = SimulatedDisk()
      disk.plan = .fail(call: index, with: ENOSPC)
      guard let store = try? Store(at: "j", types: [Numbered.self], options: .simulated(disk))
      else { continue }
      let context = store.makeContext()
      var saved: [Int] = []
      for id in 0..<8 {
        try context.insert(Numbered(id: id))
        if (try? context.saveAndWait()) == nil {
          try context.rollback()
          rolledBackCount += 1
        } else {
          saved.append(id)
        }
      }
      var transactions = try store.transactions(from: 1)
      var received: [RecordIdentifier] = []
      while let transaction = try transactions.next() { received += transaction.changes.map(\.id) }
      #expect(received == saved.map { .int(Int64($0)) }, "call \(index)")
    }
    #expect(rolledBackCount > 3)
  }

  @Test func `a store without its earlier history recovers`() throws {
    var store = try open()
    try store.makeContextAndSave(98)
    try store.closeAndWait()
    _ = try Audit.$isOff.withValue(true) { try Store.compact(at: "j", options: .simulated(disk)) }
    store = try open()
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    #expect(throws: StoreError.self) { try store.makeContextAndSave() }
    try store.recoverAndWait()
    #expect(store.snapshot.sequence == 2 && store.base == 1)
    try store.closeAndWait()
  }

  @Test func `a used idempotency key saves nothing again, also after reopening`() throws {
    var store = try open()
    func save(_ name: String) throws -> Receipt? {
      let context = store.makeContext()
      context.metadata.idempotencyKey = "k"
      try context.insert(Numbered(id: store.snapshot.count(of: Numbered.self), name: name))
      return try context.saveAndWait()
    }
    #expect(try save("first")?.isRepeated == false)
    let again = try save("second")
    #expect(again?.isRepeated == true && again?.sequence == 1 && again?.safety == .durable)
    try store.closeAndWait()
    store = try open()
    #expect(try save("third")?.isRepeated == true)
    #expect(try store.snapshot.objects(Numbered.self).map(\.name) == ["first"])
  }

  @Test func `an idempotency key whose save failed can be used again`() throws {
    let store = try open()
    try store.makeContextAndSave()
    let context = store.makeContext()
    // A large name, so that the disk has to allocate space.
    try context.insert(Numbered(id: 1, name: String(repeating: "long ", count: 40_000)))
    context.metadata.idempotencyKey = "k"
    disk.capacity = 0
    #expect(throws: StoreError.self) { try context.saveAndWait() }
    disk.capacity = nil
    context.metadata.idempotencyKey = "k"
    #expect(try context.saveAndWait()?.isRepeated == false)
    #expect(try store.snapshot.object(Numbered.self, id: 1) != nil)
  }

  @Test func `the metadata of a refused save belongs to the next save`() throws {
    let store = try open()
    let context = store.makeContext()
    try store.makeContextAndSave()
    try context.insert(Numbered(id: 99, name: "again"))
    context.metadata.author = "me"
    #expect(throws: StoreError.self) { try context.saveAndWait() }
    #expect(context.metadata.author == "me")
    context.mergePolicy = .contextWins
    try context.saveAndWait()
    #expect(context.metadata.isEmpty)
    var transactions = try store.transactions(from: 2)
    #expect(try transactions.next()?.metadata.author == "me")
  }

  @Test func `a backup can be opened as a store`() throws {
    let store = try open()
    try store.makeContextAndSave()
    try store.backup(to: "copy")
    let copy = try Store(at: "copy", types: [Numbered.self], options: .simulated(disk))
    #expect(try copy.snapshot.objects(Numbered.self) == store.snapshot.objects(Numbered.self))
    let memory = try Store.inMemory(records: Numbered.self)
    let error = #expect(throws: StoreError.self) { try memory.backup(to: "copy") }
    #expect(
      error?.description
        == "store in memory: the store has no file to copy. Export it instead.")
  }
}

extension Store {
  fileprivate func makeContextAndSave(_ id: Int = 99) throws {
    let context = makeContext()
    try context.insert(Numbered(id: id, name: "number \(id)"))
    try context.saveAndWait()
  }
}
