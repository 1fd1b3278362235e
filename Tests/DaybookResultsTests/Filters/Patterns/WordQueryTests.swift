import DaybookStore
import Testing

@testable import DaybookResults
@testable import DaybookSimulation

@Suite struct `Searches for words` {
  private func words(_ text: String) -> [String] {
    WordQuery(text).words.map { String(decoding: $0, as: UTF8.self) }
  }

  private func isMatch(_ text: String, _ words: String) -> Bool {
    let bytes = FoldedText.bytes(of: text, options: WordQuery.options)
    return WordQuery(words).matches(bytes.span.bytes)
  }

  private func rank(_ text: String, _ words: String) -> UInt64 {
    let bytes = FoldedText.bytes(of: text, options: WordQuery.options)
    return WordQuery(words).rank(of: bytes.span.bytes)
  }

  @Test func `words are the longest runs of letters, numbers and marks, folded`() {
    #expect(words("") == [])
    #expect(words(" -,.;_'\"\n\t\u{0}😀€+\u{200C}\u{AD}") == [])
    #expect(words("Fus  ball") == ["fus", "ball"])
    #expect(
      words("don't stop-gap snake_case 3.14") == [
        "don", "t", "stop", "gap", "snake", "case", "3", "14",
      ])
    #expect(words("Straße CAFE\u{301} Éa Ａ") == ["strasse", "cafe", "ea", "ａ"])
    #expect(words("日本語、 テスト ½ Ⅻ x²") == ["日本語", "テスト", "½", "ⅻ", "x²"])
    // A vowel sign of Devanagari is a spacing mark. It continues a word.
    #expect(words("काम") == ["काम"])
    #expect(words("a b A a") == ["a", "b"])
  }

  @Test func `every scalar is part of a word, or separates words, by its category`() {
    for value in UInt32(0)..<0x30000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      #expect(
        WordCutter.isWord(scalar) == PlainWords.isWord(scalar), "U+\(String(value, radix: 16))")
      let text = Array("a\(scalar)b".utf8)
      text.withUnsafeBytes { text in
        var cutter = WordCutter()
        let first = cutter.next(in: text)
        #expect(first == 0..<(PlainWords.isWord(scalar) ? text.count : 1))
      }
    }
  }

  @Test func `bytes that are not UTF-8 separate words`() {
    let generator =
      [
        [0x61, 0xFF, 0x62], [0x61, 0xC3], [0x61, 0xE2, 0x82, 0x62], [0xF0, 0x9F, 0x61],
        [0xED, 0xA0, 0x80, 0x61], [0xC1, 0x81],
      ] as [[UInt8]]
    let expected = [[0..<1, 2..<3], [0..<1], [0..<1, 3..<4], [2..<3], [3..<4], []]
    for (bytes, ranges) in zip(generator, expected) {
      bytes.withUnsafeBytes { text in
        var cutter = WordCutter()
        var found: [Range<Int>] = []
        while let word = cutter.next(in: text) { found.append(word) }
        #expect(found == ranges, "\(bytes)")
      }
    }
  }

  @Test func `every word of the search is the start of a word, in any order`() {
    #expect(isMatch("Ballspiele: Fußball", "fus ball"))
    #expect(isMatch("Fußball", "FUSSB"))
    #expect(!isMatch("Fußball", "fus ball"))
    #expect(!isMatch("Fuß", "fuss ball"))
    #expect(!isMatch("Basketball", "ball"))
    #expect(isMatch("a ab", "a a ab"))
    #expect(isMatch("ab", "a ab"))
    #expect(isMatch("", "") && isMatch("x", " - "))
    #expect(!isMatch("", "a"))
  }

  @Test func `whole words, then early words, then short strings rank first`() {
    let inOrder = [
      "a", "a!", "a b", "a bc", "b a", "x b a", "x y z a", "ab", "abc", "b ab", "x",
    ]
    for (one, other) in zip(inOrder, inOrder.dropFirst()) {
      #expect(rank(one, "a") < rank(other, "a"), "\(one), \(other)")
    }
    #expect(rank("b", "a") == UInt64.max)
    #expect(WordQuery("a").rank(of: nil) == UInt64.max)
    #expect(WordQuery("-").rank(of: nil) == 0 && rank("abc", "") == 0)
    #expect(rank("zz ab a", "a") == 0x00_000002_00000007)
    #expect(rank("é x ab", "a e") == 0x01_000002_00000006)
    // The first of equal words counts.
    #expect(rank("x a a", "a") == 0x00_000001_00000005)
    let many = (0..<300).map { "w\($0)x" }.joined(separator: " ")
    let search = (0..<300).map { "w\($0)" }.joined(separator: " ")
    #expect(rank(many, search) >> 56 == 254)
  }

  @Test func `searches equal the model for hostile texts`() {
    let texts = HostileTexts.texts(600, seed: 11)
    var generator = SplitMix64(seed: 12)
    for _ in 0..<4000 {
      let pieces = (0..<(1 + generator.below(3))).map { _ in texts[generator.below(texts.count)] }
      let text = pieces.joined(separator: generator.below(2) == 0 ? " " : "-")
      var search = texts[generator.below(texts.count)]
      if generator.below(2) == 0 {
        let scalars = Array(text.unicodeScalars)
        let start = generator.below(scalars.count + 1)
        search = ""
        for scalar in scalars[start...].prefix(1 + generator.below(5)) {
          search.unicodeScalars.append(scalar)
        }
      }
      let model = PlainWords(search)
      #expect(isMatch(text, search) == (model.match(text) != nil), "\(text), \(search)")
      let other = texts[generator.below(texts.count)]
      let (rank, otherRank) = (rank(text, search), rank(other, search))
      let order = rank < otherRank ? -1 : rank > otherRank ? 1 : 0
      #expect(order == model.compare(text, other), "\(text), \(other), \(search)")
      #expect((rank == UInt64.max) == (model.match(text) == nil))
    }
  }
}

