import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

/// Version 1 of a note.
private struct Note: Record, Equatable {
  var id = 0
  var title = ""
  var text = ""
  static let schema = RecordSchema<Note>("Note").attribute("title", at: \.title).attribute(
    "text", at: \.text)
}

private func open(_ disk: SimulatedDisk, _ types: any Record.Type...) throws -> Store {
  try Store(at: "j", types: types, options: .simulated(disk))
}

/// Returns the description of the error of opening a journal; nil if it succeeds.
private func refusal(_ disk: SimulatedDisk, _ types: any Record.Type...) -> String? {
  do {
    _ = try Store(at: "j", types: types, options: .simulated(disk))
    return nil
  } catch { return "\(error)" }
}

/// Returns a disk with a journal of one note of version 1.
private func journal() throws -> SimulatedDisk {
  let disk = SimulatedDisk()
  let store = try open(disk, Note.self)
  try store.insertAndWait(contentsOf: [Note(id: 1, title: "T", text: "X")])
  try store.closeAndWait()
  return disk
}

@Suite struct `Reused attribute names` {
  private struct Reusing: Record, Equatable {
    var id = 0
    var name = ""
    var title = "none"
    var text = ""
    static let schema = RecordSchema<Reusing>("Note")
      .attribute("name", at: \.name, renamedFrom: "title")
      .attribute("title", at: \.title)
      .attribute("text", at: \.text)
  }

  @Test func `a new attribute can have the earlier name of a renamed one`() throws {
    let disk = try journal()
    for id in 2...3 {
      let store = try open(disk, Reusing.self)
      #expect(
        try store.snapshot.object(Reusing.self, id: 1) == Reusing(id: 1, name: "T", text: "X"))
      try store.insertAndWait(contentsOf: [Reusing(id: id, name: "N", title: "S", text: "Y")])
      #expect(store.snapshot.frozen.catalog.layouts.count == 2)
      try store.closeAndWait()
    }
    let store = try open(disk, Reusing.self)
    let context = store.makeContext()
    try context.update(Reusing.self, id: 1) { $0.text = "Z" }
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Reusing.self) == [
        Reusing(id: 1, name: "T", text: "Z"),
        Reusing(id: 2, name: "N", title: "S", text: "Y"),
        Reusing(id: 3, name: "N", title: "S", text: "Y"),
      ])
    try store.closeAndWait()
  }

  private struct Swapped: Record, Equatable {
    var id = 0
    var title = ""
    var text = ""
    static let schema = RecordSchema<Swapped>("Note")
      .attribute("title", at: \.title, renamedFrom: "text")
      .attribute("text", at: \.text, renamedFrom: "title")
  }

  @Test func `two attributes can swap their names`() throws {
    let disk = try journal()
    // The swap is applied once, however often the journal is opened and written.
    for id in 2...3 {
      let store = try open(disk, Swapped.self)
      #expect(
        try store.snapshot.object(Swapped.self, id: 1) == Swapped(id: 1, title: "X", text: "T"))
      try store.insertAndWait(contentsOf: [Swapped(id: id, title: "A", text: "B")])
      try store.closeAndWait()
    }
    var store = try open(disk, Swapped.self)
    #expect(store.openingReport.isEmpty)
    let context = store.makeContext()
    try context.update(Swapped.self, id: 1) { $0.title += "!" }
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Swapped.self) == [
        Swapped(id: 1, title: "X!", text: "T"), Swapped(id: 2, title: "A", text: "B"),
        Swapped(id: 3, title: "A", text: "B"),
      ])
    try store.closeAndWait()
    // A program without the declaration of the swap reads the same values.
    store = try open(disk, Note.self)
    #expect(try store.snapshot.object(Note.self, id: 1) == Note(id: 1, title: "X!", text: "T"))
    try store.closeAndWait()
  }

  @Test func `a rename to a name that another attribute has is refused`() throws {
    struct Renaming: Record {
      var id = 0
      var text = ""
      static let schema = RecordSchema<Renaming>("Note")
        .attribute("text", at: \.text, renamedFrom: "title")
    }
    let disk = try journal()
    let before = disk.contents(of: "j")
    #expect(
      refusal(disk, Renaming.self) == """
        j: Note.title cannot be renamed to text, as the journal has an attribute of that name. Declare \
        that one under another name with renamedFrom: "text", or keep both and leave out renamedFrom: \
        "title". The journal was not changed.
        """)
    #expect(disk.contents(of: "j") == before)
    // The remedy in the message works.
    struct Moving: Record, Equatable {
      var id = 0
      var text = ""
      var body = ""
      static let schema = RecordSchema<Moving>("Note")
        .attribute("text", at: \.text, renamedFrom: "title")
        .attribute("body", at: \.body, renamedFrom: "text")
    }
    let store = try open(disk, Moving.self)
    #expect(try store.snapshot.object(Moving.self, id: 1) == Moving(id: 1, text: "T", body: "X"))
    try store.closeAndWait()
  }

  @Test func `an undeclared rename erases nothing and is reported`() throws {
    struct Forgetful: Record {
      var id = 0
      var name = ""
      var text = ""
      static let schema = RecordSchema<Forgetful>("Note")
        .attribute("name", at: \.name).attribute("text", at: \.text)
    }
    let disk = try journal()
    var store = try open(disk, Forgetful.self)
    #expect(store.openingReport.possibleRenames.map(\.from) == ["title"])
    #expect(store.openingReport.possibleRenames.map(\.to) == ["name"])
    let context = store.makeContext()
    try context.update(Forgetful.self, id: 1) { $0.text = "Y" }
    try context.saveAndWait()
    try store.closeAndWait()
    store = try open(disk, Note.self)
    #expect(try store.snapshot.object(Note.self, id: 1) == Note(id: 1, title: "T", text: "Y"))
    try store.closeAndWait()
  }
}

