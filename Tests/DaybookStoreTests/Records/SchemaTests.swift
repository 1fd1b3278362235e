import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Contradictory schemas` {
  private struct RenamedTwice: Record {
    var id = 0
    var first = "", second = ""
    static let schema = RecordSchema<RenamedTwice>("RenamedTwice")
      .attribute("first", at: \.first, renamedFrom: "name")
      .attribute("second", at: \.second, renamedFrom: "name")
  }
  private struct SameName: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<SameName>("SameName")
      .attribute("name", at: \.name).attribute("name", at: \.name)
  }
  private struct SameProperty: Record {
    var id = 0
    var name = "", other = ""
    static let schema = RecordSchema<SameProperty>("SameProperty")
      .attribute("name", at: \.name).attribute("other", at: \.other)
      .attribute("title", at: \.name)
  }
  private struct PlainReference: Record {
    var id = 0
    var other: Reference<Numbered>?
    static let schema = RecordSchema<PlainReference>("PlainReference")
      .attribute("other", at: \.other)
  }
  private struct PlainRequiredReference: Record {
    var id = 0
    var other = Reference<Numbered>(0)
    static let schema = RecordSchema<PlainRequiredReference>("PlainRequiredReference")
      .attribute("other", at: \.other)
  }
  private struct PlainReferences: Record {
    var id = 0
    var others: [Reference<Numbered>] = []
    static let schema = RecordSchema<PlainReferences>("PlainReferences")
      .attribute("others", at: \.others)
  }
  private struct CalledIdentifier: Record {
    var id = 0
    static let schema = RecordSchema<CalledIdentifier>("CalledIdentifier").attribute("id", at: \.id)
  }
  private struct Nameless: Record {
    var id = 0
    static let schema = RecordSchema<Nameless>("")
  }
  private struct NamelessAttribute: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<NamelessAttribute>("NamelessAttribute").attribute(
      "", at: \.name)
  }
  private struct Referring: Record {
    var id = 0
    var other: Reference<Numbered>?
    static let schema = RecordSchema<Referring>("Referring").reference("other", at: \.other)
  }
  private struct OneSided: Record {
    var id = 0
    var other: Reference<Numbered>?
    static let schema = RecordSchema<OneSided>("OneSided")
      .reference("other", at: \.other, inverse: "name")
  }
  private struct UniqueByNothing: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<UniqueByNothing>("UniqueByNothing")
      .unique(\.name).unsaved(\.name)
  }
  private struct UniqueByNoName: Record {
    var id = 0
    static let schema = RecordSchema<UniqueByNoName>("UniqueByNoName").unique()
  }
  private struct UniqueByArray: Record {
    var id = 0
    var names: [String] = []
    static let schema = RecordSchema<UniqueByArray>("UniqueByArray")
      .attribute("names", at: \.names).unique(\.names)
  }
  private struct IndexedByNothing: Record {
    var id = 0
    static let schema = RecordSchema<IndexedByNothing>("IndexedByNothing").indexed()
  }
  private struct IndexedByUnknown: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<IndexedByUnknown>("IndexedByUnknown")
      .indexed(\.id, \.name).unsaved(\.name)
  }
  private struct IndexedByArray: Record {
    var id = 0
    var names: [String] = []
    static let schema = RecordSchema<IndexedByArray>("IndexedByArray")
      .attribute("names", at: \.names).indexed(\.names)
  }
  private struct IndexedTwice: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<IndexedTwice>("IndexedTwice")
      .attribute("name", at: \.name).indexed(\.name, \.id, \.name)
  }
  private struct SearchableByUnknown: Record {
    var id = ""
    static let schema = RecordSchema<SearchableByUnknown>("SearchableByUnknown").searchable(\.id)
  }
  private struct SearchableNumber: Record {
    var id = 0
    var year = 0
    static let schema = RecordSchema<SearchableNumber>("SearchableNumber")
      .attribute("year", at: \.year).searchable(\.year)
  }
  private struct SearchableArray: Record {
    var id = 0
    var names: [String] = []
    static let schema = RecordSchema<SearchableArray>("SearchableArray")
      .attribute("names", at: \.names).searchable(\.names)
  }
  private struct Parent: Record {
    var id = 0
    var children: [Reference<Child>] = []
    static let schema = RecordSchema<Parent>("Parent")
      .references("children", at: \.children)
  }
  private struct Child: Record {
    var id = 0
    var parent: Reference<Parent>?
    static let schema = RecordSchema<Child>("Child")
      .reference("parent", at: \.parent)
  }

  @Test(
    arguments: [
      (
        [RenamedTwice.self],
        "RenamedTwice.first and RenamedTwice.second are both renamed from name."
      ),
      ([SameName.self], "SameName has two attributes named name."),
      (
        [SameProperty.self],
        """
        SameProperty.name and SameProperty.title have the same property. Declare one attribute for \
        each property.
        """
      ),
      (
        [PlainReference.self, Numbered.self],
        """
        PlainReference.other is a reference, but is declared with attribute(). Declare it with \
        reference() or owned().
        """
      ),
      (
        [PlainRequiredReference.self, Numbered.self],
        """
        PlainRequiredReference.other is a reference, but is declared with attribute(). Declare it \
        with reference() or owned().
        """
      ),
      (
        [PlainReferences.self, Numbered.self],
        """
        PlainReferences.others contains references, but is declared with attribute(). Declare it \
        with references() or owned().
        """
      ),
      (
        [CalledIdentifier.self],
        "an attribute of CalledIdentifier is named id, which is reserved for the identifier."
      ),
      ([Nameless.self], "an entity has no name."),
      ([NamelessAttribute.self], "an attribute of NamelessAttribute has no name."),
      (
        [Referring.self],
        "Referring.other refers to Numbered, but the store was not opened with Numbered."
      ),
      (
        [OneSided.self, Numbered.self],
        "the inverse of OneSided.other is declared as Numbered.name, which does not refer back to it."
      ),
      (
        [UniqueByNothing.self],
        #"unique() of UniqueByNothing names \UniqueByNothing.name, which is not an attribute of UniqueByNothing."#
      ),
      (
        [UniqueByNoName.self],
        "unique() of UniqueByNoName names no attribute. Name at least one attribute, or remove unique()."
      ),
      (
        [UniqueByArray.self],
        "unique() of UniqueByArray names names, which has several values."
      ),
      (
        [IndexedByNothing.self],
        "indexed() of IndexedByNothing names no attribute. Name at least one attribute, or remove indexed()."
      ),
      (
        [IndexedByUnknown.self],
        #"indexed() of IndexedByUnknown names \IndexedByUnknown.name, which is not an attribute of IndexedByUnknown."#
      ),
      (
        [IndexedByArray.self],
        "indexed() of IndexedByArray names names, which has several values."
      ),
      (
        [IndexedTwice.self],
        "indexed() of IndexedTwice names name twice. Name each attribute once."
      ),
      (
        [SearchableByUnknown.self],
        "searchable() of SearchableByUnknown names id, which is not an attribute of SearchableByUnknown."
      ),
      (
        [SearchableNumber.self],
        "searchable() of SearchableNumber names year, which is not a string."
      ),
      (
        [SearchableArray.self],
        "searchable() of SearchableArray names names, which is not a string."
      ),
    ] as [([any Record.Type], String)])
  func `opening a store with a contradictory schema fails with one error`(
    _ types: [any Record.Type], _ sentence: String
  ) throws {
    let disk = SimulatedDisk()
    let error = #expect(throws: StoreError.self) {
      try Store(at: "j", types: types, options: .simulated(disk))
    }
    #expect(error?.description == "j: \(sentence)")
    // No journal was created.
    #expect(disk.contents(of: "j") == nil)
  }

  private struct Parcel: Record {
    var id = 0
    var contents: [Reference<Thing>] = []
    static let schema = RecordSchema<Parcel>("Parcel").references("contents", at: \.contents)
  }
  private struct Thing: Record {
    var id = 0
    var parcel: Reference<Parcel>?
    static let schema = RecordSchema<Thing>("Thing")
      .reference("parcel", at: \.parcel, inverse: "contents")
  }

  @Test func `a schema that only a stored journal may have creates no journal`() throws {
    let disk = SimulatedDisk()
    let error = #expect(throws: StoreError.self) {
      try Store(at: "j", types: [Parcel.self, Thing.self], options: .simulated(disk))
    }
    #expect(
      error?.reason
        == .schema(
          .inverseIsAttribute(
            entity: "Thing", attribute: "parcel", target: "Parcel", inverse: "contents")))
    #expect(disk.contents(of: "j") == nil)
  }

  @Test func `two types that refer to each other are valid`() throws {
    let store = try Store.inMemory(records: Parent.self, Child.self)
    let context = store.makeContext()
    try context.insert(Parent(id: 1, children: [Reference(2)]))
    try context.insert(Child(id: 2, parent: Reference(1)))
    try context.saveAndWait()
    let child = try store.snapshot.object(Child.self, id: 2)
    #expect(try store.snapshot.object(child?.parent)?.children == [Reference(2)])
  }

  @Test func `opening a journal with incompatible types leaves it unchanged`() throws {
    struct Texts: Record {
      var id = "?"
      static let schema = RecordSchema<Texts>("Numbered")
    }
    struct Otherwise: Record {
      var id = 0
      var name = 0
      static let schema = RecordSchema<Otherwise>("Numbered").attribute("name", at: \.name)
    }
    let disk = SimulatedDisk()
    let store = try Store(at: "j", types: [Numbered.self], options: .simulated(disk))
    let context = store.makeContext()
    try context.insert(Numbered(id: 1, name: "12"))
    try context.saveAndWait()
    try store.closeAndWait()
    let before = disk.contents(of: "j")
    var error = #expect(throws: StoreError.self) {
      try Store(at: "j", types: [Texts.self], options: .simulated(disk))
    }
    #expect(
      error?.description == """
        j: the type of the identifier of Numbered is int in the journal, but string in the schema. \
        The journal was not changed.
        """)
    error = #expect(throws: StoreError.self) {
      try Store(at: "j", types: [Otherwise.self], options: .simulated(disk))
    }
    #expect(
      error?.description == """
        j: the type of Numbered.name is string in the journal, but int64 in the schema. Declare a \
        converter for the attribute. The journal was not changed.
        """)
    #expect(disk.contents(of: "j") == before)
  }
}

@Suite struct `The clock tick between two prototypes of a record type` {
  @Test func `the clock is read until its date changes`() {
    var readings = [1.0, 1, 1, 2, 3].map(Date.init(timeIntervalSinceReferenceDate:))[...]
    SchemaDeclaration.waitForClockTick { readings.removeFirst() }
    #expect(readings.map(\.timeIntervalSinceReferenceDate) == [3])
  }

  @Test func `waiting for a clock that does not advance ends`() {
    var readingCount = 0
    SchemaDeclaration.waitForClockTick {
      readingCount += 1
      return Date(timeIntervalSinceReferenceDate: 0)
    }
    #expect(readingCount == 100_001)
  }
}
