import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Testing

/// A program can make an identifier without `RecordIdentifier.init(_:)`, which normalizes.
@Suite struct `Identifiers in different Unicode normal forms` {
  private struct Spelling: RecordIdentifying {
    var text: String
    static let _identifierKind = IdentifierKind.string
    var recordIdentifier: RecordIdentifier { .string(text) }

    init(_ text: String) { self.text = text }

    init?(_ identifier: RecordIdentifier) {
      guard case .string(let text) = identifier else { return nil }
      self.text = text
    }
  }

  private struct Word: Record {
    var id = Spelling("")
    var name = ""
    var next: Reference<Word>?
    static let schema = RecordSchema<Word>("Word").attribute("name", at: \.name).reference(
      "next", at: \.next, whenTargetDeleted: .nullify)
  }

  @Test func `all Unicode spellings of an identifier denote one record`() throws {
    let (composed, decomposed) = (Spelling("\u{e9}"), Spelling("e\u{301}"))
    let disk = SimulatedDisk()
    let store = try Store(at: "j", types: [Word.self], options: .simulated(disk))
    let context = store.makeContext()
    try context.insert(Word(id: decomposed, name: "one", next: Reference(decomposed)))
    try context.saveAndWait()
    try context.update(Word.self, id: composed) { $0.name = "two" }
    try context.saveAndWait()
    try context.update(Word.self, id: decomposed) { $0.name = "three" }
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Word.self).map(\.name) == ["three"])
    try context.delete(Word.self, id: decomposed)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Word.self).isEmpty)
    try store.closeAndWait()
    let again = try Store(at: "j", types: [Word.self], options: .simulated(disk))
    #expect(try again.snapshot(at: 3).objects(Word.self).map(\.name) == ["three"])
    try again.closeAndWait()
  }
}
