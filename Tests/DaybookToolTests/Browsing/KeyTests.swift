import DaybookTesting
import Testing

@testable import DaybookTool

/// The keys of a terminal.
@Suite struct `Keys of a terminal` {
  private static let known: [(bytes: String, key: Key)] = [
    ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[1;5C", .right), ("\u{1B}[D", .left),
    ("\u{1B}[H", .home), ("\u{1B}[4~", .end), ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown),
    ("\t", .tab), ("\u{1B}[Z", .backTab), ("\r", .enter), ("\u{7F}", .backspace),
    ("\u{1B}[3~", .delete), ("\u{3}", .control("c")), ("a", .character("a")),
    ("é", .character("é")), ("漢", .character("漢")), ("🙂", .character("🙂")),
  ]

  @Test func `keys are the same if their bytes arrive one by one`() {
    let bytes = Self.known.flatMap { Array($0.bytes.utf8) }
    var decoder = KeyDecoder()
    let together = decoder.keys(of: bytes)
    #expect(together == Self.known.map(\.key))
    #expect(!decoder.isWaiting)
    var found: [Key] = []
    for byte in bytes { found += decoder.keys(of: [byte]) }
    #expect(found == together)
  }

  @Test func `Esc is a key if no byte follows it`() {
    var decoder = KeyDecoder()
    var found = decoder.keys(of: [0x1B])
    #expect(found == [])
    #expect(decoder.isWaiting)
    found = decoder.flush()
    #expect(found == [.escape])
    found = decoder.keys(of: [0x1B, UInt8(ascii: "x")])
    #expect(found == [.escape, .character("x")])
    found = decoder.keys(of: "\u{1B}[".utf8)
    #expect(found == [])
    found = decoder.flush()
    #expect(found == [.escape, .character("[")])
  }

  @Test func `bytes that are no key are ignored`() {
    var decoder = KeyDecoder()
    var found = decoder.keys(of: [0xFF, 0x80, 0xC3, 0x28, UInt8(ascii: "a")])
    #expect(found == [.character("("), .character("a")])
    found = decoder.keys(of: "\u{1B}[99~b".utf8)
    #expect(found == [.character("b")])
    found = decoder.keys(of: "\u{9B}c".utf8)
    #expect(found == [.character("c")])
    // A sequence that is too long is dropped.
    found = decoder.keys(of: Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 30))
    #expect(found == [])
    #expect(!decoder.isWaiting)
  }

  @Test func `random bytes never stay in the decoder`() {
    for seed: UInt64 in 1...200 {
      var random = SplitMix64(seed: seed)
      var decoder = KeyDecoder()
      let bytes = (0..<200).map { _ in
        [0x1B, 0x5B, 0x4F, UInt8(truncatingIfNeeded: random.next())][Int(random.next() % 4)]
      }
      _ = decoder.keys(of: bytes)
      _ = decoder.flush()
      #expect(!decoder.isWaiting)
      let found = decoder.keys(of: "q".utf8)
      #expect(found == [.character("q")])
    }
  }

  @Test func `a line is edited at its cursor`() {
    var line = LineEditor("one two")
    for key: Key in [.left, .left, .backspace, .character("T"), .home, .delete, .character("O")] {
      _ = line.apply(key)
    }
    #expect(line.contents == "One Two")
    #expect(line.position == 1)
    _ = line.apply(.end)
    let (first, second) = (line.apply(.control("w")), line.contents)
    #expect(first && second == "One ")
    let isCleared = line.apply(.control("u"))
    #expect(isCleared)
    #expect(line.contents == "")
    let isChanged = line.apply(.backspace)
    #expect(!isChanged)
    for character in "e\u{301}x" { _ = line.apply(.character(character)) }
    #expect(line.position == 2)
  }
}
