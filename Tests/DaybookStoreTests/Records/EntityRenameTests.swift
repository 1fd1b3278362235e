import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookText
import StoreTestSupport
import TestSupport
import Testing
import TextTestSupport

@testable import DaybookStore

@Suite struct `Entities with new names` {
  struct Memo: Record, Equatable {
    var id = 0
    var title = ""
    var tag: Reference<Label>?
    static let schema = RecordSchema<Memo>("Memo")
      .attribute("title", at: \.title).reference("tag", at: \.tag).unique(\.title)
  }

  /// What memos refer to, and what refers to memos.
  struct Label: Record, Equatable {
    var id = ""
    var best: Reference<Memo>?
    var memos: [Reference<Memo>] = []
    static let schema = RecordSchema<Label>("Tag")
      .reference("best", at: \.best, whenTargetDeleted: .cascade).references("memos", at: \.memos)
  }

  struct Note: Record, Equatable {
    var id = 0
    var title = ""
    var tag: Reference<NoteLabel>?
    static let schema = RecordSchema<Note>("Note", renamedFrom: "Memo")
      .attribute("title", at: \.title).reference("tag", at: \.tag).unique(\.title)
  }

  struct NoteLabel: Record, Equatable {
    var id = ""
    var best: Reference<Note>?
    var memos: [Reference<Note>] = []
    static let schema = RecordSchema<NoteLabel>("Label", renamedFrom: "Tag")
      .reference("best", at: \.best, whenTargetDeleted: .cascade).references("memos", at: \.memos)
  }

  private static let old: [any Record.Type] = [Memo.self, Label.self]
  private static let new: [any Record.Type] = [Note.self, NoteLabel.self]

  private func open(_ types: [any Record.Type], on disk: SimulatedDisk, at path: String = "j")
    throws
    -> Store
  {
    try Store(at: path, types: types, options: .simulated(disk))
  }

