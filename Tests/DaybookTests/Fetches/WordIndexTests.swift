import Daybook
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookResults

private struct Poem: Record, Equatable {
  var id = 0
  var title = ""
  var author: String?
  var year = 0

  static let schema = RecordSchema<Poem>("Poem")
    .attribute("title", at: \.title).attribute("author", at: \.author)
    .attribute("year", at: \.year).searchable(\.title).searchable(\.author)

  /// Poems with two words in the title. Each word is in every hundredth poem.
  static func many(_ count: Int) -> [Poem] {
    (0..<count).map { number in
      Poem(
        id: number, title: "Word\(100 + number % 100) other\(100 + number / 100 % 100)",
        author: number % 50 == 0 ? nil : "Author \(100 + number % 40)", year: number % 7)
    }
  }
}

@Suite struct `Indexes of words` {
  private func store(_ count: Int = 1000) throws -> Store {
    let store = try Store.inMemory(records: Poem.self)
    _ = try store.insertAndWait(contentsOf: Poem.many(count))
    return store
  }

  private func search(_ words: String) -> ListRequest<Poem> {
    ListRequest(
      filter: .matches(\Poem.title, words: words), sortedBy: [.bestMatch(\.title, words: words)])
  }

  /// The number of rows that a closure reads.
  private func readCount(_ store: Store, _ body: () throws -> Void) rethrows -> Int {
    let before = store.statistics.fetches
    try body()
    return store.statistics.fetches.since(before).readRowCount
  }

  @Test(
    arguments: [
      ("title MATCHESWORDS 'word107'", "words in title of Poem; 10 rows, sorted"),
      ("title MATCHESWORDS 'WORD107 other103'", "words in title of Poem; 1 row"),
      ("title MATCHESWORDS 'word107 nothing'", "words in title of Poem; 0 rows"),
      ("title MATCHESWORDS 'other'", "scan of 1000 records of Poem, filtered, sorted"),
      ("title MATCHESWORDS 'word'", "scan of 1000 records of Poem, filtered, sorted"),
      ("year == 3 AND title MATCHESWORDS 'word107'", "words in title of Poem; 10 rows, sorted"),
      // The search that leads to fewer rows is used.
      (
        "author MATCHESWORDS '107' AND title MATCHESWORDS 'word107'",
        "words in title of Poem; 10 rows, sorted"
      ),
      (
        "title MATCHESWORDS 'word107' OR author MATCHESWORDS '106'",
        "words in title, author of Poem; 35 rows, sorted"
      ),
      (
        "year == 1 AND title MATCHESWORDS 'word107' OR title MATCHESWORDS 'word108'",
        "words in title of Poem; 20 rows, sorted"
      ),
      (
        "year == 1 OR title MATCHESWORDS 'word107'",
        "scan of 1000 records of Poem, filtered, sorted"
      ),
      ("NOT title MATCHESWORDS 'word107'", "scan of 1000 records of Poem, filtered, sorted"),
      ("title MATCHESWORDS '-'", "scan of 1000 records of Poem, filtered, sorted"),
      ("id == 7 AND title MATCHESWORDS 'word107'", "identifier of Poem; 1 row"),
    ])
  func `a plan names the searchable attributes`(filter: String, text: String) throws {
    let store = try store()
    let request = ListRequest<Poem>(filter: try Filter(filter), sortedBy: [.ascending(\.year)])
    #expect(try "\(store.plan(for: request))" == text)
    #expect(try store.makeContext().plan(for: request) == store.plan(for: request))
  }

  @Test func `a search reads the records that match`() throws {
    let store = try store(8000)
    _ = try store.fetch(search("word107"))
    var found: [Int] = []
    #expect(try readCount(store) { found = try store.fetch(search("word107")).map(\.id) } == 80)
    #expect(found.count == 80)
    let count = try readCount(store) {
      found = try store.fetch(search("OTHER101 word107")).map(\.id)
    }
    #expect(count == 1)
    #expect(found == [107])
    #expect(try store.count(of: Poem.self, where: .matches(\Poem.title, words: "word107")) == 80)
  }

