import DaybookJournal
import DaybookStore
import DaybookTesting
import DaybookText
import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// The journals of `Journal/Samples/Records` are written by the store of today and opened by programs
/// with newer schemas. After a change that is meant to change them:
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

  // MARK: What they are made of

  struct Sample {
    let name: String
    let bytes: [UInt8]

    /// What export makes of it.
    func text() throws -> String {
      let desk = TextDesk()
      desk.disk.setContents(bytes, at: "j")
      return try desk.exported()
    }
  }

  static func all() throws -> [Sample] { [try everyType(), try companies()] }

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

  /// A record with an attribute of each type, and what can happen to one.
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
          // The large value stays where it is.
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

  /// Companies as an early program had them.
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
      .reference("seat", at: \.seat)
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

  // MARK: What must be true of them

  @Test func `have the bytes that are made today, and the text that is exported of them`() throws {
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

  @Test func `tell by their texts what they tell themselves`() throws {
    for sample in try Self.all() {
      let desk = TextDesk()
      let stored = try ProjectFiles.bytes("\(Self.folder)/\(sample.name).daybook")
      desk.disk.setContents(stored, at: "j")
      try desk.importing(try ProjectFiles.bytes("\(Self.folder)/\(sample.name).jsonl"), to: "k")
      let journal = try Store(at: "j", types: [], options: .simulated(desk.disk))
      let text = try Store(at: "k", types: [], options: .simulated(desk.disk))
      #expect(Audit.complaints(journal.snapshot, text.snapshot) == [], "\(sample.name)")
      #expect(journal.snapshot.sequence > 1 && !journal.snapshot.entities.isEmpty)
    }
  }

  /// Opens a stored sample with other types than it was written with.
  private func open(_ name: String, _ types: [any Record.Type], on disk: SimulatedDisk) throws
    -> Store
  {
    disk.setContents(try ProjectFiles.bytes("\(Self.folder)/\(name).daybook"), at: "j")
    return try Store(at: "j", types: types, options: .simulated(disk))
  }

  /// Companies as a program of today has them: `employees` is called `staff` and is a number, `fax`
  /// is gone, `founded` is new, and `seat` refers to places instead of cities.
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

  @Test func `are opened by programs of newer schemas, at each of their moments`() throws {
    let disk = SimulatedDisk()
    let store = try open("companies", [NewCompany.self, Place.self, City.self], on: disk)
    let one = NewCompany(id: 1, name: "One", staff: 12, seat: Reference("Wien"))
    var two = NewCompany(id: 2, name: "Two", staff: nil)
    #expect(try store.snapshot(at: SequenceNumber(1)).objects(NewCompany.self) == [one, two])
    two.seat = Reference("Atlantis")
    #expect(try store.snapshot.objects(NewCompany.self) == [one, two])
    // What is written now is of the new schema, and what was written before is read beside it.
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
    static let schema = RecordSchema<RetargetedCompany>("Company").reference("seat", at: \.seat)
  }

  @Test func `are left as they are where a schema does not say how to convert`() throws {
    let disk = SimulatedDisk()
    #expect(
      sentence { _ = try open("companies", [UnconvertedCompany.self], on: disk) } == """
        j: the journal has Company.employees as string, and the schema as int64; give the attribute a \
        converter. The journal was not changed.
        """)
    #expect(
      sentence { _ = try open("companies", [RetargetedCompany.self, Place.self], on: disk) } == """
        j: the journal has Company.seat as ref:City, and the schema as ref:Place; give the attribute \
        a converter. The journal was not changed.
        """)
    let stored = try ProjectFiles.bytes("\(Self.folder)/companies.daybook")
    let isSame = disk.contents(of: "j") == stored
    #expect(isSame)
  }

  @Test func `every value is there for a program that knows the types`() throws {
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
