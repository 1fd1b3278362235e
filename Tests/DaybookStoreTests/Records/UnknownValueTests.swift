import DaybookJournal
import DaybookSimulation
import DaybookStore
import DaybookText
import StoreTestSupport
import TestSupport
import Testing

/// A dish as a newer program writes it.
private struct NewDish: Record {
  var id = 0
  var taste = "sweet"
  var second: String?
  var tags: [String] = []
  var title = ""
  static let schema = RecordSchema<NewDish>("Dish")
    .attribute("taste", at: \.taste).attribute("second", at: \.second).attribute("tags", at: \.tags)
    .attribute("title", at: \.title)
}

private enum Taste: String, AttributeRepresentable { case sweet, sour, other }

extension Taste: ScalarRepresentable, ElementRepresentable {}

/// A dish of an older program without substitutes for unknown values.
private struct StrictDish: Record, Equatable {
  var id = 0
  var taste = Taste.sweet
  var second: Taste?
  var tags: [Taste] = []
  var title = ""
  static let schema = RecordSchema<StrictDish>("Dish")
    .attribute("taste", at: \.taste).attribute("second", at: \.second).attribute("tags", at: \.tags)
    .attribute("title", at: \.title)
}

/// A dish of an older program with substitutes for unknown values.
private struct Dish: Record, Equatable {
  var id = 0
  var taste = Taste.sweet
  var second: Taste?
  var tags: [Taste] = []
  var title = ""
  static let schema = RecordSchema<Dish>("Dish")
    .attribute("taste", at: \.taste, unknown: .other)
    .attribute("second", at: \.second, unknown: .some(nil))
    .attribute("tags", at: \.tags, unknown: [.other])
    .attribute("title", at: \.title)
}

/// Returns a disk with a journal written by a newer program.
private func journal() throws -> SimulatedDisk {
  let disk = SimulatedDisk()
  let store = try Store(at: "j", types: [NewDish.self], options: .simulated(disk))
  try store.insertAndWait(contentsOf: [
    NewDish(id: 1, taste: "umami", title: "one"),
    NewDish(id: 2, second: "umami", tags: ["sour", "umami"], title: "two"),
    NewDish(id: 3, taste: "sour", second: "sweet", tags: ["sour"], title: "three"),
  ])
  try store.closeAndWait()
  return disk
}

private func values(of id: Int64, in store: Store) throws -> [AttributeValue]? {
  try store.snapshot.object("Dish", id: .int(id))?.values
}

private let advice = """
  , which its Swift type cannot represent. The journal keeps the value. Declare a substitute with \
  unknown:, or set another value with setValue.
  """

