import Daybook
import DaybookStore

/// A record with an index of the words in its title.
private struct Article: Record {
  var id = 0
  var title = ""

  static let schema = RecordSchema<Article>("Article")
    .attribute("title", at: \.title).searchable(\.title)
}

/// The same record without an index.
private struct PlainArticle: Record {
  var id = 0
  var title = ""

  static let schema = RecordSchema<PlainArticle>("Article").attribute("title", at: \.title)
}

/// The workload `searches`. It measures searches for two words in titles, with an index of words
/// and by scans.
///
/// A title has six words of a vocabulary of 50,000. As in natural languages, the frequency of a
/// word is inversely proportional to its rank: the second word is half as frequent as the first.
enum SearchWorkload {
  private static let wordCount = 6

  /// The words, the most frequent first.
  private static let vocabulary = (0..<50_000).map { rank in
    var stream = 0x0D1C_7104 &+ UInt64(rank)
    return RowGenerator.letters(4 + rank % 7, randomizedBy: &stream)
  }

  /// For each word, the sum of the frequencies up to it.
  private static let frequencySums = vocabulary.indices.reduce(into: [Double]()) { sums, rank in
    sums.append((sums.last ?? 0) + 1 / Double(rank + 1))
  }

  private static func title(_ id: Int) -> String {
    var stream = 0x5EED_7171 &+ UInt64(id) &* 0xD134_2543_DE82_EF95
    let sum = frequencySums[frequencySums.count - 1]
    return (0..<wordCount).map { _ in
      let frequency = Double(RowGenerator.next(&stream) >> 11) / Double(1 << 53) * sum
      var (low, high) = (0, frequencySums.count - 1)
      while low < high {
        let middle = (low + high) / 2
        if frequencySums[middle] < frequency { low = middle + 1 } else { high = middle }
      }
      return vocabulary[low]
    }.joined(separator: " ")
  }

  /// Pairs of ranks in the vocabulary. The first pairs have at most a thousand matches among a
  /// million titles.
  private static let fewMatches = [(0, 300), (1, 150), (3, 70), (8, 30), (15, 18)]
  private static let manyMatches = [(0, 1), (0, 5), (3, 8)]

  static func run(_ settings: Settings) throws -> [Measurement] {
    let scratch = try Scratch(in: settings.directory)
    defer { scratch.remove() }
    let rowCount = settings.rowCount
    try make(rowCount, at: scratch.path("articles"))
    func open(_ type: any Record.Type) throws -> Store {
      var options = JournalOptions()
      (options.durability, options.keepsCheckpoints) = (.none, false)
      return try Store(at: scratch.path("articles"), types: [type], options: options)
    }
    let plain = try open(PlainArticle.self)
    let scans = try searches(in: plain, as: PlainArticle.self, repetitionCount: 1)
    try plain.closeAndWait()
    let store = try open(Article.self)
    ProcessMemory.releaseFreeMemory()
    let memory = ProcessMemory.anonymousByteCount
    let sorting = sortingTime()
    let building = try processorTime {
      _ = try page(words(fewMatches[0]), in: store, as: Article.self)
    }
    ProcessMemory.releaseFreeMemory()
    let byteCount = ProcessMemory.anonymousByteCount - memory
    let found = try searches(in: store, as: Article.self, repetitionCount: settings.repetitionCount)
    let changed = try searchesAfterChanges(in: store, settings)
    try store.closeAndWait()
    func ratio(_ samples: [Measurement.Sample], to scans: [Measurement.Sample]) -> [Measurement
      .Sample]
    {
      samples.map { Measurement.Sample(ours: $0.ours, yardstick: scans[0].ours) }
    }
    let work =
      "first 20 of at most \(found.few.matchCount) matches of two words, \(rowCount) titles"
    let larger =
      "first 20 of at most \(found.many.matchCount) matches of two words, \(rowCount) titles"
    let sort = "sort of a million numbers"
    return [
      Measurement(
        work: work, yardstick: sort, unit: "search",
        promise: .within(5_000_000).ofAMillion(rowCount), samples: found.few.samples),
      Measurement(
        work: work, yardstick: "scan", unit: "search", promise: .none,
        samples: ratio(found.few.samples, to: scans.few.samples)),
      Measurement(
        work: larger, yardstick: "scan", unit: "search", promise: .none,
        samples: ratio(found.many.samples, to: scans.many.samples)),
      Measurement(
        work: "the first search after a change of one title, \(rowCount) titles", yardstick: sort,
        unit: "search", promise: .none, samples: changed),
      Measurement(
        work: "the first search, which builds the index", yardstick: sort, unit: "title",
        promise: .none,
        samples: [Measurement.Sample(ours: building / Double(rowCount), yardstick: sorting)]),
      Measurement(
        work: "memory of the words of a title", yardstick: "none", unit: "title", promise: .none,
        samples: [
          Measurement.Sample(ours: Double(byteCount) / Double(rowCount), yardstick: 0)
        ], quantity: .bytes),
    ]
  }

