import DaybookJournal
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

/// Records that are found by the values of a unique list.
@Suite struct `Upserts by a unique list` {
  private struct Person: Record, Hashable {
    var id = 0
    var email: String?
    var city = ""
    var number = 0
    var note = "-"
    static let schema = RecordSchema<Person>("Person")
      .attribute("email", at: \.email).attribute("city", at: \.city)
      .attribute("number", at: \.number).attribute("note", at: \.note)
      .unique(\.email).unique(\.city, \.number)
    var notAnAttribute: Int { 0 }
  }

  /// A type that names two attributes of a person.
  private struct Contact: Record {
    var id = 0
    var email: String?
    var number = 0
    static let schema = RecordSchema<Contact>("Person")
      .attribute("email", at: \.email).attribute("number", at: \.number)
  }

  private let ada = Person(id: 1, email: "ada", city: "London", number: 1, note: "a")
  private let bob = Person(id: 2, email: "bob", city: "Paris", number: 1, note: "b")

  /// Opens a store with Ada and Bob, and returns a context of it.
  private func open() throws -> (store: Store, context: EditingContext) {
    let store = try Store.inMemory(types: [Person.self, Contact.self])
    let context = store.makeContext(isolation: nil)
    try context.insert(contentsOf: [ada, bob])
    try context.saveAndWait()
    return (store, context)
  }

  private func people(_ context: EditingContext) throws -> [Person] {
    try context.objects(Person.self)
  }

  @Test func `an upsert by a unique list keeps the identifier of the record`() throws {
    let (store, context) = try open()
    let found = try context.upsert(
      Person(id: 7, email: "ada", city: "Rome", number: 4), by: \.email)
    #expect(found == 1)
    try context.saveAndWait()
    // The order is that of creation: the record keeps its creation number.
    let changed = Person(id: 1, email: "ada", city: "Rome", number: 4)
    #expect(try store.snapshot.objects(Person.self) == [changed, bob])
    #expect(try context.upsert(Person(id: 7, email: "eve", city: "Oslo"), by: \.email) == 7)
    #expect(try people(context).map(\.id) == [1, 2, 7])
  }

  @Test func `an upsert without a list finds the record by its identifier`() throws {
    let (_, context) = try open()
    let id = try context.upsert(Person(id: 7, email: "ada", city: "Rome", number: 4))
    #expect(id == 7)
    #expect(try context.upsert(Person(id: 2, email: "eve", city: "Oslo")) == 2)
    #expect(try people(context).map(\.email) == ["ada", "eve", "ada"])
  }

