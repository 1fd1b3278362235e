import Daybook
import FoundationEssentials
import TestSupport
import Testing

// The records of the examples, as on the page:

// The book begins.
private struct Volume: Record {
  var id = UUID()
  var title = ""
  var pages: Int?
  var size = Size()
  var isSelected = false  // never saved

  static let schema = RecordSchema<Volume>("Volume")
    .attribute("title", at: \.title)
    .attribute("pages", at: \.pages)
    .attribute("width", at: \.size.width)
    .unsaved(\.isSelected)
}
// The book ends.

private struct Size { var width = 0, height = 0 }

// The identifier begins.
private struct ISBN: RawRepresentable, RecordIdentifying { var rawValue = "" }

private struct Edition: Record {
  var id = ISBN()
  var year = 0

  static let schema = RecordSchema<Edition>("Edition").attribute("year", at: \.year)
}
// The identifier ends.

// The attributes begin.
private struct Track: Record {
  var id = 0
  var isNew = false
  var plays = 0
  var gain = 1.0
  var price = Decimal()
  var title = ""
  var released: Date?
  var serial: UUID?
  var cover = Data()
  var page: URL?
  var genres: [String] = []

  static let schema = RecordSchema<Track>("Track")
    .attribute("isNew", at: \.isNew).attribute("plays", at: \.plays)
    .attribute("gain", at: \.gain).attribute("price", at: \.price)
    .attribute("title", at: \.title).attribute("released", at: \.released)
    .attribute("serial", at: \.serial).attribute("cover", at: \.cover)
    .attribute("page", at: \.page).attribute("genres", at: \.genres)
}
// The attributes end.

// The member begins.
private struct Member: Record {
  var id = 0
  var name = ""
  var email: String?
  var level = 1
  var joined = Date()

  static let schema = RecordSchema<Member>("Member")
    .attribute("name", at: \.name)
    .attribute("email", at: \.email, required: true)
    .attribute("level", at: \.level, default: 3)
    .attribute("joined", at: \.joined, default: Date(timeIntervalSinceReferenceDate: 0))
}
// The member ends.

// The client begins.
private enum Status: String, AttributeRepresentable { case open, closed, other }

private struct Address: CodableAttribute { var street = "", city = "" }

private struct Client: Record {
  var id = 0
  var status = Status.open
  var home: Address?
  var offices: [Address] = []

  static let schema = RecordSchema<Client>("Client")
    .attribute("status", at: \.status, unknown: .other)
    .attribute("home", at: \.home)
    .attribute("offices", at: \.offices)
}
// The client ends.

// The novel begins.
private struct Novel: Record {
  var id = 0
  var author: Reference<Author>?
  var translators: [Reference<Author>] = []
  var cover: Reference<Cover>?
  var chapters: [Reference<Chapter>] = []

  static let schema = RecordSchema<Novel>("Novel")
    .reference(
      "author", at: \.author, required: true, inverse: "novels", whenTargetDeleted: .cascade
    )
    .references(
      "translators", at: \.translators, checked: true, inverse: "translations",
      whenTargetDeleted: .nullify
    )
    .owned("cover", at: \.cover, inverse: "novel", whenOwnerDeleted: .deny)
    .owned("chapters", at: \.chapters)
}
// The novel ends.

private struct Author: Record {
  var id = 0
  static let schema = RecordSchema<Author>("Author")
}
private struct Cover: Record {
  var id = 0
  static let schema = RecordSchema<Cover>("Cover")
}
private struct Chapter: Record {
  var id = 0
  static let schema = RecordSchema<Chapter>("Chapter")
}

// The account begins.
private struct Account: Record {
  var id = 0
  var email: String?
  var team = ""
  var nickname = ""
  var created = Date(timeIntervalSinceReferenceDate: 0)

  static let schema = RecordSchema<Account>("Account")
    .attribute("email", at: \.email).attribute("team", at: \.team)
    .attribute("nickname", at: \.nickname).attribute("created", at: \.created)
    .unique(\.email)
    .unique(\.team, \.nickname)
    .indexed(\.team, \.created)
    .searchable(\.nickname)
}
// The account ends.

// The person begins.
private struct Person: Record {
  var id = 0
  var name = ""
  var age: Int?

  static let schema = RecordSchema<Person>("Person", renamedFrom: "Contact")
    .attribute("name", at: \.name, renamedFrom: "title")
    .attribute("age", at: \.age, converting: { (text: String) in Int(text) })
    .removed("fax")
    .checkedAtOpening()
}
// The person ends.

/// The record of the program before the change.
private struct Contact: Record {
  var id = 0
  var title = ""
  var age: String?
  var fax = ""
  static let schema = RecordSchema<Contact>("Contact")
    .attribute("title", at: \.title).attribute("age", at: \.age).attribute("fax", at: \.fax)
}