  private static func make(_ rowCount: Int, at path: String) throws {
    var options = JournalOptions()
    (options.durability, options.keepsCheckpoints) = (.none, false)
    let store = try Store(at: path, records: Article.self, options: options)
    try blocking {
      _ = try await store.insert(
        contentsOf: (1...rowCount).lazy.map { Article(id: $0, title: title($0)) })
    }
    try store.closeAndWait()
  }

  private static func words(_ ranks: (Int, Int)) -> String {
    "\(vocabulary[ranks.0]) \(vocabulary[ranks.1])"
  }

  /// The times of the slowest search in each repetition, and the largest number of matches.
  private struct Searches {
    var samples: [Measurement.Sample] = []
    var matchCount = 0
  }

  private static func searches<R: Record>(
    in store: Store, as type: R.Type, repetitionCount: Int
  ) throws -> (few: Searches, many: Searches) {
    func measure(_ pairs: [(Int, Int)]) throws -> Searches {
      var searches = Searches()
      for pair in pairs {
        let count = try store.count(of: type, where: Filter("title MATCHESWORDS '\(words(pair))'"))
        searches.matchCount = max(searches.matchCount, count)
      }
      for _ in 0..<repetitionCount {
        let sorting = sortingTime()
        let times = try pairs.map { pair in
          try processorTime { _ = try page(words(pair), in: store, as: type) }
        }
        searches.samples.append(Measurement.Sample(ours: times.max() ?? 0, yardstick: sorting))
      }
      return searches
    }
    return (try measure(fewMatches), try measure(manyMatches))
  }

  private static func searchesAfterChanges(
    in store: Store, _ settings: Settings
  ) throws -> [Measurement.Sample] {
    let context = store.makeContext()
    var id = 0
    return try (0..<settings.repetitionCount).map { _ in
      var times: [Double] = []
      // Some of these searches read the recent slots into the index.
      for _ in 0..<settings.count(1000) {
        id += 1
        try context.update(Article.self, id: id) { $0.title = title(id + settings.rowCount) }
        try context.saveAndWait()
        times.append(
          try processorTime { _ = try page(words(fewMatches[0]), in: store, as: Article.self) })
      }
      return Measurement.Sample(
        ours: times.reduce(0, +) / Double(times.count), yardstick: sortingTime())
    }
  }

  /// Fetches and reads the best matches of a search.
  private static func page<R: Record>(
    _ words: String, in store: Store, as type: R.Type
  ) throws -> Int {
    let request = ListRequest<R>(
      filter: try Filter("title MATCHESWORDS '\(words)'"),
      sortedBy: [SortKey.bestMatch(named: "title", words: words)], limit: 20, batchSize: 20)
    let page = try store.fetch(request)
    blackHole(UInt64(page.reduce(0) { $0 + String(describing: $1.id).utf8.count }))
    return page.count
  }
}