  @Test func `an upsert by a unique list keeps the attributes that the type does not name`() throws
  {
    let (_, context) = try open()
    #expect(try context.upsert(Contact(id: 9, email: "bob", number: 5), by: \.email) == 2)
    #expect(
      try people(context) == [
        ada, Person(id: 2, email: "bob", city: "Paris", number: 5, note: "b"),
      ])
  }

  @Test func `an upsert by several attributes takes them in any order`() throws {
    let (_, context) = try open()
    let moved = Person(id: 8, email: "new", city: "Paris", number: 1)
    #expect(try context.upsert(moved, by: \.number, \.city) == 2)
    #expect(try context.object(Person.self, id: 2)?.email == "new")
    #expect(try context.upsert(moved, by: \.city, \.number) == 2)
    #expect(try people(context).count == 2)
  }

  @Test func `an upsert compares strings in normal form`() throws {
    let (_, context) = try open()
    try context.update(Person.self, id: 1) { $0.email = "e\u{301}" }
    #expect(try context.upsert(Person(id: 3, email: "\u{e9}"), by: \.email) == 1)
    context.processPendingChanges()
    #expect(try context.upsert(Person(id: 3, email: "e\u{301}"), by: \.email) == 1)
  }

  @Test func `a list with a missing member is not compared`() throws {
    let (_, context) = try open()
    try context.update(Person.self, id: 1) { $0.email = nil }
    #expect(try context.upsert(Person(id: 3, email: nil), by: \.email) == 3)
    #expect(try context.upsert(Person(id: 2, email: nil, note: "two"), by: \.email) == 2)
    #expect(try context.object(Person.self, id: 2)?.note == "two")
    #expect(try people(context).count == 3)
  }

  @Test func `an upsert finds pending, unsaved and deleted records as the context has them`() throws
  {
    let (_, context) = try open()
    for makesBoundary in [false, true] {
      func step() { if makesBoundary { context.processPendingChanges() } }
      try context.insert(Person(id: 3, email: "eve", city: "Oslo"))
      step()
      #expect(try context.upsert(Person(id: 4, email: "eve", city: "Oslo"), by: \.email) == 3)
      step()
      try context.update(Person.self, id: 1) { $0.email = "new" }
      step()
      // Ada has another address, and her earlier one is free.
      #expect(try context.upsert(Person(id: 5, email: "ada", city: "Rome"), by: \.email) == 5)
      #expect(try context.upsert(Person(id: 6, email: "new", city: "Bern"), by: \.email) == 1)
      step()
      try context.delete(Person.self, id: 2)
      step()
      #expect(try context.upsert(Person(id: 7, email: "bob", city: "Nice"), by: \.email) == 7)
      #expect(try people(context).map(\.id).sorted() == [1, 3, 5, 7])
      try context.rollback()
    }
  }

  @Test func `an upsert is refused if the identifier and the list name two records`() throws {
    let (_, context) = try open()
    let refusal = """
      store in memory: a record to upsert has the identifier or the unique values of Person 2 and \
      Person 1, but can update only one record. Nothing was changed. Delete or change the others \
      first.
      """
    let both = Person(id: 2, email: "ada", city: "Rome")
    #expect(sentence { try context.upsert(both, by: \.email) } == refusal)
    #expect(
      sentence { try context.insert(contentsOf: [both], onConflict: .update) } == refusal)
    #expect(!context.hasChanges)
    // Pending records may have the same values until they are saved.
    try context.insert(Person(id: 3, email: "ada", city: "Rome"))
    let third = Person(id: 4, email: "ada", city: "Nice")
    #expect(
      throws: StoreError(
        .severalRecords(entity: "Person", ids: [.int(1), .int(3)]), path: "store in memory")
    ) { try context.upsert(third, by: \.email) }
    #expect(try people(context).count == 3)
  }

  @Test func `an upsert by attributes that are no unique list is refused`() throws {
    let (_, context) = try open()
    let problems = [
      sentence { try context.upsert(ada, by: \.note) },
      sentence { try context.upsert(ada, by: \.email, \.number) },
      sentence { try context.upsert(ada, by: \.city) },
      sentence { try context.upsert(ada, by: \.notAnAttribute) },
    ]
    #expect(
      problems.dropLast() == [
        """
        store in memory: Person declares no unique("note"). Declare it in the schema, or upsert by \
        the identifier.
        """,
        """
        store in memory: Person declares no unique("email", "number"). Declare it in the schema, or \
        upsert by the identifier.
        """,
        """
        store in memory: Person declares no unique("city"). Declare it in the schema, or upsert by \
        the identifier.
        """,
      ])
    #expect(problems.last?.hasPrefix("store in memory: Person has no attribute '") == true)
    #expect(!context.hasChanges)
  }

  // MARK: Several records

  @Test func `an insertion that fails adds none of its records`() throws {
    let (store, context) = try open()
    try context.update(Person.self, id: 1) { $0.note = "pending" }
    try context.insert(Person(id: 3, email: "eve", city: "Oslo"))
    let before = try [1, 2, 3, 4].map { try context.object(Person.self, id: $0) }
    let new = Person(id: 4, email: "new", city: "Rome")
    let problems = [
      sentence { try context.insert(contentsOf: [new, bob]) },
      sentence { try context.insert(contentsOf: [new, new]) },
      sentence { try context.insert(contentsOf: [new, Person(id: 5, email: "eve")]) },
      sentence {
        try context.insert(contentsOf: [new, Person(id: 5, city: "Rome")], onConflict: .fail)
      },
      sentence {
        let clash = Person(id: 1, email: "bob", city: "Bern")
        try context.insert(contentsOf: [ada, new, ada, clash], onConflict: .update)
      },
    ]
    #expect(
      problems == [
        "store in memory: Person 2 already exists.",
        "store in memory: Person 4 already exists.",
        "store in memory: Person 5 has the same email as Person 3. Nothing was saved.",
        "store in memory: Person 5 has the same city and number as Person 4. Nothing was saved.",
        """
        store in memory: a record to upsert has the identifier or the unique values of Person 1 and \
        Person 2, but can update only one record. Nothing was changed. Delete or change the others \
        first.
        """,
      ])
    #expect(try [1, 2, 3, 4].map { try context.object(Person.self, id: $0) } == before)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Person.self) == before.compactMap(\.self))
    try context.insert(contentsOf: [new])
    #expect(try people(context).map(\.id) == [1, 2, 3, 4])
  }

  @Test func `an insertion skips or updates records in conflict`() throws {
    let records = [
      Person(id: 2, email: "b2", city: "Nice", number: 2),
      Person(id: 3, email: "ada", city: "Rome", number: 3),
      Person(id: 4, email: "new", city: "Bern", number: 4),
      Person(id: 5, email: "new", city: "Kiel", number: 5),
    ]
    let (_, skipping) = try open()
    try skipping.insert(contentsOf: records.lazy.map(\.self), onConflict: .skip)
    #expect(try people(skipping) == [ada, bob, records[2]])
    let (_, updating) = try open()
    try updating.insert(contentsOf: records, onConflict: .update)
    #expect(
      try people(updating) == [
        Person(id: 1, email: "ada", city: "Rome", number: 3), records[0],
        Person(id: 4, email: "new", city: "Kiel", number: 5),
      ])
  }

  // MARK: Histories

  /// The records of a context as a list, searched from start to end.
  private struct Model {
    var people: [Person] = []

    /// The identifiers of the records in conflict with a record: that with its identifier, then the
    /// others in the order of their identifiers.
    func matches(_ person: Person, byEmail: Bool = true, byPlace: Bool = true) -> [Int] {
      let others = people.filter { other in
        other.id != person.id
          && (byEmail && other.email != nil && other.email == person.email
            || byPlace && other.city == person.city && other.number == person.number)
      }
      return people.filter { $0.id == person.id }.map(\.id) + others.map(\.id).sorted()
    }

    /// Whether the change was possible.
    mutating func upsert(_ person: Person, matching found: [Int]) -> Bool {
      if found.count > 1 { return false }
      var person = person
      person.id = found.first ?? person.id
      people.removeAll { $0.id == person.id }
      people.append(person)
      return true
    }

    mutating func insert(_ new: [Person], _ policy: InsertConflictPolicy) -> Bool {
      let before = people
      for person in new {
        let found = matches(person)
        if policy == .skip, !found.isEmpty { continue }
        if policy == .fail && !found.isEmpty || !upsert(person, matching: found) {
          people = before
          return false
        }
      }
      return true
    }

    var isUnique: Bool {
      let emails = people.compactMap(\.email)
      let places = people.map { "\($0.city) \($0.number)" }
      return Set(emails).count == emails.count && Set(places).count == places.count
    }
  }

  @Test func `histories of upserts agree with a model`() throws {
    var (refusedCount, savedCount) = (0, 0)
    for seed in 0..<UInt64(FaultRow.count(500, full: 20_000, least: 20)) {
      var random = SplitMix64(seed: seed)
      func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
      func person() -> Person {
        Person(
          id: below(7), email: below(4) == 0 ? nil : "e\(below(5))", city: "c\(below(4))",
          number: below(3), note: "n\(below(3))")
      }
      let store = try Store.inMemory(types: [Person.self])
      let context = store.makeContext(isolation: nil)
      var (saved, model) = (Model(), Model())
      for step in 0..<60 {
        let place: Comment = "seed \(seed), step \(step)"
        let some = person()
        switch below(9) {
        case 0, 1:
          let isDone = model.upsert(some, matching: model.matches(some, byPlace: false))
          // An upsert made twice equals one.
          for _ in 0...below(2) {
            #expect(((try? context.upsert(some, by: \.email)) != nil) == isDone, place)
          }
          refusedCount += isDone ? 0 : 1
        case 2:
          let isDone = model.upsert(some, matching: model.matches(some, byEmail: false))
          #expect(((try? context.upsert(some, by: \.city, \.number)) != nil) == isDone, place)
        case 3, 4:
          let policy = [InsertConflictPolicy.fail, .skip, .update][below(3)]
          let people = (0...below(3)).map { _ in person() }
          let isDone = model.insert(people, policy)
          let isInserted = (try? context.insert(contentsOf: people, onConflict: policy)) != nil
          #expect(isInserted == isDone, place)
          refusedCount += isDone ? 0 : 1
        case 5:
          // An insertion or an update compares no list, so two records may have the same values.
          if below(3) > 0 { continue }
          try context.upsert(some)
          model.people.removeAll { $0.id == some.id }
          model.people.append(some)
        case 6:
          guard model.people.contains(where: { $0.id == some.id }) else { continue }
          try context.delete(Person.self, id: some.id)
          model.people.removeAll { $0.id == some.id }
        case 7: context.processPendingChanges()
        default:
          if below(3) == 0 {
            try context.rollback()
            model = saved
          } else {
            let isSaved = (try? context.saveAndWait()) != nil || !context.hasChanges
            #expect(isSaved == model.isUnique, place)
            if isSaved { (saved, savedCount) = (model, savedCount + 1) }
          }
        }
        let ids = 0..<7
        let shown = try ids.compactMap { try context.object(Person.self, id: $0) }
        #expect(shown == model.people.sorted { $0.id < $1.id }, place)
      }
    }
    #expect(refusedCount > 0 && savedCount > 0)
  }
}
