import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Testing

@Suite struct `Stored properties that a schema does not name` {
  private struct Size { var width = 0, height = 0 }

  private struct Volume: Record {
    var id = 0
    var isNew = false
    var title = ""
    var pages: Int?
    var size = Size()
    var owner: Reference<Numbered>?
    var readers: [Reference<Numbered>] = []
    var note: Int16 = 0
    var isSelected = false
    let kind = "volume"
    var nothing: Void = ()
    var summary: String { title }
    static let partial = RecordSchema<Volume>("Volume")
      .attribute("title", at: \.title).attribute("width", at: \.size.width)
      .reference("owner", at: \.owner)
    static let schema = partial.attribute("isNew", at: \.isNew).attribute("pages", at: \.pages)
      .references("readers", at: \.readers).attribute("note", at: \.note)
      .unsaved(\.isSelected, \.kind)
  }

  @Test func `the properties without an attribute are listed`() {
    #expect(
      Volume.partial.unnamedProperties
        == ["isNew", "pages", "readers", "note", "isSelected", "kind"])
    #expect(
      Volume.partial.unsaved(\.isSelected, \.readers, \.size.height).unnamedProperties
        == ["isNew", "pages", "note", "kind"])
    #expect(Volume.schema.unnamedProperties == [])
    #expect(EveryType.schema.unnamedProperties == [])
  }

  private struct Computed: Record {
    var id = 0
    var text = ""
    var isSelected = false
    var number: Int {
      get { Int(text) ?? 0 }
      set { text = "\(newValue)" }
    }
    static let schema = RecordSchema<Computed>("Computed").attribute("number", at: \.number)
  }
  private struct Observed: Record {
    var id = 0
    var isSelected = false
    var text = "" { didSet { isSelected = true } }
    static let schema = RecordSchema<Observed>("Observed").attribute("text", at: \.text)
  }
  private struct ComputedIdentifier: Record {
    var name = ""
    var id: String {
      get { name }
      set { name = newValue }
    }
    static let schema = RecordSchema<ComputedIdentifier>("ComputedIdentifier")
  }
  private struct Mirrored: Record, CustomReflectable {
    var id = 0
    var isSelected = false
    var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .struct) }
    static let schema = RecordSchema<Mirrored>("Mirrored")
  }

  @Test func `nothing is listed if a key path may lead to any property`() {
    #expect(Computed.schema.unnamedProperties == [])
    #expect(Observed.schema.unnamedProperties == [])
    #expect(ComputedIdentifier.schema.unnamedProperties == [])
    #expect(Mirrored.schema.unnamedProperties == [])
    #expect(Volume.partial.unsaved(\.summary).unnamedProperties == [])
  }

  #if DEBUG
    private struct Draft: Record {
      var id = 0
      var title = ""
      var isSelected = false
      var place = 0
      static let schema = RecordSchema<Draft>("Draft").attribute("title", at: \.title)
    }

    @Test func `opening a store prints the properties once for each type`() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        for _ in 0..<2 { _ = try Store.inMemory(records: Draft.self, Numbered.self) }
      }
      #expect(
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self) == """
          Daybook: Draft has stored properties that its schema does not name, so they are never saved: \
          isSelected, place. Declare them as attributes, or with unsaved(\\.isSelected, \\.place).

          """)
    }
  #endif
}
