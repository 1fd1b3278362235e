import DaybookJournal
import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// The law: the statistics of a journal agree with the output of other commands.
@Suite struct `Statistics of a journal` {
  static let journals = [
    "games.jsonl", "items.jsonl", "reorder.jsonl", "food.jsonl", "failed-banks.jsonl",
    "Records/every-type.daybook",
  ]

  @Test(arguments: journals) func `statistics agree with the log`(journal: String) throws {
    let words = PrintedTool.sample([journal])
    let counted = try #require(
      PrintedTool.objects(["stats"] + words + ["--format", "json"]).first)
    let received = try PrintedTool.objects(["log"] + words + ["--format", "jsonl"])
    #expect(try integer(counted["transactions"]) == received.count)
    #expect(counted["first"]?["tx"] == received.first?["tx"])
    #expect(counted["first"]?["time"] == received.first?["time"])
    #expect(counted["last"]?["tx"] == received.last?["tx"])
    #expect(counted["last"]?["time"] == received.last?["time"])

    let changes = try received.flatMap { try elements($0["changes"]) }
    #expect(try integer(counted["changes"]) == changes.count)
    for entity in try elements(counted["entities"]) {
      let own = changes.filter { $0["entity"] == entity["entity"] }
      for (key, op) in [("inserts", "insert"), ("updates", "update"), ("deletes", "delete")] {
        #expect(try integer(entity[key]) == own.count { $0["op"] == .string(op) })
      }
      #expect(
        try integer(entity["base"]) + integer(entity["inserts"]) - integer(entity["deletes"])
          == integer(entity["records"]))
      let name = try #require(entity["entity"].flatMap { bareText(of: $0) })
      let shown = try #require(
        PrintedTool.objects(["show"] + words + [name, "--format", "json"]).first)
      #expect(shown["count"] == entity["records"])
    }

    let spans = try elements(counted["spans"])
    #expect(try spans.reduce(0) { try $0 + integer($1["transactions"]) } == received.count)
    #expect(try spans.reduce(0) { try $0 + integer($1["changes"]) } == changes.count)
    for size in try elements(counted["largest"]) {
      let transaction = try #require(received.first { $0["tx"] == size["tx"] })
      #expect(size["time"] == transaction["time"])
      #expect(try integer(size["changes"]) == elements(transaction["changes"]).count)
    }
  }

  @Test(arguments: journals, [40, 57, 80, 200]) func `statistics fit the terminal`(
    journal: String, columnCount: Int
  ) throws {
    let terminal = Terminal(columnCount: columnCount, usesColor: false, isPlain: true)
    let lines = try PrintedTool.lines(["stats"] + PrintedTool.sample([journal]), on: terminal)
    let tables = lines.drop { !$0.hasPrefix("entity") }
    #expect(tables.count > 5)
    for line in tables {
      #expect(DisplayWidth.columns(line) <= columnCount, "\(line)")
      #expect(line.utf8.allSatisfy { $0 < 128 }, "\(line)")
    }
  }

  @Test func `statistics list the five largest transactions, earlier ones first`() throws {
    try TemporaryDirectory.with { scratch in
      // The sizes of the transactions' texts, by transaction.
      let sizes = [3, 9, 1, 7, 9, 2, 7, 8, 7, 0]
      var lines: [String] = []
      for (index, size) in sizes.enumerated() {
        let text = String(repeating: "x", count: size)
        lines.append(
          #"{"tx":\#(index + 1),"time":"2026-01-01T00:00:00Z","changes":[{"op":"insert","#
            + #""entity":"Row","id":\#(index),"set":{"text":"\#(text)"}}]}"#)
      }
      // The first transaction also declares the entity, so it is the largest.
      let path = try scratch.write(Array(lines.joined(separator: "\n").utf8), to: "rows.jsonl")
      let counted = try #require(PrintedTool.objects(["stats", path, "--format", "json"]).first)
      let largest = try elements(counted["largest"])
      #expect(try largest.map { try integer($0["tx"]) } == [1, 2, 5, 8, 4])
    }
  }

  // MARK: Spans

  /// The law: the spans are few, adjacent, and each contains the times that have its index.
  @Test func `spans of time are adjacent`() {
    var state: UInt64 = 20_261_122
    func random() -> UInt64 {
      // The generator of Knuth's MMIX.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 33
    }
    for round in 0..<5000 {
      let width = UInt64(round % 64)
      let low = Int64(bitPattern: random())
      let (sum, overflowed) = low.addingReportingOverflow(Int64((random() >> (63 - width)) >> 1))
      let first = JournalTime(nanoseconds: low)
      let last = JournalTime(nanoseconds: overflowed ? .max : sum)
      let scale = TimeScale(from: first, to: last, spanCountMax: 12)
      let indexes = scale.index(of: first)...scale.index(of: last)
      #expect(indexes.count <= 12, "from \(first) to \(last)")
      #expect(scale.start(of: indexes.lowerBound) <= first)
      #expect(first == last || last < scale.start(of: indexes.upperBound + 1) || last >= .late)
      for index in indexes.dropFirst() {
        let start = scale.start(of: index)
        #expect(scale.index(of: start) == index)
        #expect(scale.index(of: JournalTime(nanoseconds: start.nanoseconds - 1)) == index - 1)
        #expect(scale.name(of: index) != scale.name(of: index - 1))
      }
    }
  }

  @Test func `the spans of all times have names`() {
    let scale = TimeScale(
      from: .distantPast, to: JournalTime(nanoseconds: .max), spanCountMax: 12)
    let indexes = scale.index(of: .distantPast)...scale.index(of: JournalTime(nanoseconds: .max))
    #expect(indexes.count == 7)
    #expect(scale.name(of: indexes.lowerBound) == "1600")
    #expect(scale.start(of: indexes.lowerBound) == .distantPast)
  }

  @Test func `a histogram of times in reverse order has spans`() {
    func time(_ seconds: Int64) -> JournalTime {
      JournalTime(nanoseconds: seconds * 1_000_000_000)
    }
    let histogram = TimeHistogram(from: time(10), to: time(4))
    #expect(histogram.spans.count == 7 && histogram.starts == (4...10).map(time))
  }

  // MARK: Words

  @Test func `quantities are described in words`() {
    func duration(_ nanoseconds: Int64) -> String {
      QuantityText.duration(
        from: JournalTime(nanoseconds: 0), to: JournalTime(nanoseconds: nanoseconds))
    }
    let seconds: Int64 = 1_000_000_000
    #expect(duration(0) == "0 seconds")
    #expect(duration(1) == "0.000000001 seconds")
    #expect(duration(seconds) == "1 second")
    #expect(duration(59 * seconds + seconds / 2) == "59.5 seconds")
    #expect(duration(60 * seconds + seconds / 2) == "1 minute")
    #expect(duration(61 * seconds) == "1 minute, 1 second")
    #expect(duration(3600 * seconds + 59 * seconds) == "1 hour")
    #expect(duration(86_400 * seconds * 59 + 3 * 3600 * seconds) == "59 days, 3 hours")
    #expect(
      QuantityText.duration(from: .distantPast, to: JournalTime(nanoseconds: .max))
        == "213503 days, 23 hours")

    #expect(QuantityText.bytes(1) == "1 byte")
    #expect(QuantityText.bytes(1023) == "1023 bytes")
    #expect(QuantityText.bytes(1024) == "1024 bytes (1.0 KiB)")
    #expect(QuantityText.bytes(1024 * 1000) == "1024000 bytes (1000.0 KiB)")
    #expect(QuantityText.bytes(1 << 20) == "1048576 bytes (1.0 MiB)")
    #expect(QuantityText.bytes(3 << 50) == "3377699720527872 bytes (3072.0 TiB)")
  }

  private func bareText(of value: JSONValue) -> String? {
    if case .string(let text) = value { text } else { nil }
  }
}

extension JournalTime {
  /// A time after which the scale may have no next span that starts at a representable time.
  fileprivate static let late = JournalTime(nanoseconds: .max - (1 << 62))
}

private func elements(_ value: JSONValue?) throws -> [JSONValue] {
  guard case .array(let elements)? = value else { throw Surprise("no array") }
  return elements
}

private func integer(_ value: JSONValue?) throws -> Int {
  try #require(value.flatMap { Int($0.text) })
}
