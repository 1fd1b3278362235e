import DaybookJournal
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

/// Saves of records whose unique values belong to other records.
@Suite("Conflicts of unique values") struct UniqueConflictTests {
  struct Person: Record, Hashable {
    var id = 0
    var email: String?
    var city = ""
    var number = 0
    var note = "-"
    static let schema = RecordSchema<Person>("Person")
      .attribute("email", at: \.email).attribute("city", at: \.city)
      .attribute("number", at: \.number).attribute("note", at: \.note)
      .unique(\.email).unique(\.city, \.number)
  }

  /// A type that names two attributes of a person.
  struct Contact: Record {
    var id = 0
    var email: String?
    var number = 0
    static let schema = RecordSchema<Contact>("Person")
      .attribute("email", at: \.email).attribute("number", at: \.number)
  }

  /// A record with a reference to a person for each delete rule.
  struct Order: Record, Hashable {
    var id = 0
    var buyer: Reference<Person>?
    var payer: Reference<Person>?
    var owner: Reference<Person>?
    var keeper: Reference<Person>?
    var readers: [Reference<Person>] = []
    static let schema = RecordSchema<Order>("Order")
      .reference("buyer", at: \.buyer).reference("payer", at: \.payer, whenTargetDeleted: .nullify)
      .reference("owner", at: \.owner, whenTargetDeleted: .cascade)
      .reference("keeper", at: \.keeper, whenTargetDeleted: .deny)
      .references("readers", at: \.readers, whenTargetDeleted: .nullify)
  }

  let ada = Person(id: 1, email: "ada", city: "London", number: 1, note: "a")
  let bob = Person(id: 2, email: "bob", city: "Paris", number: 1, note: "b")
  let newAda = Person(id: 9, email: "ada", city: "Rome", number: 4, note: "new")

  /// Opens a store with Ada and Bob, and returns a context of it.
  func open(
    _ policy: UniqueConflictPolicy
  ) throws -> (store: Store, context: EditingContext) {
    let store = try Store.inMemory(types: [Person.self, Order.self])
    let context = store.makeContext(isolation: nil)
    try context.insert(contentsOf: [ada, bob])
    try context.saveAndWait()
    context.uniqueConflictPolicy = policy
    return (store, context)
  }

  func people(_ store: Store) throws -> [Person] { try store.snapshot.objects(Person.self) }
  func orders(_ store: Store) throws -> [Order] { try store.snapshot.objects(Order.self) }

  func changed(_ person: Person, id: Int) -> Person {
    var person = person
    person.id = id
    return person
  }

  // MARK: The policies

