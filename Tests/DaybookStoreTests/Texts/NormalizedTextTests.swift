import DaybookSimulation
import Testing

@testable import DaybookStore

@Suite struct `Strings in normal form C` {
  @Test(
    arguments: [
      ("", ""), ("plain", "plain"), ("e\u{301}", "\u{E9}"), ("\u{E9}", "\u{E9}"),
      ("\u{212B}", "\u{C5}"), ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"),
      ("a\u{323}\u{307}", "\u{1EA1}\u{307}"), ("a\u{307}\u{323}", "\u{1EA1}\u{307}"),
      ("\u{958}", "\u{915}\u{93C}"), ("日本", "日本"),
    ])
  func `normalized strings have the bytes that Unicode defines`(_ text: String, _ expected: String)
  {
    #expect(NormalizedText.bytes(of: text) == Array(expected.utf8))
    #expect(NormalizedText.isNormal(text) == (Array(text.utf8) == Array(expected.utf8)))
    #expect(NormalizedText.isNormal(expected))
    #expect(NormalizedText.areEqual(text, and: expected))
  }

  @Test func `string equality is canonical and consistent with the sort order`() {
    var generator = SplitMix64(seed: 71)
    let pieces: [String] = [
      "a", "e", "\u{301}", "\u{E9}", "\u{323}", "\u{307}", "z", "\u{AC00}", "\u{11A8}", "日",
      "\u{1F600}", "\u{212B}", "\u{FB01}",
    ]
    let texts = (0..<120).map { _ in
      (0..<generator.next() % 5).map { _ in pieces[Int(generator.next() % UInt64(pieces.count))] }
        .joined()
    }
    var wrong: [String] = []
    for one in texts {
      for other in texts {
        let (ones, others) = (NormalizedText.bytes(of: one), NormalizedText.bytes(of: other))
        if NormalizedText.areEqual(one, and: other) != (one == other)
          || NormalizedText.areEqual(one, and: other) != (ones == others)
          || NormalizedText.isOrdered(one, before: other) != ones.lexicographicallyPrecedes(others)
        {
          wrong.append("\(one) and \(other)")
        }
      }
      #expect(NormalizedText.isNormal(NormalizedText.text(of: one)))
    }
    #expect(wrong == [])
  }

  @Test func `the sort order is defined where that of the standard library is not`() {
    #expect(NormalizedText.isOrdered("e\u{301}", before: "\u{E9}z"))
    #expect(!NormalizedText.isOrdered("\u{E9}z", before: "e\u{301}"))
  }
}
