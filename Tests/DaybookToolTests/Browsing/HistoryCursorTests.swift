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

  /// A cursor of the browser may be older than the history that the screen shows.
  @Test func `a cursor refuses a moment after its last one and can be moved afterwards`() throws {
    let path = ProjectFiles.path("Journal/Samples/games.jsonl")
    let cursor = try HistoryCursor(OpenJournal(path).store)
    for here in 0...10 as ClosedRange<UInt64> {
      for target in [11, 12, 10_000, UInt64.max] {
        _ = try cursor.move(to: SequenceNumber(here))
        let error = #expect(throws: StoreError.self) {
          try cursor.move(to: SequenceNumber(target))
        }
        #expect(
          error?.reason == .noSuchMoment(SequenceNumber(target), first: .zero, last: 10))
        #expect(cursor.snapshot.sequence.rawValue == here)
      }
    }
  }

  /// Writes a text journal of 5000 transactions, and returns its path.
  private func longText(_ scratch: TemporaryDirectory) throws -> String {
    let lines = (1...5000).map { number in
      #"{"tx":\#(number),"time":"2026-01-01T00:00:00Z","changes":[{"op":"\#(number == 1 ? "insert" : "update")","#
        + #""entity":"Game","id":1,"set":{"points":\#(number)}}]}"#
    }
    let header = #"{"daybook":1,"entities":{"Game":{"id":"int","attributes":{"points":"int64"}}}}"#
    return try scratch.write(
      Array(([header] + lines).joined(separator: "\n").utf8), to: "games.jsonl")
  }

  /// While the user holds a key, each key cancels the work of the previous one.
  @Test func `a cancelled task completes short moves and no long ones`() async throws {
    let task = Task {
      try TemporaryDirectory.with { scratch in
        let cursor = try HistoryCursor(OpenJournal(longText(scratch)).store)
        withUnsafeCurrentTask { $0?.cancel() }
        return try [4998, 4990, 100, 4000, 4990].map { (target: UInt64) throws -> UInt64? in
          do {
            return try cursor.move(to: SequenceNumber(target)).sequence.rawValue
          } catch is CancellationError { return nil }
        }
      }
    }
    #expect(try await task.value == [4998, 4990, nil, 4000, 4990])
  }

  @Test func `a cursor starts at the base of a journal without later transactions`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("games.daybook")
      let text = try longText(scratch)
      #expect(
        try BuiltTool.run(
          "daybook import '\(text)' '\(path)' >/dev/null; daybook compact '\(path)' --yes"
            + " >/dev/null", scratch) == [])
      let journal = try OpenJournal(path)
      #expect(journal.history == 5000...5000)
      let cursor = try HistoryCursor(journal.store)
      #expect(try cursor.move(to: 5000).count(of: "Game") == 1)
    }
  }
}