@Suite struct `Defaults of new attributes` {
  private struct Dated: Record, Equatable {
    var id = 0
    var title = ""
    var text = ""
    var created = Date()
    var token = UUID()
    static let schema = RecordSchema<Dated>("Note")
      .attribute("title", at: \.title).attribute("text", at: \.text)
      .attribute("created", at: \.created).attribute("token", at: \.token)
  }

  private struct Settled: Record, Equatable {
    var id = 0
    var title = ""
    var text = ""
    var created = Date()
    static let schema = RecordSchema<Settled>("Note")
      .attribute("title", at: \.title).attribute("text", at: \.text)
      .attribute("created", at: \.created, default: Date(timeIntervalSinceReferenceDate: 0))
  }

  @Test func `a new attribute with a varying initial value needs a default`() throws {
    let disk = try journal()
    let before = disk.contents(of: "j")
    #expect(
      refusal(disk, Dated.self) == """
        j: init() sets Note.created to a different value each time, so older records would read \
        differently in every process. Declare the attribute with a fixed default:. The journal was \
        not changed.
        """)
    #expect(disk.contents(of: "j") == before)
    let store = try open(disk, Settled.self)
    #expect(
      try store.snapshot.object(Settled.self, id: 1)?.created.timeIntervalSinceReferenceDate == 0)
    try store.closeAndWait()
  }

  @Test func `an attribute with a varying initial value needs no default in a new entity`() throws {
    let disk = SimulatedDisk()
    for id in 1...3 {
      let store = try open(disk, Dated.self)
      try store.insertAndWait(contentsOf: [Dated(id: id)])
      // There is one layout, whatever value init() returns.
      #expect(store.snapshot.frozen.catalog.layouts.count == 1)
      try store.closeAndWait()
    }
  }

  @Test func `an attribute that is no longer optional needs a default`() throws {
    struct Optional: Record {
      var id = 0
      var created: Date?
      static let schema = RecordSchema<Optional>("Event").attribute("created", at: \.created)
    }
    struct Always: Record {
      var id = 0
      var created = Date()
      static let schema = RecordSchema<Always>("Event").attribute("created", at: \.created)
    }
    struct WithDefault: Record {
      var id = 0
      var created = Date()
      static let schema = RecordSchema<WithDefault>("Event")
        .attribute("created", at: \.created, default: Date(timeIntervalSinceReferenceDate: 0))
    }
    let disk = SimulatedDisk()
    var store = try open(disk, Optional.self)
    try store.insertAndWait(contentsOf: [Optional(id: 1)])
    try store.closeAndWait()
    #expect(refusal(disk, Always.self)?.contains("init() sets Event.created") == true)
    store = try open(disk, WithDefault.self)
    #expect(
      try store.snapshot.object(WithDefault.self, id: 1)?.created.timeIntervalSinceReferenceDate
        == 0)
    try store.closeAndWait()
  }

  @Test func `an attribute keeps the default that it was added with`() throws {
    struct Three: Record {
      var id = 0
      var title = "", text = ""
      var stars = 3
      static let schema = RecordSchema<Three>("Note")
        .attribute("title", at: \.title).attribute("text", at: \.text).attribute(
          "stars", at: \.stars)
    }
    struct Four: Record {
      var id = 0
      var title = "", text = ""
      var stars = 4
      static let schema = RecordSchema<Four>("Note")
        .attribute("title", at: \.title).attribute("text", at: \.text).attribute(
          "stars", at: \.stars)
    }
    let disk = try journal()
    var store = try open(disk, Three.self)
    try store.insertAndWait(contentsOf: [Three(id: 2)])
    try store.closeAndWait()
    store = try open(disk, Four.self)
    try store.insertAndWait(contentsOf: [Four(id: 3)])
    #expect(try store.snapshot.objects(Four.self).map(\.stars) == [3, 3, 4])
    #expect(store.snapshot.frozen.catalog.layouts.count == 2)
    try store.closeAndWait()
  }

  @Test func `a new required attribute needs a default if records exist`() throws {
    struct Owned: Record {
      var id = 0
      var title = "", text = ""
      var owner: String?
      static let schema = RecordSchema<Owned>("Note")
        .attribute("title", at: \.title).attribute("text", at: \.text)
        .attribute("owner", at: \.owner, required: true)
    }
    let disk = try journal()
    #expect(
      refusal(disk, Owned.self) == """
        j: Note.owner is new and required, but older records have no value for it. Declare it with \
        a default:, or make it required after each record has a value. The journal was not changed.
        """)
    let store = try open(disk, Note.self)
    let context = store.makeContext()
    try context.delete(Note.self, id: 1)
    try context.saveAndWait()
    try store.closeAndWait()
    try open(disk, Owned.self).closeAndWait()
  }
}

