import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing
import TextTestSupport

/// The journals of `Journal/Samples/Records` are compared with those of the current store, and are
/// opened by programs with newer schemas. After an intended change of their bytes, rewrite them:
///
/// ```
/// DAYBOOK_REWRITE_SAMPLES=1 swift test --filter RecordSampleBytesTests
/// git diff Journal/Samples
/// ```
@Suite("The sample journals of records") struct RecordSampleBytesTests {
  static let folder = "Journal/Samples/Records"

  init() throws { try Self.rewriting.get() }

  private static let rewriting = Result {
    guard getenv("DAYBOOK_REWRITE_SAMPLES") != nil else { return }
    for sample in try all() {
      try ProjectFiles.write(sample.bytes, to: "\(folder)/\(sample.name).daybook")
      try ProjectFiles.write(Array(try sample.text().utf8), to: "\(folder)/\(sample.name).jsonl")
    }
  }

  // MARK: Contents of the samples

  struct Sample {
    let name: String
    let bytes: [UInt8]

    /// Returns the exported text of the sample.
    func text() throws -> String {
      let desk = TextDesk()
      desk.disk.setContents(bytes, at: "j")
      return try desk.exported()
    }
  }

  static func all() throws -> [Sample] {
    [try everyType(), try companies(), try projects(), try people(), try notes()]
  }

  private static func make(
    _ name: String, _ types: [any Record.Type], _ steps: [(EditingContext) throws -> Void]
  ) throws -> Sample {
    let disk = SimulatedDisk()
    let clock = TestClock()
    let store = try Store(
      at: "j", types: types, options: FixedJournal.options(on: disk, clock: clock))
    let context = store.makeContext()
    for step in steps {
      clock.advance(milliseconds: 1500)
      try step(context)
      try context.saveAndWait()
    }
    try store.closeAndWait()
    return Sample(name: name, bytes: (disk.contents(of: "j") ?? []).inWholePages())
  }

  /// Returns a sample with a record of every attribute type, and all kinds of changes.
  private static func everyType() throws -> Sample {
    var generator = SplitMix64(seed: 2026)
    var one = EveryType.random("one", using: &generator)
    one.data = Data(repeating: 7, count: 600)
    one.uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    return try make(
      "every-type", [EveryType.self, Numbered.self],
      [
        { context in
          context.metadata.author = "sample"
          context.metadata.reason = "to begin with"
          try context.insert(one)
          try context.insert(EveryType())
          try context.insert(Numbered(id: -1, name: "minus one"))
        },
        { context in
          // The large value is not copied.
          try context.update(EveryType.self, id: "one") { $0.int = 1 }
          try context.update(Numbered.self, id: -1) { $0.name = "" }
        },
        { context in
          context.metadata.idempotencyKey = "3"
          context.metadata.correlation = "sample/3"
          try context.delete(Numbered.self, id: -1)
          try context.insert(Numbered(id: 1, name: "e\u{301}"))
        },
        { context in try context.delete(EveryType.self, id: "one") },
      ])
  }

  /// A company as declared by an early program.
  private struct Company: Record {
    var id = 0
    var name = ""
    var employeeCount: String?
    var fax: String?
    var seat: Reference<City>?
    static let schema = RecordSchema<Company>("Company")
      .attribute("name", at: \.name).attribute("employees", at: \.employeeCount).attribute(
        "fax", at: \.fax
      )
      .reference("seat", at: \.seat, whenTargetDeleted: .nullify)
  }

  private struct City: Record {
    var id = "?"
    var country = ""
    static let schema = RecordSchema<City>("City").attribute("country", at: \.country)
  }

  private static func companies() throws -> Sample {
    try make(
      "companies", [Company.self, City.self],
      [
        { context in
          try context.insert(City(id: "Wien", country: "AT"))
          try context.insert(
            Company(id: 1, name: "One", employeeCount: "12", fax: "1", seat: Reference("Wien")))
          try context.insert(Company(id: 2, name: "Two", employeeCount: "a dozen"))
        },
        { context in try context.update(Company.self, id: 2) { $0.seat = Reference("Atlantis") } },
      ])
  }