// The second type begins.
private struct MemberName: Record {
  var id = 0
  var name = ""

  static let schema = RecordSchema<MemberName>("Member").attribute("name", at: \.name)
}
// The second type ends.

private struct Broken: Record {
  var id = 0
  static let schema = RecordSchema<Broken>("Broken").attribute("id", at: \.id)
}

// The records of an older program, which had fewer rules:

private struct OldMember: Record {
  var id = 0
  var name = ""
  var email: String?
  var joined = Date(timeIntervalSinceReferenceDate: 0)
  static let schema = RecordSchema<OldMember>("Member")
    .attribute("name", at: \.name).attribute("email", at: \.email).attribute("joined", at: \.joined)
}
private struct OldAccount: Record {
  var id = 0
  var email: String?
  var team = ""
  static let schema = RecordSchema<OldAccount>("Account")
    .attribute("email", at: \.email).attribute("team", at: \.team)
}
private struct OldNovel: Record {
  var id = 0
  var author: Reference<Author>?
  static let schema = RecordSchema<OldNovel>("Novel").reference("author", at: \.author)
}

/// A client of a newer program, with one more status.
private struct NewerClient: Record {
  enum Status: String, AttributeRepresentable { case open, lost }
  var id = 0
  var status = Status.open
  static let schema = RecordSchema<NewerClient>("Client").attribute("status", at: \.status)
}

@Suite struct `The page on defining records` {
  private static let page = "Sources/Daybook/Daybook.docc/Define.md"
  private static let parts = [
    "book", "identifier", "attributes", "member", "client", "novel", "account", "person",
    "second type", "names", "refusal",
  ]

  @Test func `the examples on the page on defining are those that run here`() throws {
    let source = try ProjectFiles.lines("Tests/DaybookTests/DefinePageTests.swift")
    let blocks = try DocumentationPage.blocks("```swift", in: ProjectFiles.lines(Self.page))
    #expect(try blocks == Self.parts.map { try DocumentationPage.part($0, of: source) })
  }

  // MARK: Completeness