@Suite struct `Rules that existing records break` {
  private struct Person: Record {
    var id = 0
    var name: String?
    var email: String?
    static let schema = RecordSchema<Person>("Person")
      .attribute("name", at: \.name).attribute("email", at: \.email)
  }

  private struct Strict: Record {
    var id = 0
    var name: String?
    var email: String?
    static let schema = RecordSchema<Strict>("Person")
      .attribute("name", at: \.name, required: true).attribute("email", at: \.email).unique(\.email)
  }

  private struct Refusing: Record {
    var id = 0
    var name: String?
    var email: String?
    static let schema = RecordSchema<Refusing>("Person")
      .attribute("name", at: \.name, required: true).attribute("email", at: \.email).unique(\.email)
      .checkedAtOpening()
  }

  private func persons() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let store = try open(disk, Person.self)
    try store.insertAndWait(contentsOf: [
      Person(id: 1, name: "A", email: "a"), Person(id: 2, name: nil, email: "b"),
      Person(id: 3, name: "C", email: "a"),
    ])
    try store.closeAndWait()
    return disk
  }

  @Test func `every opening reports the existing records that violate rules`() throws {
    let disk = try persons()
    let sentences = """
      Person 2 has no name, which is required.
      Person 3 has the same email as Person 1.
      """
    for id in 4...5 {
      let store = try open(disk, Strict.self)
      #expect(store.openingReport.description == sentences)
      #expect(!store.openingReport.isEmpty)
      try store.insertAndWait(contentsOf: [Strict(id: id, name: "D", email: "d\(id)")])
      try store.closeAndWait()
    }
    let store = try open(disk, Strict.self)
    let context = store.makeContext()
    try context.update(Strict.self, id: 2) { $0.name = "B" }
    try context.update(Strict.self, id: 3) { $0.email = "c" }
    try context.saveAndWait()
    #expect(try store.snapshot.validationProblems() == [])
    try store.closeAndWait()
    try open(disk, Refusing.self).closeAndWait()
  }

  @Test func `a schema checked at opening refuses a journal that violates its rules`() throws {
    let disk = try persons()
    let before = disk.contents(of: "j")
    #expect(
      refusal(disk, Refusing.self) == """
        j: Person 2 has no name, which is required; Person 3 has the same email as Person 1. The \
        journal was not changed. Open it with a schema without checkedAtOpening(), and correct the \
        records.
        """)
    #expect(disk.contents(of: "j") == before)
  }
}

@Suite struct `Record identifiers in updates` {
  @Test func `an update cannot change the identifier of a record`() throws {
    let store = try open(try journal(), Note.self)
    let context = store.makeContext()
    let error = #expect(throws: StoreError.self) {
      try context.update(Note.self, id: 1) { note in
        note.title = "other"
        note.id = 2
      }
    }
    #expect(
      error?.description == """
        j: an update set the identifier of Note 1 to 2, but an identifier cannot change. The record \
        was not changed. Insert a record with the new identifier and delete this one.
        """)
    #expect(!context.hasChanges)
    #expect(try context.object(Note.self, id: 1)?.title == "T")
    try store.closeAndWait()
  }
}