  /// Returns a disk with a closed journal of three transactions, written under the old names.
  private func disk(mapping: Bool = false) throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.mapsFiles = mapping
    let store = try open(Self.old, on: disk)
    let context = store.makeContext()
    try context.insert(Memo(id: 1, title: "one", tag: Reference("a")))
    try context.insert(Memo(id: 2, title: "two"))
    try context.saveAndWait()
    try context.insert(Label(id: "a", best: Reference(1), memos: [Reference(2), Reference(1)]))
    try context.saveAndWait()
    try context.update(Memo.self, id: 2) { $0.title = "second" }
    try context.saveAndWait()
    try store.closeAndWait()
    return disk
  }

  private static let notes = [
    Note(id: 1, title: "one", tag: Reference("a")), Note(id: 2, title: "second"),
  ]
  private static let labels = [
    NoteLabel(id: "a", best: Reference(1), memos: [Reference(2), Reference(1)])
  ]

  /// Checks the records of the disk's journal under their new names, and what is found by indexes.
  private func check(_ store: Store, _ what: String) throws {
    let snapshot = store.snapshot
    #expect(try snapshot.objects(Note.self) == Self.notes, "\(what)")
    #expect(try snapshot.objects(NoteLabel.self) == Self.labels, "\(what)")
    #expect(try snapshot.objects(\NoteLabel.memos, of: Self.notes[0]) == Self.labels, "\(what)")
    #expect(try snapshot.objects(\Note.tag, of: Self.labels[0]) == [Self.notes[0]], "\(what)")
    #expect(try snapshot.object(Note.self, where: \.title, is: "second")?.id == 2, "\(what)")
    #expect(snapshot.entities.map(\.name) == ["Note", "Label"], "\(what)")
    #expect(snapshot.entities.map(\.earlierName) == ["Memo", "Tag"], "\(what)")
  }

  // MARK: Records

  @Test func `records, references and history belong to the new name`() throws {
    let disk = try disk()
    var store = try open(Self.new, on: disk)
    try check(store, "opened")
    #expect(
      store.openingReport.description == """
        the entity Memo was renamed to Note.
        the entity Tag was renamed to Label.
        """)
    #expect(try store.snapshot(at: 1).objects(Note.self).map(\.title) == ["one", "two"])
    #expect(try store.history(of: Note.self, id: 2).map(\.sequence) == [1, 3])
    #expect(throws: StoreError(.unknownEntity("Memo"), path: "j")) {
      try store.snapshot.objects("Memo")
    }
    let context = store.makeContext()
    try context.update(Note.self, id: 1) { $0.title = "first" }
    try context.saveAndWait()
    // The unique values of old and of new rows are found.
    try context.insert(Note(id: 3, title: "second"))
    #expect(
      sentence { try context.saveAndWait() }
        == "j: Note 3 has the same title as Note 2. Nothing was saved.")
    try context.rollback()
    try store.closeAndWait()
    store = try open(Self.new, on: disk)
    #expect(store.openingReport.isEmpty)
    #expect(try store.snapshot.objects(Note.self).map(\.title) == ["first", "second"])
    #expect(try store.history(of: Note.self, id: 1).map(\.change.entity) == ["Note", "Note"])
  }

  @Test func `delete rules follow references that were written under the old names`() throws {
    let store = try open(Self.new, on: try disk())
    let context = store.makeContext()
    try context.delete(Note.self, id: 1)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(NoteLabel.self) == [])
    #expect(try store.snapshot.objects(Note.self).map(\.id) == [2])
  }

  @Test func `checkpoints, compactions, texts, backups and salvages keep a new name`() throws {
    let disk = try disk(mapping: true)
    let options = JournalOptions.simulated(disk)
    func use(_ path: String, _ what: String) throws {
      let store = try open(Self.new, on: disk, at: path)
      try check(store, what)
      #expect(store.openingReport.isEmpty, "\(what): \(store.openingReport)")
      try store.closeAndWait()
    }
    let store = try open(Self.new, on: disk)
    let context = store.makeContext()
    try context.insert(Note(id: 3, title: "three"))
    try context.saveAndWait()
    try context.delete(Note.self, id: 3)
    try context.saveAndWait()
    try store.backup(to: "b")
    try store.closeAndWait()
    try use("b", "backup")
    var place = CheckpointPlace(disk: disk)
    place.path = "b"
    try Store(at: "b", types: Self.new, options: place.options).closeAndWait()
    let fromCheckpoint = try Store(at: "b", types: Self.new, options: place.options)
    #expect(fromCheckpoint.statistics.checkpoints?.openedFrom != nil)
    try check(fromCheckpoint, "checkpoint")
    try fromCheckpoint.closeAndWait()
    let desk = TextDesk(disk: disk)
    let text = try desk.exported()
    #expect(text.contains(#""Note":{"id":"int","renamedFrom":"Memo","attributes""#), "\(text)")
    try desk.importing(text, to: "t")
    #expect(try desk.exported("t") == text)
    try use("t", "text")
    try Store.salvage(from: "j", to: "s", options: options)
    try use("s", "salvage")
    try Store.compact(at: "j", options: options)
    try use("j", "compacted")
    #expect(try desk.exported().contains(#""renamedFrom":"Memo""#))
  }

  @Test func `a journal without new transactions keeps the old names`() throws {
    let disk = try disk()
    try open(Self.new, on: disk).closeAndWait()
    let store = try open(Self.old, on: disk)
    #expect(store.openingReport.isEmpty)
    #expect(try store.snapshot.objects(Memo.self).map(\.id) == [1, 2])
  }

  struct Page: Record, Equatable {
    var id = 0
    var title = ""
    static let schema = RecordSchema<Page>("Page", renamedFrom: "Note").attribute(
      "title", at: \.title)
  }

  struct MemoAgain: Record, Equatable {
    var id = 0
    var title = ""
    static let schema = RecordSchema<MemoAgain>("Memo", renamedFrom: "Page").attribute(
      "title", at: \.title)
  }

  @Test func `an entity can be renamed again and back`() throws {
    let disk = try disk(mapping: true)
    func save<R: Record>(_ types: [any Record.Type], _ record: R) throws {
      let store = try open(types, on: disk)
      let context = store.makeContext()
      try context.insert(record)
      try context.saveAndWait()
      try store.closeAndWait()
    }
    try save(Self.new, Note(id: 3, title: "three"))
    // The labels are not declared, and refer to the entity under its new names.
    try save([Page.self], Page(id: 4, title: "four"))
    var tool = try open([], on: disk)
    #expect(tool.snapshot.entities.map(\.name) == ["Page", "Label"])
    #expect(
      tool.snapshot.entities[1].attributes.compactMap(\.type.target?.entity) == ["Page", "Page"])
    try tool.closeAndWait()
    try save([MemoAgain.self], MemoAgain(id: 5, title: "five"))
    tool = try open([], on: disk)
    let titles = try tool.snapshot.objects("Memo").map { $0["title"] }
    #expect(
      titles == ["one", "second", "three", "four", "five"].map { AttributeValue.string($0) })
    #expect(try tool.snapshot(at: 1).objects("Memo").count == 2)
    let context = tool.makeContext()
    try context.delete("Memo", id: .int(1))
    try context.saveAndWait()
    #expect(try tool.snapshot.objects("Label") == [])
    try tool.closeAndWait()
    // A program with the second name renames it once more.
    let again = try open(Self.new, on: disk)
    #expect(again.openingReport.renamedEntities.map(\.to) == ["Note"])
    #expect(try again.snapshot.objects(Note.self).map(\.id) == [2, 3, 4, 5])
  }

  @Test func `a program that does not declare the renamed entity keeps the references to it`()
    throws
  {
    struct Plain: Record, Equatable {
      var id = 0
      var title = ""
      static let schema = RecordSchema<Plain>("Note", renamedFrom: "Memo").attribute(
        "title", at: \.title)
    }
    let disk = try disk()
    let store = try open([Plain.self], on: disk)
    let context = store.makeContext()
    try context.update(Plain.self, id: 2) { $0.title = "changed" }
    try context.saveAndWait()
    let tag = try #require(try store.snapshot.object("Tag", id: .string("a")))
    #expect(tag["memos"] == .array([.reference(.int(2)), .reference(.int(1))]))
    #expect(try store.snapshot.object("Note", id: .int(1))?["tag"] == .reference(.string("a")))
    let types = tag.definition?.attributes.map(\.type.name)
    #expect(types == ["ref:Note", "refs:Note"])
  }

  @Test func `a store that follows a journal sees a new name`() throws {
    let disk = try disk()
    let options = JournalOptions.simulated(disk)
    let tool = try Store(following: "j", types: [], options: options)
    let program = try Store(following: "j", types: Self.new, options: options)
    try check(program, "following with the new names")
    let outdated = try Store(following: "j", types: Self.old, options: options)
    let store = try open(Self.new, on: disk)
    let context = store.makeContext()
    try context.insert(Note(id: 3, title: "three"))
    try context.saveAndWait()
    #expect(try tool.catchUp() && program.catchUp())
    #expect(tool.snapshot.entities.map(\.name) == ["Note", "Label"])
    #expect(try program.snapshot.objects(Note.self) == Self.notes + [Note(id: 3, title: "three")])
    #expect(
      sentence { try outdated.catchUp() } == """
        j: Memo was renamed to Note in the journal, and no other entity can have its name. Declare \
        the entity as Note, or rename it with renamedFrom: "Note". The journal was not changed.
        """)
  }

  // MARK: Refusals

  @Test func `names that would belong to two entities are refused`() throws {
    struct Other: Record {
      var id = 0
      static let schema = RecordSchema<Other>("Tag", renamedFrom: "Memo")
    }
    struct Second: Record {
      var id = 0
      static let schema = RecordSchema<Second>("Page", renamedFrom: "Memo")
    }
    struct Differently: Record {
      var id = 0
      static let schema = RecordSchema<Differently>("Page", renamedFrom: "Text")
    }
    let disk = try disk()
    let before = disk.contents(of: "j")
    func refusal(_ types: any Record.Type...) -> String {
      sentence { _ = try open(types, on: disk) }
    }
    #expect(
      refusal(Other.self) == """
        j: Memo cannot be renamed to Tag, as both entities are in use. Leave out renamedFrom: "Memo", \
        and move the records in a migration step. The journal was not changed.
        """)
    #expect(
      refusal(Second.self, Memo.self, Label.self) == """
        j: Memo cannot be renamed to Page, as both entities are in use. Leave out renamedFrom: "Memo", \
        and move the records in a migration step. The journal was not changed.
        """)
    #expect(
      refusal(Second.self, Note.self, NoteLabel.self)
        == "j: Page and Note are both renamed from Memo.")
    #expect(
      refusal(Second.self, Differently.self) == """
        j: two record types declare Page, one renamed from Memo and one from Text. Declare the same \
        earlier name in both.
        """)
    let isSame = disk.contents(of: "j") == before
    #expect(isSame)
    let context = try open(Self.new, on: disk).makeContext()
    try context.insert(Note(id: 3))
    try context.saveAndWait()
    try context.store.closeAndWait()
    #expect(
      refusal(Memo.self, Label.self) == """
        j: Memo was renamed to Note in the journal, and no other entity can have its name. Declare \
        the entity as Note, or rename it with renamedFrom: "Note". The journal was not changed.
        """)
    #expect(
      sentence {
        _ = try Store(
          at: "j", entities: [EntityDefinition("Memo", identifiedBy: .int)],
          options: .simulated(disk))
      } == """
        j: Memo was renamed to Note in the journal, and no other entity can have its name. Declare \
        the entity as Note, or rename it with renamedFrom: "Note". The journal was not changed.
        """)
  }

  @Test func `a new journal may be created by a program with an earlier name`() throws {
    let disk = SimulatedDisk()
    let store = try open(Self.new, on: disk)
    let context = store.makeContext()
    try context.insert(Note(id: 1))
    try context.saveAndWait()
    #expect(store.snapshot.entities.map(\.earlierName) == [nil, nil])
    #expect(store.openingReport.isEmpty)
    try store.closeAndWait()
    #expect(try open(Self.new, on: disk).openingReport.isEmpty)
  }

  // MARK: Bytes

  private func payload(_ layouts: [Layout]) -> [UInt8] {
    PayloadWriter(layouts: PayloadLayouts(layouts), changeCount: 0).finish()
  }

  private func layout(
    _ number: UInt16, _ name: String, from earlierName: String? = nil,
    kind: IdentifierKind = .int
  ) -> Layout {
    Layout(
      number: number, of: EntityDefinition(name, renamedFrom: earlierName, identifiedBy: kind))
  }

  private func refusal(_ payloads: [[UInt8]]) throws -> StoreError? {
    try Audit.$isOff.withValue(true) {
      let journal = MemoryJournal()
      for payload in payloads { _ = try journal.appendAndWait(payload) }
      do throws(StoreError) {
        _ = try Store.inMemory(types: [], journal: journal)
        return nil
      } catch { return error }
    }
  }

  @Test func `a payload has version 3 if it contains a layout of a renamed entity`() throws {
    #expect(payload([layout(0, "A")])[0] == 1)
    var bytes = payload([layout(0, "A"), layout(1, "B", from: "A")])
    #expect(bytes[0] == 3)
    #expect(try refusal([bytes]) == nil)
    // A program that does not know version 3 refuses it; the flag is not allowed before.
    bytes[0] = 2
    let reason = try refusal([bytes])?.reason
    guard case .payload(1, _)? = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
  }

  @Test func `layouts that would give a name to two entities are refused`() throws {
    let cases: [([Layout], [Layout])] = [
      ([layout(0, "A"), layout(1, "B")], [layout(2, "B", from: "A")]),
      ([layout(0, "A"), layout(1, "B", from: "A"), layout(2, "C")], [layout(3, "A", from: "C")]),
      ([layout(0, "A")], [layout(1, "B", from: "A", kind: .uuid)]),
      ([layout(0, "A"), layout(1, "B", from: "A")], [layout(2, "A", kind: .uuid)]),
      ([layout(0, "A")], [layout(0, "A", from: "B")]),
    ]
    for (first, second) in cases {
      let what = "\(second.map(\.entity))"
      #expect(try refusal([payload(first)]) == nil, "\(what)")
      guard case .payload(2, _)? = try refusal([payload(first), payload(second)])?.reason else {
        Issue.record("\(what) in a transaction of its own")
        continue
      }
      guard case .payload(1, _)? = try refusal([payload(first + second)])?.reason else {
        Issue.record("\(what) in one transaction")
        continue
      }
    }
  }

  @Test func `a journal is read up to the limit of renames`() throws {
    func layouts(_ count: Int) -> [Layout] {
      (0...count).map {
        layout(UInt16($0), "Name\($0 % 3)", from: $0 == 0 ? nil : "Name\(($0 + 2) % 3)")
      }
    }
    let excess = SchemaExcess(.renames, of: "Name2", count: 257)
    #expect(
      "\(excess)" == "Name2 is rename number 257 of an entity; the limit is 256 in a journal.")
    #expect(try refusal([payload(layouts(256))]) == nil)
    #expect(try refusal([payload(layouts(257))])?.reason == .limit(excess, in: 1))
    let apart = try refusal([
      payload(layouts(256)), payload([layout(257, "Name2", from: "Name1")]),
    ])
    #expect(apart?.reason == .limit(excess, in: 2))
  }

  @Test func `the layouts of a renamed entity are stored as they were written`() throws {
    let (a, b) = (layout(0, "A"), layout(1, "B", from: "A"))
    let reference = EntityReference("A", identifierKind: .int)
    let c = Layout(
      number: 2,
      of: EntityDefinition(
        "C", identifiedBy: .int, attributes: [AttributeDefinition("a", type: .reference(reference))]
      ))
    for order in [[a, c, b], [a, b, c], [c, a, b]] {
      var catalog = Catalog()
      for layout in order { #expect(catalog.add(layout) == .new) }
      for layout in order { #expect(catalog.add(layout) == .known) }
      #expect(catalog.layouts.all == [a, b, c])
      #expect(catalog.layouts[2]?.entity.attributes[0].type.target?.entity == "B")
      #expect(catalog.layouts[0]?.entity.name == "B")
      #expect(catalog.index(of: "A") == nil && catalog.names.contains("B"))
      #expect(catalog.indexedName(of: "B") == "A" && catalog.indexedName(of: "C") == "C")
    }
  }
}