/// An older program opens a journal with values of a newer program that its types cannot represent.
@Suite struct `Values that a type cannot represent` {
  @Test func `reading an unknown value throws if the schema declares no substitute`() throws {
    let store = try Store(at: "j", types: [StrictDish.self], options: .simulated(journal()))
    let context = store.makeContext()
    let one = #"j: taste of Dish 1 is "umami""# + advice
    #expect(sentence { _ = try store.snapshot.object(StrictDish.self, id: 1) } == one)
    #expect(sentence { _ = try store.snapshot.objects(StrictDish.self) } == one)
    #expect(sentence { _ = try context.object(StrictDish.self, id: 1) } == one)
    #expect(sentence { _ = try context.objects(StrictDish.self) } == one)
    #expect(sentence { try context.update(StrictDish.self, id: 1) { $0.taste = .sweet } } == one)
    #expect(
      sentence { try context.require(unchanged: StrictDish(id: 1), attributes: \.title) } == one)
    #expect(
      sentence { _ = try context.object(StrictDish.self, id: 2) }
        == #"j: second of Dish 2 is "umami""# + advice)
    #expect(
      try context.object(StrictDish.self, id: 3)
        == StrictDish(id: 3, taste: .sour, second: .sweet, tags: [.sour], title: "three"))
    #expect(throws: StoreError.self) { try context.object(StrictDish.self, id: 1) }
    #expect(!context.hasChanges)
  }

  @Test func `a record that cannot be read can be changed by name, and deleted`() throws {
    let store = try Store(at: "j", types: [StrictDish.self], options: .simulated(journal()))
    let context = store.makeContext()
    try context.setValue(.string("new"), forKey: "title", of: "Dish", id: .int(1))
    #expect(
      sentence { _ = try context.updatedObjects(StrictDish.self) }
        == #"j: taste of Dish 1 is "umami""# + advice)
    try context.saveAndWait()
    #expect(
      try values(of: 1, in: store) == [.string("umami"), .null, .array([]), .string("new")])
    try context.setValue(.string("sour"), forKey: "taste", of: "Dish", id: .int(1))
    #expect(
      try context.object(StrictDish.self, id: 1) == StrictDish(id: 1, taste: .sour, title: "new"))
    try context.delete(StrictDish.self, id: 2)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(StrictDish.self).map(\.id) == [1, 3])
  }

  @Test func `an update keeps an unknown value unless it assigns another value`() throws {
    let disk = try journal()
    let store = try Store(at: "j", types: [Dish.self], options: .simulated(disk))
    #expect(
      try store.snapshot.objects(Dish.self) == [
        Dish(id: 1, taste: .other, title: "one"),
        Dish(id: 2, tags: [.other], title: "two"),
        Dish(id: 3, taste: .sour, second: .sweet, tags: [.sour], title: "three"),
      ])
    #expect(store.openingReport.isEmpty)
    let context = store.makeContext()
    for id in 1...2 { try context.update(Dish.self, id: id) { $0.title = "new" } }
    try context.saveAndWait()
    #expect(
      try values(of: 1, in: store) == [.string("umami"), .null, .array([]), .string("new")])
    #expect(
      try values(of: 2, in: store) == [
        .string("sweet"), .string("umami"), .array([.string("sour"), .string("umami")]),
        .string("new"),
      ])
    // The value of init() is written like any other value.
    try context.update(Dish.self, id: 1) { $0.taste = .sweet }
    try context.update(Dish.self, id: 2) {
      $0.second = .sour
      $0.tags = []
    }
    try context.saveAndWait()
    #expect(
      try values(of: 1, in: store) == [.string("sweet"), .null, .array([]), .string("new")])
    #expect(
      try values(of: 2, in: store)
        == [.string("sweet"), .string("sour"), .array([]), .string("new")])
    #expect(
      try store.history(of: "Dish", id: .int(1)).map(\.change.changedAttributes)
        == [[], ["title"], ["taste"]])
    try store.closeAndWait()
  }

  @Test func `undoing an assignment restores the stored value`() throws {
    let store = try Store(at: "j", types: [Dish.self], options: .simulated(journal()))
    let context = store.makeContext()
    context.undoLimit = 5
    try context.update(Dish.self, id: 1) { $0.taste = .sour }
    try context.saveAndWait()
    try context.undo()
    try context.saveAndWait()
    #expect(try context.value(forKey: "taste", of: "Dish", id: .int(1)) == .string("umami"))
    #expect(try context.object(Dish.self, id: 1)?.taste == .other)
    try context.redo()
    #expect(try context.object(Dish.self, id: 1)?.taste == .sour)
  }

  @Test func `two writers of an unknown value conflict only if both assign the attribute`() throws {
    let store = try Store(at: "j", types: [Dish.self], options: .simulated(journal()))
    let (one, other) = (store.makeContext(), store.makeContext())
    let read = try #require(try one.object(Dish.self, id: 1))
    try one.update(Dish.self, id: 1) { $0.title = "new" }
    try one.require(unchanged: read, attributes: \.taste)
    try other.update(Dish.self, id: 1) { $0.tags = [.sour] }
    try other.saveAndWait()
    try one.saveAndWait()
    #expect(
      try values(of: 1, in: store)
        == [.string("umami"), .null, .array([.string("sour")]), .string("new")])
    try one.update(Dish.self, id: 1) { $0.taste = .sour }
    try other.setValue(.string("zest"), forKey: "taste", of: "Dish", id: .int(1))
    try other.saveAndWait()
    #expect(
      sentence { try one.saveAndWait() }
        == "j: taste of Dish 1 was changed both here and elsewhere. Nothing was saved.")
  }

  @Test func `a default that the type cannot represent is an unknown value of older records`()
    throws
  {
    struct FirstDish: Record {
      var id = 0
      var title = ""
      static let schema = RecordSchema<FirstDish>("Dish").attribute("title", at: \.title)
    }
    struct SecondDish: Record {
      var id = 0
      var title = ""
      var taste = "umami"
      static let schema = RecordSchema<SecondDish>("Dish")
        .attribute("title", at: \.title).attribute("taste", at: \.taste)
    }
    struct StrictTaste: Record {
      var id = 0
      var taste = Taste.sweet
      static let schema = RecordSchema<StrictTaste>("Dish").attribute("taste", at: \.taste)
    }
    struct NamedTaste: Record {
      var id = 0
      var flavour = Taste.sweet
      static let schema = RecordSchema<NamedTaste>("Dish")
        .attribute("flavour", at: \.flavour, unknown: .other, renamedFrom: "taste")
    }
    let disk = SimulatedDisk()
    func open(_ type: any Record.Type) throws -> Store {
      try Store(at: "j", types: [type], options: .simulated(disk))
    }
    var store = try open(FirstDish.self)
    try store.insertAndWait(contentsOf: [FirstDish(id: 1)])
    try store.closeAndWait()
    store = try open(SecondDish.self)
    try store.insertAndWait(contentsOf: [SecondDish(id: 2, taste: "zest")])
    try store.closeAndWait()
    store = try open(StrictTaste.self)
    #expect(
      sentence { _ = try store.snapshot.object(StrictTaste.self, id: 1) }
        == #"j: taste of Dish 1 is "umami""# + advice)
    #expect(
      sentence { _ = try store.snapshot.object(StrictTaste.self, id: 2) }
        == #"j: taste of Dish 2 is "zest""# + advice)
    try store.closeAndWait()
    store = try open(NamedTaste.self)
    #expect(try store.snapshot.objects(NamedTaste.self).map(\.flavour) == [.other, .other])
    try store.closeAndWait()
  }

  @Test func `the opening report lists unknown values for which the schema has no substitute`()
    throws
  {
    struct CheckedDish: Record {
      var id = 0
      var taste = Taste.sweet
      static let schema = RecordSchema<CheckedDish>("Dish").attribute("taste", at: \.taste)
        .checkedAtOpening()
    }
    let disk = try journal()
    var store = try Store(at: "j", types: [StrictDish.self], options: .simulated(disk))
    #expect(
      store.openingReport.description == #"""
        taste of Dish 1 is "umami", which its Swift type cannot represent.
        second of Dish 2 is "umami", which its Swift type cannot represent.
        tags of Dish 2 is ["sour","umami"], which its Swift type cannot represent.
        """#)
    try store.closeAndWait()
    #expect(
      sentence { _ = try Store(at: "j", types: [CheckedDish.self], options: .simulated(disk)) }
        == #"""
        j: taste of Dish 1 is "umami", which its Swift type cannot represent. The journal was not changed. \#
        Open it with a schema without checkedAtOpening(), and correct the records.
        """#)
    store = try Store(at: "j", types: [NewDish.self], options: .simulated(disk))
    #expect(store.openingReport.isEmpty)
    try store.closeAndWait()
  }

  @Test func `two types of an entity declare the same substitute`() throws {
    struct OtherDish: Record {
      var id = 0
      var taste = Taste.sweet
      static let schema = RecordSchema<OtherDish>("Dish")
        .attribute("taste", at: \.taste, unknown: .sweet)
    }
    for type in [OtherDish.self, StrictDish.self] as [any Record.Type] {
      #expect(
        sentence { _ = try Store.inMemory(types: [Dish.self, type]) }.hasSuffix(
          """
          two record types declare Dish.taste differently. Its type, its default and its options \
          must be the same in both.
          """))
    }
  }

  @Test func `export and import keep unknown values`() throws {
    let disk = try journal()
    var store = try Store(at: "j", types: [Dish.self], options: .simulated(disk))
    let context = store.makeContext()
    try context.update(Dish.self, id: 1) { $0.title = "new" }
    try context.saveAndWait()
    var text: [UInt8] = []
    try TextJournal.export(store) { text += $0.withUnsafeBytes { [UInt8]($0) } }
    try store.closeAndWait()
    _ = try TextJournal.import(
      TextSource.bytes(text, path: "t"), to: "k", options: .simulated(disk))
    store = try Store(at: "k", types: [Dish.self], options: .simulated(disk))
    #expect(
      try values(of: 1, in: store) == [.string("umami"), .null, .array([]), .string("new")])
    #expect(try store.snapshot.object(Dish.self, id: 1)?.taste == .other)
    try store.closeAndWait()
  }
}
