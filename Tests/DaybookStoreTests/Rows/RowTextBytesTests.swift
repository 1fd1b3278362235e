import DaybookSimulation
import DaybookStore
import FoundationEssentials
import TestSupport
import Testing

@Suite("Strings in rows") struct RowTextBytesTests {
  private func areEqual(_ one: String, _ other: String) -> Bool {
    RowText.areEqual(Array(one.utf8).span.bytes, and: Array(other.utf8).span.bytes)
  }

  @Test func `three characters outside of ASCII have an ASCII normal form`() {
    var singletons: [[UInt8]] = []
    for number in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(number) else { continue }
      let text = String(Character(scalar))
      guard let first = NormalizedText.bytes(of: text).first, first < 0x80 else { continue }
      singletons.append(Array(text.utf8))
    }
    #expect(singletons == RowText.characterSingletons.map(\.character))
  }

  @Test func `strings in rows are equal as attribute values are`() {
    var generator = SplitMix64(seed: 5)
    let pieces = [
      "K", "\u{212A}", ";", "\u{37E}", "`", "\u{1FEF}", "a", "k", "\u{E9}", "e\u{301}", "\u{301}",
      "\u{2126}",
    ]
    func text() -> String {
      (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
    }
    for round in 0..<4_000 {
      let (one, other) = (text(), text())
      #expect(
        areEqual(one, other) == (AttributeValue.string(one) == .string(other)),
        "round \(round): \(one.unicodeScalars), \(other.unicodeScalars)")
    }
    #expect(areEqual("K;`", "\u{212A}\u{37E}\u{1FEF}") && areEqual("\u{212A}", "K"))
    #expect(!areEqual("K", "\u{212A}\u{301}") && !areEqual("KK", "\u{212A}"))
  }

  @Test func `assigning another spelling of a string changes nothing`() async throws {
    let store = try Store.inMemory(records: Unit.self)
    try await store.write { try $0.insert(Unit(id: 1, name: "K")) }
    try await store.write { try $0.update(Unit.self, id: 1) { $0.name = "\u{212A}" } }
    #expect(store.snapshot.sequence == 1)
  }

  private struct Unit: Record {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Unit>("Unit").attribute("name", at: \.name)
  }
}
