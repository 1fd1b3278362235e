import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// A save can require that records that it does not change have not been changed elsewhere.
@Suite struct `Requirements of a save` {
  private struct Account: Record, Equatable {
    var id = 0
    var balance = 0
    var owner = ""
    static let schema = RecordSchema<Account>("Account")
      .attribute("balance", at: \.balance).attribute("owner", at: \.owner)
    var notAnAttribute: Int { 0 }
  }

  /// Opens a store with the accounts 1 and 2.
  private func open() throws -> Store {
    let store = try Store.inMemory(records: Account.self)
    let context = store.makeContext(isolation: nil)
    for id in 1...2 { try context.insert(Account(id: id, balance: 100, owner: "A")) }
    try context.saveAndWait()
    return store
  }

  private func save(
    to store: Store, _ body: (EditingContext) throws -> Void
  ) throws {
    let context = store.makeContext(isolation: nil)
    try body(context)
    try context.saveAndWait()
  }

  private func conflict(_ sentence: String) -> String {
    "store in memory: \(sentence). Nothing was saved."
  }

  @Test func `a save is refused if a record that it requires was changed`() throws {
    let store = try open()
    let context = store.makeContext(isolation: nil)
    let other = try #require(try context.object(Account.self, id: 2))
    try context.require(unchanged: other)
    try context.update(Account.self, id: 1) { $0.balance -= other.balance }
    try save(to: store) { try $0.update(Account.self, id: 2) { $0.balance = 0 } }
    let refusal = conflict("balance of Account 2 must be unchanged, but was changed elsewhere")
    #expect(sentence { try context.saveAndWait() } == refusal)
    // The merge policy applies to changes of the context, not to its requirements.
    context.mergePolicy = .contextWins
    try context.mergeChanges()
    #expect(sentence { try context.saveAndWait() } == refusal)
    #expect(context.hasChanges)
    try context.rollback()
    try context.update(Account.self, id: 1) { $0.balance -= 50 }
    #expect(try context.saveAndWait()?.sequence == 3)
  }

