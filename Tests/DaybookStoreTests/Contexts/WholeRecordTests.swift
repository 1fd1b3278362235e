import DaybookJournal
import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@Suite struct `Changes of whole records` {
  private struct Note: Record, Equatable {
    var id = 0
    var title = ""
    var text = ""
    var stars = 0
    var code: String?
    static let schema = RecordSchema<Note>("Note")
      .attribute("title", at: \.title).attribute("text", at: \.text)
      .attribute("stars", at: \.stars).attribute("code", at: \.code)
  }

  /// A type that names two attributes of a note.
  private struct Title: Record, Equatable {
    var id = 0
    var title = ""
    var stars = 0
    static let schema = RecordSchema<Title>("Note")
      .attribute("title", at: \.title).attribute("stars", at: \.stars)
  }

  private let note = Note(id: 1, title: "one", text: "text", stars: 1, code: "a")

  /// Opens a store with a note, and returns a context of it.
  private func open() throws -> (store: Store, context: EditingContext) {
    let store = try Store.inMemory(types: [Note.self, Title.self])
    let context = store.makeContext(isolation: nil)
    try context.insert(note)
    try context.saveAndWait()
    return (store, context)
  }

  private func changedAttributes(_ store: Store) throws -> [String]? {
    try store.history(of: "Note", id: .int(1)).last?.change.changedAttributes.sorted()
  }

  // MARK: Updates

  @Test func `an update by value writes all attributes that the type names, and no other`() throws {
    let (store, context) = try open()
    let other = store.makeContext(isolation: nil)
    try other.update(Note.self, id: 1) { ($0.stars, $0.text) = (5, "new") }
    try other.saveAndWait()
    try context.mergeChanges()
    // The title has the stars that it was read with.
    try context.update(Title(id: 1, title: "two", stars: 1))
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Note.self) == [
        Note(id: 1, title: "two", text: "new", stars: 1, code: "a")
      ])
    #expect(try changedAttributes(store) == ["stars", "title"])
  }

  @Test func `an update from the original writes only the attributes that differ`() throws {
    let (store, context) = try open()
    let original = try #require(try context.object(Note.self, id: 1))
    let other = store.makeContext(isolation: nil)
    try other.update(Note.self, id: 1) { ($0.stars, $0.text) = (5, "new") }
    try other.saveAndWait()
    try context.mergeChanges()
    var edited = original
    (edited.title, edited.code) = ("two", nil)
    try context.update(edited, from: original)
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Note.self) == [
        Note(id: 1, title: "two", text: "new", stars: 5, code: nil)
      ])
    #expect(try changedAttributes(store) == ["code", "title"])
    // Without a difference, there is nothing to save.
    try context.update(original, from: original)
    #expect(!context.hasChanges)
  }

  @Test func `an update returns the result of its closure`() throws {
    let (_, context) = try open()
    let stars = try context.update(Note.self, id: 1) { note in
      note.stars += 1
      return note.stars
    }
    #expect(stars == 2)
    #expect(try context.update(Note.self, id: 1) { $0.code.take() } == "a")
    #expect(try context.object(Note.self, id: 1)?.code == nil)
    // A result that is not used causes no warning.
    try context.update(Note.self, id: 1) { $0.title.removeLast() }
  }

  @Test func `an update by value of a missing record changes nothing`() throws {
    let (_, context) = try open()
    let other = try Store.inMemory(types: [Title.self]).makeContext(isolation: nil)
    let missing = Note(id: 2)
    let problems = [
      sentence { try context.update(missing) },
      sentence { try context.update(missing, from: missing) },
      sentence { try context.update(missing, from: note) },
      sentence { try context.update(DynamicRecord("Note", id: .int(2), values: [])) },
      sentence { try other.update(note) },
      sentence { try other.upsert(note) },
      sentence { try context.upsert(DynamicRecord("Not", id: .int(2), values: [])) },
    ]
    #expect(
      problems == [
        "store in memory: Note 2 does not exist.",
        "store in memory: Note 2 does not exist.",
        """
        store in memory: an update set the identifier of Note 1 to 2, but an identifier cannot \
        change. The record was not changed. Insert a record with the new identifier and delete this \
        one.
        """,
        "store in memory: Note needs 4 attribute values, but the record has 0.",
        "store in memory: the store was not opened with the type Note. Add it to the types.",
        "store in memory: the store was not opened with the type Note. Add it to the types.",
        "store in memory: no entity 'Not'.",
      ])
    #expect(!context.hasChanges)
    try context.delete(note)
    #expect(sentence { try context.update(note) } == "store in memory: Note 1 does not exist.")
  }

  /// A note whose attributes are integers, so that a random set of them can be changed.
  private struct Wide: Record, Equatable {
    var id = 0
    var a = 0
    var b = 0
    var c = 0
    var d = 0
    static let schema = RecordSchema<Wide>("Wide")
      .attribute("a", at: \.a).attribute("b", at: \.b).attribute("c", at: \.c)
      .attribute("d", at: \.d)
    static var attributes: [(name: String, keyPath: WritableKeyPath<Wide, Int>)] {
      [("a", \.a), ("b", \.b), ("c", \.c), ("d", \.d)]
    }
  }

  @Test func `updates from originals conflict exactly where both change the same attribute`()
    throws
  {
    // Each of two contexts changes one of the sixteen sets of four attributes.
    for first in 0..<16 {
      for second in 0..<16 {
        let store = try Store.inMemory(types: [Wide.self])
        let contexts = [store.makeContext(isolation: nil), store.makeContext(isolation: nil)]
        let original = Wide(id: 1, a: 1, b: 2, c: 3, d: 4)
        try contexts[0].insert(original)
        try contexts[0].saveAndWait()
        try contexts[1].mergeChanges()
        var expected = original
        for (number, set) in [first, second].enumerated() {
          var edited = original
          for (index, attribute) in Wide.attributes.enumerated() where set >> index & 1 == 1 {
            edited[keyPath: attribute.keyPath] += 10 * (number + 1)
            expected[keyPath: attribute.keyPath] += 10 * (number + 1)
          }
          try contexts[number].update(edited, from: original)
        }
        try contexts[0].saveAndWait()
        let both = Wide.attributes.indices.filter { (first & second) >> $0 & 1 == 1 }
        if both.isEmpty {
          try contexts[1].saveAndWait()
          #expect(try store.snapshot.objects(Wide.self) == [expected], "\(first) and \(second)")
        } else {
          let names = both.map { Wide.attributes[$0].name }
          #expect(
            sentence { try contexts[1].saveAndWait() } == """
              store in memory: \(names.joined(separator: " and ")) of Wide 1 \
              \(both.count == 1 ? "was" : "were") changed both here and elsewhere. Nothing was saved.
              """)
        }
      }
    }
  }

  // MARK: Upserts

  @Test func `an upsert by the identifier inserts a record or updates the existing one`() throws {
    let (store, context) = try open()
    try context.upsert(Title(id: 2, title: "new", stars: 2))
    try context.upsert(Title(id: 1, title: "two", stars: 3))
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Note.self) == [
        Note(id: 1, title: "two", text: "text", stars: 3, code: "a"),
        Note(id: 2, title: "new", text: "", stars: 2, code: nil),
      ])
  }

  @Test func `an unknown value survives an upsert of its substitute`() throws {
    enum Taste: String, AttributeRepresentable { case sweet, other }
    struct Fruit: Record {
      var id = 0
      var taste = Taste.other
      static let schema = RecordSchema<Fruit>("Fruit")
        .attribute("taste", at: \.taste, unknown: .other)
    }
    let store = try Store.inMemory(types: [Fruit.self])
    let context = store.makeContext(isolation: nil)
    try context.insert(Fruit(id: 1))
    try context.setValue(.string("sour"), forKey: "taste", of: "Fruit", id: .int(1))
    func stored() throws -> AttributeValue {
      try context.value(forKey: "taste", of: "Fruit", id: .int(1))
    }
    try context.upsert(Fruit(id: 1, taste: .other))
    try context.update(Fruit(id: 1, taste: .other))
    try context.update(Fruit(id: 1, taste: .other), from: Fruit(id: 1, taste: .sweet))
    #expect(try stored() == .string("sour"))
    try context.update(Fruit(id: 1, taste: .sweet), from: Fruit(id: 1, taste: .other))
    #expect(try stored() == .string("sweet"))
  }

  @Test func `records without a type are updated and upserted by value`() throws {
    let (store, context) = try open()
    let original = try #require(try context.object("Note", id: .int(1)))
    var edited = original
    edited.values[0] = .string("two")
    try context.update(Note.self, id: 1) { $0.stars = 9 }
    try context.update(edited, from: original)
    #expect(try context.object(Note.self, id: 1)?.title == "two")
    #expect(try context.object(Note.self, id: 1)?.stars == 9)
    try context.update(edited)
    #expect(try context.object(Note.self, id: 1)?.stars == 1)
    edited.id = .int(2)
    try context.upsert(edited)
    try context.upsert(original)
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Note.self) == [
        note, Note(id: 2, title: "two", text: "text", stars: 1, code: "a"),
      ])
    #expect(
      sentence { try context.update(edited, from: original) } == """
        store in memory: an update set the identifier of Note 1 to 2, but an identifier cannot \
        change. The record was not changed. Insert a record with the new identifier and delete this \
        one.
        """)
  }

  // MARK: Histories

  @Test func `histories of whole records agree with a model`() throws {
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000)) {
      var random = SplitMix64(seed: seed)
      func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
      let store = try Store.inMemory(types: [Note.self, Title.self])
      let context = store.makeContext(isolation: nil)
      var (saved, model): ([Int: Note], [Int: Note]) = ([:], [:])
      for step in 0..<60 {
        let id = below(4)
        let known = model[id]
        let title = Title(id: id, title: "t\(below(3))", stars: below(3))
        var edited = Note(
          id: id, title: title.title, text: "x\(below(3))", stars: title.stars,
          code: below(2) == 0 ? nil : "c")
        let place = "seed \(seed), step \(step)"
        switch below(9) {
        case 0:
          #expect((try? context.update(edited)) != nil || known == nil, "\(place)")
          if known != nil { model[id] = edited }
        case 1:
          // The original may be a record that the context no longer has.
          let original = below(2) == 0 ? known ?? edited : Note(id: id, title: "t0", text: "x1")
          #expect((try? context.update(edited, from: original)) != nil || known == nil, "\(place)")
          guard known != nil else { continue }
          if edited.title != original.title { model[id]?.title = edited.title }
          if edited.text != original.text { model[id]?.text = edited.text }
          if edited.stars != original.stars { model[id]?.stars = edited.stars }
          if edited.code != original.code { model[id]?.code = edited.code }
        case 2, 3:
          // An upsert made twice equals one.
          for _ in 0...below(2) { try context.upsert(edited) }
          model[id] = edited
        case 4:
          for _ in 0...below(2) { try context.upsert(title) }
          edited = known ?? Note(id: id)
          (edited.title, edited.stars) = (title.title, title.stars)
          model[id] = edited
        case 5:
          if known != nil { try context.delete(Note.self, id: id) }
          model[id] = nil
        case 6: context.processPendingChanges()
        case 7:
          try context.saveAndWait()
          saved = model
        default:
          guard below(3) == 0 else { continue }
          try context.rollback()
          model = saved
        }
        #expect(try context.object(Note.self, id: id) == model[id], "\(place)")
      }
      let shown = try context.objects(Note.self).sorted { $0.id < $1.id }
      #expect(shown == model.values.sorted { $0.id < $1.id }, "seed \(seed)")
    }
  }
}