  @Test func `a context finds its unsaved changes by the words`() throws {
    let store = try store(8000)
    let context = store.makeContext()
    _ = try store.fetch(search("word107 other103"))
    try context.insert(Poem(id: 9000, title: "The Word107 and Other103"))
    try context.update(Poem.self, id: 307) { $0.title = "nothing" }
    try context.update(Poem.self, id: 5) { $0.title = "other103, word107" }
    let request = search("word107 other103")
    let before = try store.fetch(request).map(\.id)
    var found: [Int] = []
    #expect(try readCount(store) { found = try context.fetch(request).map(\.id) } < 100)
    #expect(found.prefix(1) == [5])
    #expect(Set(found) == Set(before).subtracting([307]).union([5, 9000]))
    #expect(try context.plan(for: request).access == .words(["title"]))
    #expect(try store.fetch(request).map(\.id) == before)
    try context.saveAndWait()
    #expect(try store.fetch(request).map(\.id) == found)
    #expect(try store.plan(for: request).access == .words(["title"]))
  }

  @Test func `words that are withdrawn before the save find nothing`() throws {
    let store = try store()
    let context = store.makeContext()
    _ = try store.fetch(search("fresh"))
    try context.update(Poem.self, id: 1) { $0.title = "fresh" }
    #expect(try context.fetch(search("fresh")).map(\.id) == [1])
    try context.update(Poem.self, id: 1) { $0.title = "Word101 other100" }
    try context.insert(Poem(id: 5000, title: "fresh"))
    #expect(try context.fetch(search("fresh")).map(\.id) == [5000])
    try context.delete(Poem.self, id: 5000)
    #expect(try context.fetch(search("fresh")).isEmpty)
    try context.update(Poem.self, id: 2) { $0.title = "fresh" }
    try context.rollback()
    try context.update(Poem.self, id: 3) { $0.title = "last" }
    try context.saveAndWait()
    for words in ["fresh", "word103"] {
      #expect(try context.fetch(search(words)).map(\.title).contains("fresh") == false)
      #expect(try store.fetch(search(words)).allSatisfy { $0.id != 3 })
    }
    #expect(try store.fetch(search("word101 other100")).map(\.id).first == 1)
  }