  @Test func `a save refuses a new record in conflict unless a policy is set`() throws {
    let store = try open(.refuse).store
    let context = store.makeContext(isolation: nil)
    #expect(context.uniqueConflictPolicy == .refuse)
    try context.insert(newAda)
    #expect(
      sentence { try context.saveAndWait() }
        == "store in memory: Person 9 has the same email as Person 1. Nothing was saved.")
    #expect(context.hasChanges)
    // The changes stay, so the next save can have a policy.
    context.uniqueConflictPolicy = .skip
    #expect(try context.saveAndWait() == nil)
    #expect(try people(store) == [ada, bob])
  }

  @Test func `the policy skip keeps the existing record, and references of the save refer to it`()
    throws
  {
    let (store, context) = try open(.skip)
    try context.insert(newAda)
    try context.insert(
      Order(id: 1, buyer: Reference(9), keeper: Reference(9), readers: [Reference(9)]))
    let receipt = try #require(try context.saveAndWait())
    #expect(try people(store) == [ada, bob])
    let order = Order(id: 1, buyer: Reference(1), keeper: Reference(1), readers: [Reference(1)])
    #expect(try orders(store) == [order])
    var transactions = try store.transactions(from: receipt.sequence)
    #expect(try transactions.next()?.changes.map(\.entity) == ["Order"])
    #expect(try context.objects(Person.self) == [ada, bob])
    #expect(try context.objects(Order.self) == [order])
    #expect(!context.hasChanges)
  }

  @Test func `a save whose records are all skipped writes no transaction`() throws {
    let (store, context) = try open(.skip)
    try context.insert(newAda)
    #expect(try context.saveAndWait() == nil)
    #expect(store.snapshot.sequence == 1)
    #expect(try context.objects(Person.self) == [ada, bob])
    #expect(!context.hasChanges)
  }

  @Test func `the policy update keeps the identifier and the position of the existing record`()
    throws
  {
    let (store, context) = try open(.update)
    try context.insert(newAda)
    try context.insert(Order(id: 1, buyer: Reference(9)))
    let receipt = try #require(try context.saveAndWait())
    #expect(try people(store) == [changed(newAda, id: 1), bob])
    #expect(try orders(store) == [Order(id: 1, buyer: Reference(1))])
    var transactions = try store.transactions(from: receipt.sequence)
    let changes = try #require(try transactions.next()).changes
    #expect(
      Set(changes.map { "\($0.kind) \($0.entity) \($0.id)" }) == [
        "update Person 1", "insert Order 1",
      ])
    // The same values again are no change.
    try context.insert(newAda)
    #expect(try context.saveAndWait() == nil)
  }

  @Test func `the policy update joins the values of an update and of a new record`() throws {
    let (store, context) = try open(.update)
    try context.update(Person.self, id: 1) { $0.email = "eve" }
    try context.insert(Person(id: 9, email: "eve", city: "Rome", note: "new"))
    try context.saveAndWait()
    #expect(try people(store) == [Person(id: 1, email: "eve", city: "Rome", note: "new"), bob])
  }

  @Test func `the policy replace deletes the existing record with its delete rules`() throws {
    let (store, context) = try open(.replace)
    try context.insert(Order(id: 1, buyer: Reference(1), payer: Reference(1)))
    try context.insert(Order(id: 2, owner: Reference(1)))
    try context.insert(Order(id: 3, readers: [Reference(2), Reference(1)]))
    try context.saveAndWait()
    try context.insert(newAda)
    // References that this save sets refer to the new record.
    try context.insert(
      Order(id: 4, buyer: Reference(1), owner: Reference(1), readers: [Reference(9), Reference(1)]))
    try context.update(Order.self, id: 3) { $0.keeper = Reference(1) }
    try context.saveAndWait()
    #expect(try people(store) == [bob, newAda])
    #expect(
      try orders(store) == [
        Order(id: 1, buyer: Reference(1)),
        Order(id: 3, keeper: Reference(9), readers: [Reference(2)]),
        Order(id: 4, buyer: Reference(9), owner: Reference(9), readers: [Reference(9)]),
      ])
    #expect(try context.objects(Person.self) == [bob, newAda])
  }

  @Test func `of two new records in conflict, the earlier one counts as existing`() throws {
    let eve = Person(id: 3, email: "eve", city: "Oslo", note: "first")
    let second = Person(id: 4, email: "eve", city: "Bern", note: "second")
    let expected: [(UniqueConflictPolicy, [Person], buyer: Int)] = [
      (.skip, [eve], 3), (.update, [changed(second, id: 3)], 3), (.replace, [second], 4),
    ]
    for (policy, people, buyer) in expected {
      let (store, context) = try open(policy)
      try context.insert(Order(id: 1, buyer: Reference(3), payer: Reference(4)))
      try context.insert(eve)
      try context.insert(second)
      try context.saveAndWait()
      #expect(try self.people(store) == [ada, bob] + people, "\(policy)")
      #expect(
        try orders(store) == [Order(id: 1, buyer: Reference(buyer), payer: Reference(buyer))],
        "\(policy)")
    }
    let context = try open(.refuse).context
    try context.insert(eve)
    try context.insert(second)
    #expect(
      sentence { try context.saveAndWait() }
        == "store in memory: Person 4 has the same email as Person 3. Nothing was saved.")
  }

  @Test func `three new records with the same values leave one`() throws {
    for policy in [UniqueConflictPolicy.skip, .update, .replace] {
      let (store, context) = try open(policy)
      for id in 3...5 { try context.insert(Person(id: id, email: "eve", number: id)) }
      try context.insert(Order(id: 1, readers: [Reference(3), Reference(4), Reference(5)]))
      try context.saveAndWait()
      let left = Person(
        id: policy == .replace ? 5 : 3, email: "eve", number: policy == .skip ? 3 : 5)
      #expect(try people(store) == [ada, bob, left], "\(policy)")
      #expect(try orders(store) == [Order(id: 1, readers: [Reference(left.id)])], "\(policy)")
    }
  }

  @Test func `a unique list with a missing value is not compared`() throws {
    for policy in [UniqueConflictPolicy.refuse, .skip, .update, .replace] {
      let (store, context) = try open(policy)
      for id in 3...4 { try context.insert(Person(id: id, email: nil, number: id)) }
      try context.saveAndWait()
      #expect(try people(store).map(\.id) == [1, 2, 3, 4], "\(policy)")
    }
  }

  // MARK: Conflicts with several records, and of updates

  @Test func `a new record in conflict with two records is refused, or replaces both`() throws {
    let both = Person(id: 9, email: "ada", city: "Paris", number: 1)
    for policy in [UniqueConflictPolicy.skip, .update] {
      let (store, context) = try open(policy)
      try context.insert(both)
      #expect(
        sentence { try context.saveAndWait() } == """
          store in memory: Person 9 has the same email as Person 1; Person 9 has the same city and \
          number as Person 2. Nothing was saved.
          """)
      #expect(try people(store) == [ada, bob])
      #expect(try context.objects(Person.self) == [ada, bob, both])
    }
    let (store, context) = try open(.replace)
    try context.insert(both)
    try context.saveAndWait()
    #expect(try people(store) == [both])
  }

  @Test func `an update into the values of another record is refused, or replaces that record`()
    throws
  {
    for policy in [UniqueConflictPolicy.skip, .update] {
      let context = try open(policy).context
      try context.update(Person.self, id: 2) { $0.email = "ada" }
      #expect(
        sentence { try context.saveAndWait() }
          == "store in memory: Person 2 has the same email as Person 1. Nothing was saved.")
    }
    let (store, context) = try open(.replace)
    try context.insert(Order(id: 1, payer: Reference(1)))
    try context.saveAndWait()
    // An update of the replaced record is lost with it.
    try context.update(Person.self, id: 1) { $0.note = "changed" }
    try context.update(Person.self, id: 2) { $0.email = "ada" }
    try context.saveAndWait()
    #expect(try people(store).map(\.id) == [2])
    #expect(try orders(store) == [Order(id: 1)])
  }

  @Test func `two records that exchange their values are not in conflict`() throws {
    for policy in [UniqueConflictPolicy.refuse, .skip, .update, .replace] {
      let (store, context) = try open(policy)
      try context.update(Person.self, id: 1) { $0.email = "bob" }
      try context.update(Person.self, id: 2) { $0.email = "ada" }
      try context.saveAndWait()
      #expect(try people(store).map(\.email) == ["bob", "ada"], "\(policy)")
    }
  }

  @Test func `two records that one save updates to the same values are refused`() throws {
    for policy in [UniqueConflictPolicy.refuse, .skip, .update, .replace] {
      let (store, context) = try open(policy)
      try context.update(Person.self, id: 1) { $0.email = "eve" }
      try context.update(Person.self, id: 2) { $0.email = "eve" }
      #expect(
        sentence { try context.saveAndWait() }
          == "store in memory: Person 2 has the same email as Person 1. Nothing was saved.")
      #expect(try people(store) == [ada, bob])
    }
  }

  @Test func `a delete rule can deny a replacement`() throws {
    let (store, context) = try open(.replace)
    try context.insert(Order(id: 7, keeper: Reference(1)))
    try context.saveAndWait()
    try context.insert(newAda)
    #expect(
      sentence { try context.saveAndWait() } == """
        store in memory: Person 1 cannot be deleted while keeper of Order 7 refers to it. Nothing \
        was saved.
        """)
    #expect(try people(store) == [ada, bob])
    // The save can move the reference to the new record.
    try context.update(Order.self, id: 7) { $0.keeper = Reference(9) }
    try context.saveAndWait()
    #expect(try people(store) == [bob, newAda])
  }

  @Test func `an update that is in conflict with a third record is refused`() throws {
    // The unnamed city of Bob and the number of the contact are the values of a third person.
    let store = try Store.inMemory(types: [Person.self, Contact.self])
    let context = store.makeContext(isolation: nil)
    let third = Person(id: 3, email: "eve", city: "Paris", number: 5)
    try context.insert(contentsOf: [ada, bob, third])
    try context.saveAndWait()
    context.uniqueConflictPolicy = .update
    try context.insert(Contact(id: 9, email: "bob", number: 5))
    #expect(
      sentence { try context.saveAndWait() } == """
        store in memory: Person 2 has the same city and number as Person 3. Nothing was saved.
        """)
    // Attributes that the type does not name keep their values.
    try context.rollback()
    try context.insert(Contact(id: 9, email: "bob", number: 6))
    try context.saveAndWait()
    let changed = Person(id: 2, email: "bob", city: "Paris", number: 6, note: "b")
    #expect(try people(store) == [ada, changed, third])
  }

  @Test func `values that not all types name are taken if they are not the default`() throws {
    let store = try Store.inMemory(types: [Person.self, Contact.self])
    let context = store.makeContext(isolation: nil)
    try context.insert(contentsOf: [ada, bob])
    try context.saveAndWait()
    context.uniqueConflictPolicy = .update
    try context.insert(Person(id: 9, email: "ada", city: "Rome", number: 2))
    try context.saveAndWait()
    #expect(
      try people(store) == [Person(id: 1, email: "ada", city: "Rome", number: 2, note: "a"), bob])
  }
}