  @Test func `a requirement compares only the attributes that it names`() throws {
    let store = try open()
    for isNamed in [false, true] {
      let context = store.makeContext(isolation: nil)
      let other = try #require(try context.object(Account.self, id: 2))
      try context.require(unchanged: other, attributes: isNamed ? \.owner : \.balance)
      try context.update(Account.self, id: 1) { $0.balance += 1 }
      try save(to: store) { try $0.update(Account.self, id: 2) { $0.owner += "B" } }
      #expect(
        sentence { try context.saveAndWait() }
          == (isNamed
            ? conflict("owner of Account 2 must be unchanged, but was changed elsewhere")
            : "nothing is thrown"))
    }
    let context = store.makeContext(isolation: nil)
    try context.require(unchanged: "Account", id: .int(2), attributes: ["balance"])
    try context.update(Account.self, id: 1) { $0.balance += 1 }
    try save(to: store) { try $0.update(Account.self, id: 2) { $0.owner += "C" } }
    #expect(sentence { try context.saveAndWait() } == "nothing is thrown")
  }

  @Test func `a required record must exist, and a required absence must last`()
    throws
  {
    let store = try open()
    let context = store.makeContext(isolation: nil)
    try context.require(unchanged: Account.self, id: 2)
    try context.require(unchanged: Account.self, id: 3)
    try context.update(Account.self, id: 1) { $0.balance += 1 }
    try save(to: store) { context in
      try context.delete(Account.self, id: 2)
      try context.insert(Account(id: 3))
    }
    #expect(
      sentence { try context.saveAndWait() }
        == conflict(
          """
          Account 2 must exist, but was deleted elsewhere; Account 3 must not exist, but was \
          inserted elsewhere
          """))
    // A record that was deleted and inserted again with equal values counts as unchanged.
    try save(to: store) { context in
      try context.insert(Account(id: 2, balance: 100, owner: "A"))
      try context.delete(Account.self, id: 3)
    }
    #expect(sentence { try context.saveAndWait() } == "nothing is thrown")
  }

  @Test func `a requirement compares a record as it was read before a merge`() throws {
    let store = try open()
    let context = store.makeContext(isolation: nil)
    let other = try #require(try context.object(Account.self, id: 2))
    try save(to: store) { try $0.update(Account.self, id: 2) { $0.balance = 0 } }
    try context.mergeChanges()
    try context.require(unchanged: other)
    try context.update(Account.self, id: 1) { $0.balance -= other.balance }
    #expect(
      sentence { try context.saveAndWait() }
        == conflict("balance of Account 2 must be unchanged, but was changed elsewhere"))
  }

  @Test func `a requirement compares a changed record with its original values`()
    throws
  {
    let store = try open()
    let context = store.makeContext(isolation: nil)
    for makesBoundary in [false, true] {
      try context.update(Account.self, id: 2) { $0.balance += 1 }
      if makesBoundary { context.processPendingChanges() }
      let changed = try #require(try context.object(Account.self, id: 2))
      try context.require(unchanged: changed)
      #expect(sentence { try context.saveAndWait() } == "nothing is thrown")
    }
    try context.update(Account.self, id: 2) { $0.balance += 1 }
    let changed = try #require(try context.object(Account.self, id: 2))
    try context.require(unchanged: changed)
    try save(to: store) { try $0.update(Account.self, id: 2) { $0.owner = "C" } }
    #expect(
      sentence { try context.saveAndWait() }
        == conflict("owner of Account 2 must be unchanged, but was changed elsewhere"))
    try context.rollback()
    try context.mergeChanges()
    try context.insert(Account(id: 9))
    try context.require(unchanged: Account(id: 9))
    #expect(sentence { try context.saveAndWait() } == "nothing is thrown")
  }

  @Test func `a save ends all requirements, also if recovery finds it in the journal`()
    throws
  {
    let disk = SimulatedDisk()
    let store = try Store(at: "j", types: [Account.self], options: .simulated(disk))
    try save(to: store) { context in
      for id in 1...2 { try context.insert(Account(id: id)) }
    }
    let context = store.makeContext(isolation: nil)
    try context.require(unchanged: Account.self, id: 2)
    try context.update(Account.self, id: 1) { $0.balance += 1 }
    disk.clearLog()
    disk.plan = .fail(call: 1, with: EIO, only: [.sync])
    #expect(throws: StoreError.self) { try context.saveAndWait() }
    disk.plan = .none
    try store.recoverAndWait()
    try save(to: store) { try $0.update(Account.self, id: 2) { $0.balance = 7 } }
    try context.mergeChanges()
    try context.update(Account.self, id: 1) { $0.balance += 1 }
    #expect(sentence { try context.saveAndWait() } == "nothing is thrown")
    #expect(try store.snapshot.object(Account.self, id: 1)?.balance == 2)
  }

  @Test func `a requirement cannot name a property that is no attribute`() throws {
    let context = try open().makeContext(isolation: nil)
    let keyPath: PartialKeyPath<Account> = \.notAnAttribute
    #expect(
      sentence { try context.require(unchanged: Account(id: 1), attributes: keyPath) }
        == "store in memory: Account has no attribute '\(keyPath)'.")
    #expect(
      sentence { try context.require(unchanged: "Account", id: .int(1), attributes: ["x"]) }
        == "store in memory: Account has no attribute 'x'.")
  }

  @Test func `two contexts that require each other's changed records cannot both save`() throws {
    // Each account may be overdrawn if the other account covers it.
    let store = try open()
    let contexts = (1...2).map { _ in store.makeContext(isolation: nil) }
    for (context, id) in zip(contexts, 1...2) {
      let covering = try #require(try context.object(Account.self, id: 3 - id))
      try context.require(unchanged: covering, attributes: \.balance)
      try context.update(Account.self, id: id) { $0.balance -= 100 + covering.balance }
    }
    let answers = contexts.map { context in sentence { try context.saveAndWait() } }
    #expect(
      answers == [
        "nothing is thrown",
        conflict("balance of Account 1 must be unchanged, but was changed elsewhere"),
      ])
  }
}