  private struct Project: Record {
    var id = 0
    var plan: Reference<Plan>?
    static let schema = RecordSchema<Project>("Project").owned("plan", at: \.plan)
  }

  private struct Plan: Record {
    var id = 0
    static let schema = RecordSchema<Plan>("Plan")
  }

  private struct Task: Record {
    var id = 0
    var project: Reference<Project>?
    var after: [Reference<Task>] = []
    var origin: Reference<Task>?
    var copy: Reference<Task>?
    static let schema = RecordSchema<Task>("Task")
      .reference("project", at: \.project, inverse: "tasks", whenTargetDeleted: .cascade)
      .references("after", at: \.after, whenTargetDeleted: .deny)
      .reference("origin", at: \.origin, whenTargetDeleted: .nullify)
      .reference("copy", at: \.copy, whenTargetDeleted: .keep)
  }

  /// Returns a sample with a rule of each kind for deletions of targets.
  private static func projects() throws -> Sample {
    try make(
      "projects", [Project.self, Plan.self, Task.self],
      [
        { context in
          try context.insert(Plan(id: 1))
          try context.insert(Project(id: 1, plan: Reference(1)))
          try context.insert(Task(id: 1, project: Reference(1)))
          try context.insert(Task(id: 2, project: Reference(1), after: [Reference(1)]))
          try context.insert(Task(id: 3, origin: Reference(1), copy: Reference(1)))
        },
        { context in try context.delete(Project.self, id: 1) },
      ])
  }

  /// Returns a sample that a program has written in two versions. The second one has run two
  /// migration steps.
  private static func people() throws -> Sample {
    let disk = SimulatedDisk()
    let clock = TestClock()
    let options = FixedJournal.options(on: disk, clock: clock)
    let old = try Store(at: "j", types: [People.Old.self], options: options)
    let context = old.makeContext()
    clock.advance(milliseconds: 1500)
    try context.insert(
      People.Old(id: 1, first: "Ada", last: "King", street: "Main", city: "Ems"))
    try context.insert(People.Old(id: 2, first: "Bob", last: "Low"))
    try context.saveAndWait()
    try old.closeAndWait()
    clock.advance(milliseconds: 1500)
    let new = try Store(
      at: "j", types: People.newTypes, migrations: People.steps, options: options)
    let newContext = new.makeContext()
    clock.advance(milliseconds: 1500)
    try newContext.update(People.New.self, id: 2) { $0.name = "Rob Low" }
    try newContext.saveAndWait()
    try new.closeAndWait()
    return Sample(name: "people", bytes: (disk.contents(of: "j") ?? []).inWholePages())
  }

  /// Returns a sample whose entities have new names since its second transaction.
  private static func notes() throws -> Sample {
    typealias Names = `Entities with new names`
    let disk = SimulatedDisk()
    let clock = TestClock()
    let options = FixedJournal.options(on: disk, clock: clock)
    let old = try Store(
      at: "j", types: [Names.Memo.self, Names.Label.self], options: options)
    let context = old.makeContext()
    clock.advance(milliseconds: 1500)
    try context.insert(Names.Memo(id: 1, title: "one"))
    try context.insert(Names.Label(id: "a", best: Reference(1), memos: [Reference(1)]))
    try context.saveAndWait()
    try old.closeAndWait()
    let new = try Store(
      at: "j", types: [Names.Note.self, Names.NoteLabel.self], options: options)
    let newContext = new.makeContext()
    clock.advance(milliseconds: 1500)
    try newContext.insert(Names.Note(id: 2, title: "two", tag: Reference("a")))
    try newContext.saveAndWait()
    try new.closeAndWait()
    return Sample(name: "notes", bytes: (disk.contents(of: "j") ?? []).inWholePages())
  }

  // MARK: Tests of the samples