  @Test func `the page on defining names every option of a schema`() throws {
    let page = try ProjectFiles.lines(Self.page).joined(separator: "\n")
    var names: Set<Substring> = []
    for file in ["RecordSchema", "RecordSchema+References"] {
      let source = try ProjectFiles.lines("Sources/DaybookStore/Records/\(file).swift")
      let text = source.joined(separator: "\n")
      for declaration in text.split(separator: "  public func ").dropFirst() {
        let signature = declaration.prefix { $0 != "{" && $0 != "/" }
        names.insert(signature.prefix(while: \.isLetter))
        if signature.contains("onDelete") { continue }  // an unavailable name
        // The labels, as `renamedFrom` in `renamedFrom earlierName: String?`.
        for parameter in signature.split(whereSeparator: { "(,\n".contains($0) }).dropFirst() {
          let words = parameter.prefix { $0 != ":" }.split(separator: " ")
          if let label = words.first, parameter.contains(":"), label != "_" { names.insert(label) }
        }
      }
    }
    #expect(
      names.isSuperset(of: [
        "attribute", "whenOwnerDeleted", "checkedAtOpening", "unknown", "converting", "default",
      ]))
    for name in names where name.first?.isLowercase ?? false {
      #expect(page.contains(name), "the page does not name \(name)")
    }
  }

  @Test func `the page on defining names every problem of a schema and of a record`() throws {
    let page = try ProjectFiles.lines(Self.page).joined(separator: "\n")
    let source = try ProjectFiles.lines("Sources/DaybookStore/Errors/StoreError.swift")
    for type in ["enum SchemaProblem", "struct ValidationProblem"] {
      let start = try #require(source.firstIndex { $0.contains("public \(type)") })
      let cases = source[start...].prefix { $0 != "}" }.compactMap { line -> Substring? in
        guard let word = line.firstRange(of: "  case ") else { return nil }
        return line[word.upperBound...].prefix { $0.isLetter }
      }
      #expect(cases.count > 5)
      for name in cases {
        #expect(page.contains("`\(name)`"), "the page does not name \(name)")
      }
    }
    let limits = ["4,096", "64", "16", "1,024", "1,024", "256"]
    #expect(SchemaLimit.allCases.map(\.maximum) == limits.map { Int($0.filter(\.isNumber)) })
    for limit in limits { #expect(page.contains("| \(limit) |")) }
  }

  // MARK: Examples

  @Test func `a property of a nested value is saved, and a property without a name is not`()
    async throws
  {
    let store = try Store.inMemory(records: Volume.self)
    var book = Volume(title: "Emma", pages: 474, isSelected: true)
    book.size = Size(width: 12, height: 20)
    try await store.write { [book] in try $0.insert(book) }
    let saved = try store.object(Volume.self, id: book.id)
    #expect(saved?.title == "Emma" && saved?.pages == 474)
    #expect(saved?.size.width == 12 && saved?.size.height == 0 && saved?.isSelected == false)
  }

  @Test func `a type with a raw value identifies records`() async throws {
    let store = try Store.inMemory(records: Edition.self)
    let id = ISBN(rawValue: "978-0-14-143958-7")
    try await store.write { try $0.insert(Edition(id: id, year: 2003)) }
    #expect(try store.object(Edition.self, id: id)?.year == 2003)
    #expect(try store.fetch(Edition.self).map(\.id) == [id])
    #expect(store.snapshot.entities[0].identifierKind == .string)
    #expect(try store.snapshot.object("Edition", id: .string(id.rawValue)) != nil)
  }

  @Test func `each type of attribute keeps its value`() async throws {
    let store = try Store.inMemory(records: Track.self)
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let serial = UUID()
    let track = Track(
      id: 1, isNew: true, plays: -7, gain: 0.5, price: Decimal(3) / 2, title: "So What",
      released: date, serial: serial, cover: Data([1, 2]), page: URL(string: "https://a.org"),
      genres: ["jazz", "modal"])
    try await store.write { try $0.insert(track) }
    let saved = try #require(try store.object(Track.self, id: 1))
    #expect((saved.isNew, saved.plays, saved.gain, saved.title) == (true, -7, 0.5, "So What"))
    #expect(saved.price == Decimal(3) / 2 && saved.released == date && saved.serial == serial)
    #expect(saved.cover == Data([1, 2]) && saved.page == URL(string: "https://a.org"))
    #expect(saved.genres == ["jazz", "modal"])
    // An equal value is no change.
    try await store.write { try $0.update(Track.self, id: 1) { $0.plays = -7 } }
    #expect(store.snapshot.sequence == 1)
  }

  @Test func `a default is for earlier records, and a required value for all`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("members.daybook")
      let old = try Store(at: path, records: MemberName.self)
      try await old.write { try $0.insert(MemberName(id: 7, name: "Old")) }
      try await old.close()
      #expect(throws: StoreError.self) { try Store(at: path, records: Member.self) }
    }
    let store = try Store.inMemory(records: Member.self, MemberName.self)
    let error = await #expect(throws: StoreError.self) {
      try await store.write { try $0.insert(Member(id: 1, name: "Ada")) }
    }
    #expect(
      error?.description
        == "store in memory: Member 1 has no email, which is required. Nothing was saved.")
  }

  @Test func `the change of a record that violates a new rule is checked`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("old.daybook")
      let old = try Store(
        at: path, records: OldMember.self, OldAccount.self, OldNovel.self, Author.self, Cover.self)
      try await old.write { context in
        try context.insert(OldMember(id: 1))
        try context.insert(OldAccount(id: 1, email: "a@b.org", team: "red"))
        try context.insert(OldAccount(id: 2, email: "a@b.org", team: "blue"))
        try context.insert(OldNovel(id: 1, author: Reference(9)))
        try context.insert(Cover(id: 1))
      }
      try await old.close()
      let store = try Store(
        at: path, records: Member.self, Account.self, Novel.self, Author.self, Cover.self,
        Chapter.self)
      #expect(
        store.openingReport.violations.map { "\($0)" }.sorted() == [
          "Account 2 has the same email as Account 1",
          "Member 1 has no email, which is required",
          "author of Novel 1 refers to Author 9, which does not exist",
        ])
      func problem(_ body: @escaping @Sendable (EditingContext) throws -> Void) async -> String {
        do { try await store.write { try body($0) } } catch { return "\(error)" }
        return "saved"
      }
      let member = await problem { try $0.update(Member.self, id: 1) { $0.name = "Ada" } }
      #expect(member == "\(path): Member 1 has no email, which is required. Nothing was saved.")
      let account = await problem { try $0.update(Account.self, id: 2) { $0.nickname = "bo" } }
      #expect(
        account == "\(path): Account 2 has the same email as Account 1. Nothing was saved.")
      // A reference is checked only if the save sets it.
      let novel = await problem { try $0.update(Novel.self, id: 1) { $0.cover = Reference(1) } }
      #expect(novel == "saved")
      let mended = await problem {
        try $0.update(Member.self, id: 1) { $0.email = "ada@b.org" }
      }
      #expect(mended == "saved")
      try await store.close()
    }
  }

  @Test func `a newer case of an enumeration is read as the substitute`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("clients.daybook")
      let newer = try Store(at: path, records: NewerClient.self)
      try await newer.write { try $0.insert(NewerClient(id: 1, status: .lost)) }
      try await newer.close()
      let store = try Store(at: path, records: Client.self)
      try await store.write {
        try $0.update(Client.self, id: 1) { $0.home = Address(street: "Main", city: "Ems") }
      }
      let client = try store.object(Client.self, id: 1)
      #expect(client?.status == .other && client?.home?.city == "Ems")
      #expect(try store.snapshot.object("Client", id: .int(1))?["status"] == .string("lost"))
      try await store.close()
    }
  }

  @Test func `the problems of a save on the page are those of the examples`() async throws {
    let page = try ProjectFiles.lines(Self.page).joined(separator: "\n")
    let store = try Store.inMemory(
      records: Novel.self, Author.self, Cover.self, Chapter.self, Account.self)
    try await store.write { context in
      try context.insert(Author(id: 1))
      try context.insert(Cover(id: 1))
      try context.insert(Novel(id: 1, author: Reference(1), cover: Reference(1)))
      try context.insert(Account(id: 1, email: "a@b.org", team: "red", nickname: "ada"))
    }
    func problem(_ body: @escaping @Sendable (EditingContext) throws -> Void) async -> String {
      let error = await #expect(throws: StoreError.self) { try await store.write { try body($0) } }
      guard case .validation(let problems)? = error?.reason else { return "\(error, default: "")" }
      return problems.map { "\($0)" }.joined(separator: "; ")
    }
    let problems = [
      await problem { try $0.update(Novel.self, id: 1) { $0.author = Reference(9) } },
      await problem { try $0.insert(Account(id: 2, team: "red", nickname: "ada")) },
      await problem { try $0.delete(Novel.self, id: 1) },
    ]
    #expect(
      problems == [
        "author of Novel 1 refers to Author 9, which does not exist",
        "Account 2 has the same team and nickname as Account 1",
        "Novel 1 cannot be deleted while its cover is set",
      ])
    for problem in problems { #expect(page.contains("`\(problem)`")) }
    // A record whose unique list contains nil is exempt.
    try await store.write {
      try $0.insert(Account(id: 3, team: "blue", nickname: "bo"))
      try $0.insert(Account(id: 4, team: "blue", nickname: "cy"))
    }
    #expect(try store.object(Account.self, where: \.email, is: "a@b.org")?.id == 1)
    // The author's deletion would delete the novel, whose cover denies it.
    let denied = await problem { try $0.delete(Author.self, id: 1) }
    #expect(denied == "Novel 1 cannot be deleted while its cover is set")
  }

  @Test func `the changed schema reads the records of the earlier one`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("people.daybook")
      let old = try Store(at: path, records: Contact.self)
      try await old.write { context in
        try context.insert(Contact(id: 1, title: "Ada", age: "36", fax: "12"))
        try context.insert(Contact(id: 2, title: "Bo", age: "old"))
      }
      try await old.close()
      let store = try Store(at: path, records: Person.self)
      let people = try store.fetch(Person.self)
      #expect(people.map(\.name) == ["Ada", "Bo"] && people.map(\.age) == [36, nil])
      #expect(store.snapshot.entities[0].attributes.map(\.name) == ["name", "age"])
      try await store.close()
    }
  }

  @Test func `the example without a type changes a record by name`() async throws {
    let store = try Store.inMemory(records: Member.self, MemberName.self)
    try await store.write { try $0.insert(Member(id: 1, name: "Ada", email: "ada@b.org")) }
    // An update through the second type keeps the attributes of the first.
    try await store.write { try $0.update(MemberName.self, id: 1) { $0.name = "Ada K" } }
    var printed: [String] = []
    func print(_ parts: Any...) { printed.append(parts.map { "\($0)" }.joined(separator: " ")) }
    // The names begin.
    for entity in store.snapshot.entities {
      print(entity.name, entity.attributes.map { "\($0.name): \($0.type.name)" })
    }
    let context = store.makeContext()
    if var member = try context.object("Member", id: .int(1)) {
      print(member["name"] ?? .null)
      member.values[0] = .string("Ada King")
      try context.update(member)
    }
    try await context.save()
    // The names end.
    #expect(
      printed == [
        #"Member ["name: string", "email: string", "level: int64", "joined: date"]"#,
        "\(AttributeValue.string("Ada K"))",
      ])
    let member = try store.object(Member.self, id: 1)
    #expect(member?.name == "Ada King" && member?.email == "ada@b.org")
  }

  @Test func `the refused schema prints the sentence of the page`() throws {
    try TemporaryDirectory.with { directory in
      let path = directory.path("books.daybook")
      var printed: [String] = []
      func print(_ value: Any) { printed.append("\(value)") }
      // The refusal begins.
      do {
        _ = try Store(at: path, records: Broken.self)
      } catch {
        print(error)
      }
      // The refusal ends.
      let page = try ProjectFiles.lines(Self.page)
      let line = try #require(printed.first).replacing(path, with: "books.daybook")
      #expect(page.contains(line))
    }
  }
}