  @Test func `a moment that differs much from the present is scanned`() throws {
    let store = try store(3000)
    let request = search("word107")
    #expect(try store.plan(for: request).access == .words(["title"]))
    let context = store.makeContext()
    for id in 0..<1050 { try context.update(Poem.self, id: id) { $0.year += 1 } }
    try context.saveAndWait()
    #expect(try store.fetch(request).count == 30)
    let before = try store.snapshot(at: 2)
    let plan = try before.plan(for: request)
    #expect(
      "\(plan)" == """
        scan of 2000 records of Poem, filtered, sorted; the index title does not contain this moment
        """)
    #expect(try before.fetch(request).count == 20)
    try context.update(Poem.self, id: 7) { $0.title = "changed" }
    try context.saveAndWait()
    let near = try store.snapshot(at: store.snapshot.sequence - 1)
    #expect(try near.plan(for: request).access == .words(["title"]))
    #expect(try near.fetch(request).count == 30)
    #expect(try store.fetch(request).count == 29)
  }

  @Test func `a store that has used an index of words is deallocated`() throws {
    weak var state: FrozenState?
    weak var lost: Store?
    var kept: StoreSnapshot?
    do {
      let store = try store(10)
      lost = store
      state = store.snapshot.frozen
      #expect(try store.fetch(search("word107")).map(\.id) == [7])
      _ = try store.insertAndWait(contentsOf: [Poem(id: 10, title: "word107")])
      #expect(try store.fetch(search("word107")).map(\.id) == [10, 7])
      kept = store.snapshot
    }
    #expect(lost == nil)
    #expect(state == nil)
    #expect(try kept?.plan(for: search("word107")).access == .scan)
    #expect(try kept?.fetch(search("word107")).map(\.id) == [10, 7])
  }

  // MARK: Texts

  static let texts: [String?] = [
    nil, "", " ", "-", "\u{0}", "\u{301}", "a\u{301}", "á", "Straße", "STRASSE", "ſtraße",
    "İstanbul",
    "ISTANBUL", "ıstanbul", "ﬁre ﬂy", "fire", "日本語のテキスト", "日本", "😀 smile😀s", "a\u{200C}b",
    "don't", "3.14", "_x_", "Ⅷ ⅷ", "\u{1F1E9}\u{1F1EA}", "\u{FFFD}", "\u{10FFFF}x", "ab", "a b",
    "b a a a",
    "donaudampfschifffahrt", "donaudampfschiffbau", "donaudampfschiff", "donaudampfschif",
    String(repeating: "x", count: 100_000), String(repeating: "x", count: 100_000) + "y",
    String(repeating: "e\u{301}", count: 3000), String(repeating: "ab ", count: 50_000),
  ]

  @Test func `each text is found as by a scan with each text as the search`() throws {
    let store = try Store.inMemory(records: Poem.self)
    _ = try store.insertAndWait(
      contentsOf: Self.texts.enumerated().map { Poem(id: $0, author: $1) })
    let state = store.snapshot.frozen
    for words in Self.texts {
      let words = words ?? ""
      let request = ListRequest<Poem>(
        filter: .matches(\Poem.author, words: words),
        sortedBy: [.bestMatch(\.author, words: words)])
      let plan = try request.plan(state.catalog)
      let expected = Projection(plan, of: state).snapshot.identifiers
      let all = try RowAccess.all(for: request, in: state)
      for access in all {
        let found = try RequestSearch(request, in: state, by: access).snapshot.identifiers
        #expect(found == expected, "\(words.prefix(40))")
      }
      #expect(all.count == (WordQuery(words).isEmpty ? 1 : 2))
    }
  }

  // MARK: Segments

  @Test func `every record that matches a search is a candidate in each version`() throws {
    var segmentCountMax = 0
    for seed in 0..<UInt64(FaultRow.count(60, full: 2000, least: 8)) {
      var random = SplitMix64(seed: seed)
      let store = try Store.inMemory(records: Poem.self)
      let catalog = store.snapshot.frozen.catalog
      let entity = try #require(catalog.index(of: "Poem"))
      let index = try #require(WordIndex("author", of: entity, in: catalog, recentCountMax: 3))
      let context = store.makeContext()
      var held: [FrozenState] = []
      for _ in 0..<60 {
        for _ in 0...random.below(6) {
          let id = random.below(60)
          let words = (0..<random.below(3)).map { _ in "w\(random.below(30))" }
          let author = words.isEmpty ? nil : words.joined(separator: " ")
          if try context.object(Poem.self, id: id) == nil {
            try context.insert(Poem(id: id, author: author))
          } else if random.below(4) == 0 {
            try context.delete(Poem.self, id: id)
          } else {
            try context.update(Poem.self, id: id) { $0.author = author }
          }
        }
        context.processPendingChanges()
        if random.below(3) > 0 { try context.saveAndWait() }
        held.append(random.below(2) == 0 ? context.frozen : store.snapshot.frozen)
        for state in [store.snapshot.frozen, held[random.below(held.count)]] {
          let words = "w\(random.below(30))"
          let request = ListRequest<Poem>(
            filter: .matches(\Poem.author, words: words),
            sortedBy: [SortKey.ascending(named: "id")])
          let expected = Projection(try request.plan(catalog), of: state).snapshot.identifiers
          if state.rowCount(of: entity) == 0 { continue }
          let found = try #require(index.candidates(for: WordQuery(words), in: state))
          let slots = found.slots {
            $0 < state.state.tables[entity].slotCount
              && state.reader.row(inSlot: $0, of: entity).location != .none
          }
          let candidates = state.identifiers(ofSlots: slots, in: entity)
          #expect(Set(candidates).isSuperset(of: expected), "seed \(seed)")
          let counts = index.segmentCounts
          #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 > 2 * $1 }, "\(counts)")
          segmentCountMax = max(segmentCountMax, counts.count)
        }
      }
    }
    #expect(segmentCountMax > 2)
  }

  @Test func `after many changes a search reads few other records`() throws {
    let store = try store(4000)
    _ = try store.fetch(search("word107"))
    for round in 0..<40 {
      let context = store.makeContext()
      for number in 0..<100 {
        try context.update(Poem.self, id: (round * 100 + number) % 1000) {
          $0.title = "round\(round)"
        }
      }
      try context.saveAndWait()
      #expect(try store.fetch(search("round\(round)")).count == 100)
    }
    var found: [Int] = []
    let count = try readCount(store) { found = try store.fetch(search("word107")).map(\.id) }
    #expect(found.count == 30)
    // The recent slots are candidates of each search.
    #expect(count < 40 + 256)
  }
}
