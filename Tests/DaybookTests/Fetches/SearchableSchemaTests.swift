import Daybook
import DaybookTesting
import StoreTestSupport
import Testing

private struct PlainNote: Record {
  var id = 0
  var title = ""
  var number = 0

  static let schema = RecordSchema<PlainNote>("Note")
    .attribute("title", at: \.title).attribute("number", at: \.number)
}

private struct SearchableNote: Record {
  var id = 0
  var title = ""

  static let schema = RecordSchema<SearchableNote>("Note")
    .attribute("title", at: \.title).searchable(\.title)
}

/// The title is renamed, and the number is converted to a string.
private struct RenamedNote: Record {
  var id = 0
  var heading: String?
  var number = ""

  static let schema = RecordSchema<RenamedNote>("Note")
    .attribute("heading", at: \.heading, renamedFrom: "title")
    .attribute("number", at: \.number, converting: { (number: Int) in "number \(number)" })
    .searchable(\.heading).searchable(\.number)
}

@Suite struct `Searchable attributes of a schema` {
  /// The access, and the identifiers of the records that a search finds.
  private func search<R: Record>(
    _ name: String, for words: String, in store: Store, as type: R.Type
  ) throws -> (FetchPlan.Access, [R.ID]) {
    let request = ListRequest<R>(
      filter: try Filter("\(name) MATCHESWORDS '\(words)'"),
      sortedBy: [SortKey.ascending(named: "id")])
    return (try store.plan(for: request).access, Array(try store.fetch(request).identifiers))
  }

  @Test func `a declaration is of the program and not of the journal`() throws {
    let disk = SimulatedDisk()
    func open(_ types: any Record.Type...) throws -> Store {
      try Store(at: "j", types: types, options: .simulated(disk))
    }
    var store = try open(PlainNote.self)
    _ = try store.insertAndWait(
      contentsOf: (0..<20).map { PlainNote(id: $0, title: "Title \($0)", number: $0) })
    #expect(try search("title", for: "7", in: store, as: PlainNote.self) == (.scan, [7]))
    try store.closeAndWait()
    let before = disk.contents(of: "j")
    for _ in 0..<2 {
      store = try open(SearchableNote.self)
      let found = try search("title", for: "7", in: store, as: SearchableNote.self)
      #expect(found == (.words(["title"]), [7]))
      try store.closeAndWait()
      #expect(disk.contents(of: "j") == before)
    }
    // One of two types of the entity declares the attribute.
    store = try open(PlainNote.self, SearchableNote.self)
    #expect(
      try search("title", for: "7", in: store, as: PlainNote.self) == (.words(["title"]), [7]))
    try store.closeAndWait()
    store = try open(PlainNote.self)
    #expect(try search("title", for: "7", in: store, as: PlainNote.self) == (.scan, [7]))
    try store.closeAndWait()
    store = try open(RenamedNote.self)
    #expect(
      try search("heading", for: "7", in: store, as: RenamedNote.self)
        == (.words(["heading"]), [7]))
    #expect(
      try search("number", for: "num 12", in: store, as: RenamedNote.self)
        == (.words(["number"]), [12]))
    let context = store.makeContext()
    try context.update(RenamedNote.self, id: 7) { $0.heading = nil }
    try context.saveAndWait()
    #expect(
      try search("heading", for: "7", in: store, as: RenamedNote.self) == (.words(["heading"]), []))
    try store.closeAndWait()
  }
}
