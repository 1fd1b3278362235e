import DaybookJournal
import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@testable import DaybookTool

/// Moves in the history of a journal.
@Suite struct `A cursor in a history` {
  @Test(arguments: ["games.jsonl", "compacted.daybook", "empty.daybook", "reorder.jsonl"])
  func `a cursor finds the state after each transaction`(name: String) throws {
    let journal = try OpenJournal(ProjectFiles.path("Journal/Samples/\(name)"))
    let cursor = try HistoryCursor(journal.store)
    var random = SplitMix64(seed: 1)
    for _ in 0..<50 {
      let count = journal.history.upperBound - journal.history.lowerBound + 1
      let target = SequenceNumber(journal.history.lowerBound + random.next() % count)
      let found = try cursor.move(to: target)
      let expected = try journal.store.snapshot(at: target)
      #expect(found.sequence == target)
      for entity in expected.entities {
        #expect(try found.objects(entity.name) == expected.objects(entity.name))
      }
    }
  }

  @Test func `a cursor starts at the base of a journal without later transactions`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("games.daybook")
      let lines = (1...5000).map { number in
        #"{"tx":\#(number),"time":"2026-01-01T00:00:00Z","changes":[{"op":"\#(number == 1 ? "insert" : "update")","#
          + #""entity":"Game","id":1,"set":{"points":\#(number)}}]}"#
      }
      let header =
        #"{"daybook":1,"entities":{"Game":{"id":"int","attributes":{"points":"int64"}}}}"#
      let text = try scratch.write(
        Array(([header] + lines).joined(separator: "\n").utf8), to: "games.jsonl")
      #expect(
        try BuiltTool.run(
          "daybook import '\(text)' '\(path)' >/dev/null; daybook compact '\(path)'"
            + " >/dev/null", scratch) == [])
      let journal = try OpenJournal(path)
      #expect(journal.history == 5000...5000)
      let cursor = try HistoryCursor(journal.store)
      #expect(try cursor.move(to: 5000).count(of: "Game") == 1)
    }
  }
}
