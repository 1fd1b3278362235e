import DaybookJournal
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

/// Chains of conflicts, other writers, and the context after the save.
extension UniqueConflictTests {
  // MARK: Chains

  /// A record whose unique list contains a reference.
  struct Desk: Record, Hashable {
    var id = 0
    var person: Reference<Person>?
    var seat = 0
    var note = ""
    static let schema = RecordSchema<Desk>("Desk")
      .reference("person", at: \.person, whenTargetDeleted: .cascade)
      .attribute("seat", at: \.seat).attribute("note", at: \.note).unique(\.person, \.seat)
      .unique(\.note)
  }

  @Test func `a reference that refers to another record can cause the next conflict`() throws {
    let expected: [(UniqueConflictPolicy, people: [Int], desks: [Desk])] = [
      (.skip, [1, 2], [Desk(id: 1, person: Reference(1), seat: 1, note: "old")]),
      (.update, [1, 2], [Desk(id: 1, person: Reference(1), seat: 1, note: "new")]),
      (.replace, [2, 9], [Desk(id: 5, person: Reference(9), seat: 1, note: "new")]),
    ]
    for (policy, people, desks) in expected {
      let store = try Store.inMemory(types: [Person.self, Desk.self])
      let context = store.makeContext(isolation: nil)
      try context.insert(contentsOf: [ada, bob])
      try context.insert(Desk(id: 1, person: Reference(1), seat: 1, note: "old"))
      try context.saveAndWait()
      context.uniqueConflictPolicy = policy
      try context.insert(Desk(id: 5, person: Reference(9), seat: 1, note: "new"))
      try context.insert(newAda)
      try context.saveAndWait()
      #expect(try self.people(store).map(\.id) == people, "\(policy)")
      #expect(try store.snapshot.objects(Desk.self) == desks, "\(policy)")
    }
  }

  @Test func `a record is not merged into one that the delete rules of the save delete`() throws {
    for policy in [UniqueConflictPolicy.skip, .update] {
      let store = try Store.inMemory(types: [Person.self, Desk.self])
      let (context, other) = (store.makeContext(isolation: nil), store.makeContext(isolation: nil))
      try context.insert(ada)
      try context.saveAndWait()
      context.uniqueConflictPolicy = policy
      try context.delete(Person.self, id: 1)
      try context.insert(contentsOf: [bob])
      try context.insert(Desk(id: 5, person: Reference(2), seat: 1, note: "new"))
      // The context does not know of this desk, which is deleted with its person.
      try other.mergeChanges()
      try other.insert(Desk(id: 6, person: Reference(1), seat: 1, note: "new"))
      try other.saveAndWait()
      try context.saveAndWait()
      #expect(try people(store) == [bob])
      #expect(
        try store.snapshot.objects(Desk.self) == [
          Desk(id: 5, person: Reference(2), seat: 1, note: "new")
        ])
    }
  }

  // MARK: Other writers

  @Test func `a policy applies to records that other writers have saved in the meantime`() throws {
    let expected: [(UniqueConflictPolicy, [Person])] = [
      (.skip, [Person(id: 5, email: "eve", note: "other")]),
      (.update, [Person(id: 5, email: "eve", note: "new")]),
      (.replace, [Person(id: 9, email: "eve", note: "new")]),
    ]
    for (policy, people) in expected {
      let (store, context) = try open(policy)
      try context.insert(Person(id: 9, email: "eve", note: "new"))
      try context.insert(Order(id: 1, buyer: Reference(9)))
      context.processPendingChanges()
      let other = store.makeContext(isolation: nil)
      try other.insert(Person(id: 5, email: "eve", note: "other"))
      try other.saveAndWait()
      try context.saveAndWait()
      #expect(try self.people(store) == [ada, bob] + people, "\(policy)")
      #expect(try orders(store) == [Order(id: 1, buyer: Reference(people[0].id))])
      #expect(try context.objects(Person.self) == [ada, bob] + people)
    }
  }

  @Test func `a policy applies to the changes of a write`() async throws {
    let store = try open(.refuse).store
    let (newAda, order) = (newAda, Order(id: 1, buyer: Reference(9)))
    try await store.write(isolation: nil) { context in
      context.uniqueConflictPolicy = .update
      try context.insert(newAda)
      try context.insert(order)
    }
    #expect(try people(store) == [changed(newAda, id: 1), bob])
    #expect(try orders(store) == [Order(id: 1, buyer: Reference(1))])
    try await store.write(isolation: nil) { context in
      context.uniqueConflictPolicy = .skip
      try context.insert(Person(id: 9, email: "ada"))
    }
    #expect(store.snapshot.sequence == 2)
  }

  // MARK: The context after the save

  @Test func `observers receive the effects of a policy at the end of the save`() throws {
    for policy in [UniqueConflictPolicy.update, .replace] {
      let (_, context) = try open(policy)
      var received: [String] = []
      let token = context.observe { event in
        guard case .transaction(let transaction) = event else { return }
        received += transaction.changes.map { "\(transaction.origin) \($0.kind) \($0.id)" }.sorted()
      }
      try context.insert(newAda)
      try context.saveAndWait()
      let merged = policy == .update ? ["merge delete 9", "merge update 1"] : ["merge delete 1"]
      #expect(received == ["changes insert 9"] + merged)
      withExtendedLifetime(token) {}
    }
  }

  @Test func `a record that a policy has dropped does not exist after the save`() throws {
    let (_, context) = try open(.update)
    try context.insert(newAda)
    try context.saveAndWait()
    #expect(try context.object(Person.self, id: 9) == nil)
    #expect(
      sentence { try context.update(Person.self, id: 9) { $0.note = "later" } }
        == "store in memory: Person 9 does not exist.")
    #expect(try context.object(Person.self, where: \.email, is: "ada")?.id == 1)
  }

  @Test func `an undo does not undo the effects of a policy, and a revert does`() throws {
    for policy in [UniqueConflictPolicy.update, .replace] {
      let (store, context) = try open(policy)
      context.undoLimit = 9
      try context.insert(newAda)
      let receipt = try #require(try context.saveAndWait())
      #expect(context.canUndo)
      try context.undo()
      try context.saveAndWait()
      #expect(try people(store) == (policy == .update ? [changed(newAda, id: 1), bob] : [bob]))
      try context.redo()
      try context.saveAndWait()
      #expect(try people(store).contains { $0.email == "ada" && $0.note == "new" })
      try context.undo()
      try context.saveAndWait()
      try context.revert(receipt.sequence)
      try context.saveAndWait()
      #expect(try people(store) == [ada, bob], "\(policy)")
    }
  }

  @Test func `an undo of a reference that a policy has moved is a conflict`() throws {
    let (_, context) = try open(.skip)
    try context.insert(Order(id: 1))
    try context.saveAndWait()
    context.undoLimit = 9
    try context.insert(newAda)
    try context.update(Order.self, id: 1) { $0.buyer = Reference(9) }
    try context.saveAndWait()
    #expect(
      sentence { try context.undo() } == """
        store in memory: buyer of Order 1 was changed both here and elsewhere. Nothing was undone. \
        Undo again and skip the conflicts, or remove this undo.
        """)
  }
}