  @Test func `a sample with renamed entities is read under the new names`() throws {
    let store = try open("notes", [], on: SimulatedDisk())
    #expect(store.snapshot.entities.map(\.name) == ["Note", "Label"])
    #expect(try store.snapshot.objects("Note").map(\.id) == [.int(1), .int(2)])
    let label = try #require(try store.snapshot(at: SequenceNumber(1)).objects("Label").first)
    #expect(label["memos"] == .array([.reference(.int(1))]))
  }

  @Test func `a migrated sample has the version of its last step`() throws {
    let store = try open("people", People.newTypes, on: SimulatedDisk())
    #expect(store.schemaVersion == 2 && store.openingReport.newerVersion?.isReadOnly == true)
    var people = People.migrated
    people[1].name = "Rob Low"
    #expect(try store.snapshot.objects(People.New.self) == people)
    #expect(try store.snapshot.objects(People.Address.self) == People.addresses)
    #expect(try store.snapshot(at: SequenceNumber(1)).objects(People.Address.self) == [])
  }

  @Test func `a payload has version 2 only if a layout has a rule for deletions of targets`() throws
  {
    func versions(_ name: String) throws -> [UInt8] {
      let disk = SimulatedDisk()
      disk.setContents(try ProjectFiles.bytes("\(Self.folder)/\(name).daybook"), at: "j")
      let reader = try JournalReader(at: "j", options: .simulated(disk))
      var transactions = try reader.transactions(from: 1)
      var versions: [UInt8] = []
      while let transaction = try transactions.next() {
        versions.append(transaction.payload.copy()[0])
      }
      return versions
    }
    #expect(try versions("projects") == [2, 1])
    #expect(try versions("companies") == [1, 1])
    #expect(try versions("every-type") == [1, 1, 1, 1])
    let store = try open("projects", [], on: SimulatedDisk())
    #expect(
      try store.snapshot.objects("Task").map(\.values) == [
        [
          .null, .array([]), .null, .reference(.int(1)),
        ]
      ])
    #expect(
      store.snapshot.entities[2].attributes.map(\.whenTargetDeleted) == [.cascade, .deny, nil, nil])
  }

  @Test func `the sample journals equal the generated bytes and exported texts`() throws {
    for sample in try Self.all() {
      let stored = try ProjectFiles.bytes("\(Self.folder)/\(sample.name).daybook")
      let isSame = stored == sample.bytes
      #expect(isSame, "\(sample.name)")
      let text = try ProjectFiles.bytes("\(Self.folder)/\(sample.name).jsonl")
      #expect(String(decoding: text, as: UTF8.self) == (try sample.text()), "\(sample.name)")
    }
    let names = try Self.all().flatMap { ["\($0.name).daybook", "\($0.name).jsonl"] }
    #expect(try Set(ProjectFiles.names(in: Self.folder)) == Set(names + ["README.md"]))
  }

  @Test func `importing the sample texts gives the records of the sample journals`() throws {
    for sample in try Self.all() {
      let desk = TextDesk()
      let stored = try ProjectFiles.bytes("\(Self.folder)/\(sample.name).daybook")
      desk.disk.setContents(stored, at: "j")
      try desk.importing(try ProjectFiles.bytes("\(Self.folder)/\(sample.name).jsonl"), to: "k")
      let journal = try Store(at: "j", types: [], options: .simulated(desk.disk))
      let text = try Store(at: "k", types: [], options: .simulated(desk.disk))
      #expect(Audit.differences(journal.snapshot, text.snapshot) == [], "\(sample.name)")
      #expect(journal.snapshot.sequence > 1 && !journal.snapshot.entities.isEmpty)
    }
  }

  /// Opens a stored sample with types other than those of its writer.
  private func open(_ name: String, _ types: [any Record.Type], on disk: SimulatedDisk) throws
    -> Store
  {
    disk.setContents(try ProjectFiles.bytes("\(Self.folder)/\(name).daybook"), at: "j")
    return try Store(at: "j", types: types, options: .simulated(disk))
  }

  /// A company as declared by a newer program: `employees` is renamed to `staff` and is a number,
  /// `fax` is removed, `founded` is new, and `seat` refers to places instead of cities.
  private struct NewCompany: Record, Equatable {
    var id = 0
    var name = ""
    var staff: Int?
    var founded = 1900
    var seat: Reference<Place>?
    static let schema = RecordSchema<NewCompany>("Company")
      .attribute("name", at: \.name)
      .attribute(
        "staff", at: \.staff, renamedFrom: "employees", converting: { (text: String) in Int(text) }
      )
      .attribute("founded", at: \.founded)
      .attribute(
        "seat", at: \.seat, converting: { (city: Reference<City>) in Reference<Place>(city.id) })
  }

  private struct Place: Record {
    var id = "?"
    static let schema = RecordSchema<Place>("Place")
  }

  @Test func `newer schemas open every moment of the sample journals`() throws {
    let disk = SimulatedDisk()
    let store = try open("companies", [NewCompany.self, Place.self, City.self], on: disk)
    let one = NewCompany(id: 1, name: "One", staff: 12, seat: Reference("Wien"))
    var two = NewCompany(id: 2, name: "Two", staff: nil)
    #expect(try store.snapshot(at: SequenceNumber(1)).objects(NewCompany.self) == [one, two])
    two.seat = Reference("Atlantis")
    #expect(try store.snapshot.objects(NewCompany.self) == [one, two])
    // New rows use the new schema, and earlier rows remain readable.
    let context = store.makeContext()
    try context.update(NewCompany.self, id: 2) { $0.founded = 1999 }
    try context.saveAndWait()
    try store.closeAndWait()
    two.founded = 1999
    let again = try Store(
      at: "j", types: [NewCompany.self, Place.self, City.self], options: .simulated(disk))
    #expect(try again.snapshot.objects(NewCompany.self) == [one, two])
    #expect(try again.history(of: "Company", id: .int(2)).count == 3)
  }

  private struct UnconvertedCompany: Record {
    var id = 0
    var employees: Int?
    static let schema = RecordSchema<UnconvertedCompany>("Company").attribute(
      "employees", at: \.employees)
  }

  private struct RetargetedCompany: Record {
    var id = 0
    var seat: Reference<Place>?
    static let schema = RecordSchema<RetargetedCompany>("Company").reference(
      "seat", at: \.seat, whenTargetDeleted: .nullify)
  }

  @Test func `a schema without a converter is refused and leaves the sample unchanged`() throws {
    let disk = SimulatedDisk()
    #expect(
      sentence { _ = try open("companies", [UnconvertedCompany.self], on: disk) } == """
        j: the type of Company.employees is string in the journal, but int64 in the schema. Declare \
        a converter for the attribute. The journal was not changed.
        """)
    #expect(
      sentence { _ = try open("companies", [RetargetedCompany.self, Place.self], on: disk) } == """
        j: the type of Company.seat is ref:City in the journal, but ref:Place in the schema. \
        Declare a converter for the attribute. The journal was not changed.
        """)
    let stored = try ProjectFiles.bytes("\(Self.folder)/companies.daybook")
    let isSame = disk.contents(of: "j") == stored
    #expect(isSame)
  }

  @Test func `a program with the types reads every value of the samples`() throws {
    let store = try open("every-type", [EveryType.self, Numbered.self], on: SimulatedDisk())
    let before = try store.snapshot(at: SequenceNumber(3))
    let one = try #require(try before.object(EveryType.self, id: "one"))
    #expect(one.int == 1 && one.data == Data(repeating: 7, count: 600))
    #expect(one.uuid.uuidString == "00010203-0405-0607-0809-0A0B0C0D0E0F")
    #expect(try store.snapshot.objects(EveryType.self) == [EveryType()])
    #expect(try store.snapshot.objects(Numbered.self) == [Numbered(id: 1, name: "e\u{301}")])
    #expect(try store.history(of: "EveryType", id: .string("one")).count == 3)
  }
}