@Suite struct `Filters and sort keys for words` {
  @Test func `a filter for words is written in code and as text`() throws {
    let filter = Filter.matches(\Place.name, words: "fus ball")
    #expect(filter.description == #"name MATCHESWORDS "fus ball""#)
    #expect(try filter == Filter("name matcheswords %@", "fus ball"))
    #expect(
      Filter.matches(\Thing.place, at: \.name, words: "a").description
        == #"place.name MATCHESWORDS "a""#)
    #expect(
      Filter.any(of: \Place.tags).matches(words: "a").description == #"ANY tags MATCHESWORDS "a""#)
    #expect(FilterOperand.text(of: ["matchesWords"]) == "#matchesWords")
    #expect(
      "\(SortKey.bestMatch(\Place.name, words: "Fuß-Ball"))" == "name:words=fuss ball")
    var worst = SortKey.bestMatch(named: "place.name", words: "a")
    worst.isDescending = true
    #expect("\(worst)" == "place.name:words=a:desc")
    #expect(
      RecordSortKey<Thing>.bestMatch(\.place, at: \.name, words: "a").key
        == .bestMatch(\Thing.place, at: \.name, words: "a"))
    #expect(
      RecordSortKey<Thing>.bestMatch(\.name, words: "a").key
        == .bestMatch(named: "name", words: "a"))
    #expect(
      RecordSortKey<Thing>.bestMatch(Filter.at(\Thing.name), words: "a").key
        != .ascending(named: "name"))
  }

  @Test func `a search for words is for strings, and takes no options`() throws {
    let world = try FilterWorld([], [])
    func problem(_ text: String) throws -> String {
      do throws(FilterError) {
        _ = try world.matches(Filter(text))
        return "nothing"
      } catch { return "\(error)" }
    }
    #expect(try problem("name MATCHESWORDS 'a' AND link MATCHESWORDS 'b'") == "nothing")
    #expect(
      try problem("long MATCHESWORDS 'a'")
        == "filter, column 1: MATCHESWORDS compares strings; long (an int64) is not a string.")
    #expect(
      try problem("name MATCHESWORDS 5")
        == "filter, column 19: MATCHESWORDS compares strings; 5 is not a string.")
    #expect(
      try problem("name MATCHESWORDS[c] 'a'")
        == "filter, column 18: expected a value or a path, found '['.")
    #expect(
      try problem("words MATCHESWORDS 'a'")
        == "filter, column 1: words has several values; write ANY, ALL or NONE before it, or .@count after it."
    )
  }

  @Test func `only strings can be ranked by words`() throws {
    let store = try Store.inMemory(types: [Thing.self, Place.self])
    func problem(_ key: SortKey) -> String {
      do throws(RequestError) {
        _ = try ListRequest<Thing>(sortedBy: [key]).plan(store.snapshot.frozen.catalog)
        return "nothing"
      } catch { return "\(error)" }
    }
    #expect(problem(.bestMatch(\Thing.name, words: "a")) == "nothing")
    #expect(problem(.bestMatch(\Thing.link, words: "a")) == "nothing")
    #expect(
      problem(.bestMatch(\Thing.long, words: "a"))
        == "sorting by long: a search for words needs strings; the type is int64.")
    #expect(
      problem(.bestMatch(\Thing.words, words: "a"))
        == "sorting by words: a sort key needs a single value; the type [string] has several.")
    #expect(
      problem(.bestMatch(\Place.name, words: "a"))
        == "name is a property of Place, but the rows are of Thing.")
  }

  @Test func `nil matches no search, and a search without words matches every string`() throws {
    let world = try FilterWorld(
      [Thing(id: 1, note: nil), Thing(id: 2, note: ""), Thing(id: 3, note: "Fuß Ball")], [])
    #expect(try world.matches("note MATCHESWORDS 'fuss'") == [3])
    #expect(try world.matches("note MATCHESWORDS ''") == [2, 3])
    #expect(try world.matches("NOT note MATCHESWORDS '-'") == [1])
    #expect(try world.matches("note MATCHESWORDS nil") == [])
    #expect(try world.matches("'fuss ball' MATCHESWORDS name") == [1, 2, 3])
    #expect(try world.matches("note MATCHESWORDS name") == [2, 3])
  }

  @Test func `sections do not follow a sort key that ranks by words`() throws {
    let world = try FilterWorld(
      [Thing(id: 1, name: "b a"), Thing(id: 2, name: "a"), Thing(id: 3, name: "c")], [])
    let request = ListRequest<Thing>(
      sortedBy: [.bestMatch(\Thing.name, words: "a")], sectionedBy: .by(\Thing.name, each: .letter))
    let plan = try request.plan(world.snapshot.frozen.catalog)
    let shown = Projection(plan, of: world.snapshot.frozen).snapshot.shown
    #expect(shown.sections.map(\.name) == ["A", "B", "C"])
    let values = ListRequest<Thing>(
      sortedBy: [.bestMatch(\Thing.name, words: "a")], sectionedBy: .by(\Thing.name))
    let list = Projection(
      try values.plan(world.snapshot.frozen.catalog), of: world.snapshot.frozen)
    #expect(list.snapshot.shown.sections.map(\.name) == ["a", "b a", "c"])
  }
}
