import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Record types that name a part of an entity` {
  private struct Folder: Record {
    var id = 0
    static let schema = RecordSchema<Folder>("Folder")
  }

  /// A note as declared by version 1 of a program.
  private struct FirstNote: Record, Equatable {
    var id = 0
    var title = ""
    static let schema = RecordSchema<FirstNote>("Note").attribute("title", at: \.title)
  }

  /// A note as declared by version 2 of the program.
  private struct SecondNote: Record, Equatable {
    var id = 0
    var title = ""
    var stars = 3
    var folder: Reference<Folder>?
    var code: String?
    static let schema = RecordSchema<SecondNote>("Note")
      .attribute("title", at: \.title)
      .attribute("stars", at: \.stars)
      .owned("folder", at: \.folder, whenOwnerDeleted: .deny)
      .attribute("code", at: \.code)
      .unique(\.code)
  }

  private func open(_ disk: SimulatedDisk, _ types: any Record.Type...) throws -> Store {
    try Store(at: "j", types: types, options: .simulated(disk))
  }

  /// Returns a disk with a journal of one note written by version 2.
  private func journal() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    let store = try open(disk, SecondNote.self, Folder.self)
    let context = store.makeContext()
    try context.insert(Folder(id: 1))
    try context.insert(
      SecondNote(id: 1, title: "one", stars: 5, folder: Reference(1), code: "a"))
    try context.saveAndWait()
    try store.closeAndWait()
    return disk
  }

  // MARK: Updates

  @Test func `an update through an older type keeps the attributes that it does not name`() throws {
    let disk = try journal()
    var store = try open(disk, FirstNote.self)
    let context = store.makeContext()
    try context.update(FirstNote.self, id: 1) { $0.title = "two" }
    try context.saveAndWait()
    #expect(try store.history(of: "Note", id: .int(1)).last?.change.changedAttributes == ["title"])
    try store.closeAndWait()
    store = try open(disk, SecondNote.self, Folder.self)
    #expect(
      try store.snapshot.object(SecondNote.self, id: 1)
        == SecondNote(id: 1, title: "two", stars: 5, folder: Reference(1), code: "a"))
  }

  @Test func `a type that names fewer attributes adds no layout to the journal`() throws {
    let disk = try journal()
    let store = try open(disk, FirstNote.self)
    let layouts = store.snapshot.frozen.catalog.layouts.count
    #expect(layouts == 2)
    let context = store.makeContext()
    try context.update(FirstNote.self, id: 1) { $0.title = "two" }
    try context.insert(FirstNote(id: 2, title: "new"))
    try context.saveAndWait()
    #expect(store.snapshot.frozen.catalog.layouts.count == layouts)
    try store.closeAndWait()
  }

  @Test func `an insert through an older type stores the defaults of the journal`() throws {
    let disk = try journal()
    var store = try open(disk, FirstNote.self)
    let context = store.makeContext()
    try context.insert(FirstNote(id: 2, title: "new"))
    try context.saveAndWait()
    try store.insertAndWait(contentsOf: [FirstNote(id: 3, title: "loaded")])
    try store.closeAndWait()
    store = try open(disk, SecondNote.self, Folder.self)
    #expect(
      try store.snapshot.object(SecondNote.self, id: 2)
        == SecondNote(id: 2, title: "new", stars: 3, folder: nil, code: nil))
    #expect(try store.snapshot.object(SecondNote.self, id: 3)?.stars == 3)
    try store.closeAndWait()
  }

  @Test func `an insert that lacks a required attribute of the journal is refused`() throws {
    struct Demanding: Record {
      var id = 0
      var title = ""
      var author: String?
      static let schema = RecordSchema<Demanding>("Note")
        .attribute("title", at: \.title).attribute("author", at: \.author, required: true)
    }
    let disk = SimulatedDisk()
    var store = try open(disk, Demanding.self)
    try store.insertAndWait(contentsOf: [Demanding(id: 1, title: "one", author: "me")])
    try store.closeAndWait()
    store = try open(disk, FirstNote.self)
    let context = store.makeContext()
    try context.update(FirstNote.self, id: 1) { $0.title = "two" }
    try context.saveAndWait()
    try context.insert(FirstNote(id: 2, title: "new"))
    var error = #expect(throws: StoreError.self) { try context.saveAndWait() }
    let sentence = "j: Note 2 has no author, which is required. Nothing was saved."
    #expect(error?.description == sentence)
    error = #expect(throws: StoreError.self) {
      try store.insertAndWait(contentsOf: [FirstNote(id: 2, title: "new")])
    }
    #expect(error?.description == sentence)
    try store.closeAndWait()
  }

  @Test func `unique lists and delete rules of attributes that no type names stay in force`() throws
  {
    let disk = try journal()
    let store = try open(disk, FirstNote.self, Folder.self)
    let context = store.makeContext()
    try context.insert(
      DynamicRecord("Note", id: .int(2), values: [.string("new"), .int(1), .null, .string("a")]))
    var error = #expect(throws: StoreError.self) { try context.saveAndWait() }
    #expect(
      error?.description == "j: Note 2 has the same code as Note 1. Nothing was saved.")
    try context.rollback()
    try context.delete(FirstNote.self, id: 1)
    error = #expect(throws: StoreError.self) { try context.saveAndWait() }
    #expect(
      error?.description
        == "j: Note 1 cannot be deleted while its folder is set. Nothing was saved.")
    try store.closeAndWait()
  }

  @Test func `a removed attribute is missing in changed records`() throws {
    struct Removing: Record {
      var id = 0
      var title = ""
      static let schema = RecordSchema<Removing>("Note").attribute("title", at: \.title)
        .removed("stars").removed("code", "never")
    }
    let disk = try journal()
    var store = try open(disk, Removing.self)
    #expect(
      store.openingReport.description == """
        no record type declares Note.folder. The journal keeps its values.
        Note.stars was removed.
        Note.code was removed.
        """)
    let context = store.makeContext()
    try context.update(Removing.self, id: 1) { $0.title = "two" }
    try context.saveAndWait()
    let record = try store.snapshot.object("Note", id: .int(1))
    #expect(record?.values == [.string("two"), .reference(.int(1))])
    #expect(store.snapshot.entities.first { $0.name == "Note" }?.unique == [])
    try store.closeAndWait()
    store = try open(disk, Removing.self)
    #expect(store.openingReport.removedAttributes == [])
    try store.closeAndWait()
  }

  @Test func `a schema that removes an attribute that it declares is refused`() throws {
    struct Both: Record {
      var id = 0
      var title = ""
      static let schema = RecordSchema<Both>("Note").attribute("title", at: \.title).removed(
        "title")
    }
    let error = #expect(throws: StoreError.self) { try Store.inMemory(records: Both.self) }
    #expect(
      error?.description.hasSuffix(
        ": a schema of Note both removes and declares title. Do only one of the two.") == true)
  }

  // MARK: Two types of one entity

  /// The part of ``SecondNote`` that an index shows.
  private struct Rating: Record {
    var id = 0
    var stars = 3
    static let schema = RecordSchema<Rating>("Note").attribute("stars", at: \.stars)
  }

  @Test func `two types of one store can name different parts of an entity`() throws {
    let disk = try journal()
    let store = try open(disk, FirstNote.self, Rating.self)
    let context = store.makeContext()
    try context.update(FirstNote.self, id: 1) { $0.title = "two" }
    try context.update(Rating.self, id: 1) { $0.stars += 1 }
    try context.saveAndWait()
    #expect(
      try store.snapshot.object("Note", id: .int(1))?.values
        == [.string("two"), .int(6), .reference(.int(1)), .string("a")])
    #expect(try store.snapshot.objects(FirstNote.self) == [FirstNote(id: 1, title: "two")])
    try store.closeAndWait()
  }

  @Test func `an update whose closure changes the record through another type keeps both`() throws {
    let disk = try journal()
    let store = try open(disk, FirstNote.self, Rating.self)
    let context = store.makeContext()
    try context.update(FirstNote.self, id: 1) { note in
      try context.update(Rating.self, id: 1) { $0.stars = 1 }
      note.title = "two"
    }
    try context.saveAndWait()
    #expect(
      try store.snapshot.object("Note", id: .int(1))?.values
        == [.string("two"), .int(1), .reference(.int(1)), .string("a")])
    try store.closeAndWait()
  }

  @Test func `two types that declare an attribute differently are refused`() throws {
    struct Other: Record {
      var id = 0
      var stars = 4
      static let schema = RecordSchema<Other>("Note").attribute("stars", at: \.stars)
    }
    struct Texts: Record {
      var id = ""
      static let schema = RecordSchema<Texts>("Note")
    }
    var error = #expect(throws: StoreError.self) {
      try open(SimulatedDisk(), Rating.self, Other.self)
    }
    #expect(
      error?.description == """
        j: two record types declare Note.stars differently. Its type, its default and its options \
        must be the same in both.
        """)
    error = #expect(throws: StoreError.self) { try open(SimulatedDisk(), Rating.self, Texts.self) }
    #expect(
      error?.description
        == "j: two record types of Note have identifiers of different types. Use one type in both.")
  }

  // MARK: The report

  @Test func `opening reports unknown, new and renamed attributes and possible renames`() throws {
    struct Third: Record {
      var id = 0
      var headline = ""
      var rating = 0
      var summary: String?
      static let schema = RecordSchema<Third>("Note")
        .attribute("headline", at: \.headline, renamedFrom: "title")
        .attribute("rating", at: \.rating)
        .attribute("summary", at: \.summary)
    }
    let disk = try journal()
    let store = try open(disk, Third.self)
    let report = store.openingReport
    #expect(report.unknownAttributes.map(\.name) == ["stars", "folder", "code"])
    #expect(report.newAttributes.map(\.name) == ["rating", "summary"])
    #expect(report.renamedAttributes.map(\.to) == ["headline"])
    #expect(report.possibleRenames.map(\.from) == ["stars", "code"])
    #expect(
      report.description == """
        no record type declares Note.stars. The journal keeps its values.
        no record type declares Note.folder. The journal keeps its values.
        no record type declares Note.code. The journal keeps its values.
        Note.rating is new.
        Note.summary is new.
        Note.title was renamed to headline.
        Note.rating is new and has the type of stars, which no record type declares. If it is the \
        same attribute, declare it with renamedFrom: "stars".
        Note.summary is new and has the type of code, which no record type declares. If it is the \
        same attribute, declare it with renamedFrom: "code".
        """)
    try store.closeAndWait()
  }

  @Test func `a restored attribute has its values in unchanged records`() throws {
    struct Removing: Record {
      var id = 0
      var title = ""
      static let schema = RecordSchema<Removing>("Note").attribute("title", at: \.title).removed(
        "stars")
    }
    let disk = try journal()
    var store = try open(disk, Removing.self)
    try store.insertAndWait(contentsOf: [Removing(id: 2, title: "new")])
    try store.closeAndWait()
    store = try open(disk, SecondNote.self, Folder.self)
    #expect(
      store.openingReport.description
        == "Note.stars was declared again. Unchanged records have their earlier values.")
    #expect(try store.snapshot.objects(SecondNote.self).map(\.stars) == [5, 3])
    try store.closeAndWait()
  }

  @Test func `a new journal and a type that names all attributes have nothing to report`() throws {
    let disk = try journal()
    var store = try open(disk, SecondNote.self, Folder.self)
    #expect(store.openingReport.isEmpty)
    #expect(store.openingReport.description == "")
    try store.closeAndWait()
    store = try open(SimulatedDisk(), FirstNote.self)
    #expect(store.openingReport.isEmpty)
    try store.closeAndWait()
  }

  @Test func `a type cannot drop a value that it does not name and cannot convert`() throws {
    struct Old: Record {
      var id = 0
      var amount = ""
      var kind = ""
      static let schema = RecordSchema<Old>("Sale").attribute("amount", at: \.amount)
        .attribute("kind", at: \.kind)
    }
    struct New: Record {
      var id = 0
      var cents = 0
      static let schema = RecordSchema<New>("Sale")
        .attribute(
          "cents", at: \.cents, renamedFrom: "amount",
          converting: { (text: String) in Int(text).map { $0 * 100 } })
    }
    struct Kind: Record, Equatable {
      var id = 0
      var kind = ""
      static let schema = RecordSchema<Kind>("Sale").attribute("kind", at: \.kind)
    }
    let disk = SimulatedDisk()
    var store = try open(disk, Old.self)
    try store.insertAndWait(contentsOf: [Old(id: 1, amount: "12", kind: "cash")])
    try store.closeAndWait()
    store = try open(disk, New.self)
    try store.insertAndWait(contentsOf: [New(id: 2, cents: 1)])
    try store.closeAndWait()
    store = try open(disk, Kind.self)
    #expect(try store.snapshot.objects(Kind.self).map(\.kind) == ["cash", ""])
    var context = store.makeContext()
    try context.update(Kind.self, id: 1) { $0.kind = "card" }
    #expect(
      sentence { try context.saveAndWait() } == """
        j: cents of Sale 1 is of the earlier type string, and no record type converts it to int64; \
        declare the attribute with a converter, or as removed. Nothing was saved.
        """)
    try store.closeAndWait()
    // The save succeeds together with a type that converts the attribute.
    store = try open(disk, Kind.self, New.self)
    context = store.makeContext()
    try context.update(Kind.self, id: 1) { $0.kind = "card" }
    try context.saveAndWait()
    #expect(try store.snapshot.object(New.self, id: 1)?.cents == 1200)
    #expect(try store.snapshot.object(Kind.self, id: 1) == Kind(id: 1, kind: "card"))
    try store.closeAndWait()
  }
}
