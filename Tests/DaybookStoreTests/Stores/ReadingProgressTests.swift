import DaybookJournal
import DaybookStore
import DaybookText
import Synchronization
import TestSupport
import Testing

/// The progress reports of reading a large file.
@Suite struct `The progress of reading` {
  private final class Received: Sendable {
    let lines = Mutex<[(phase: ReadingProgress.Phase, done: UInt64, all: UInt64)]>([])

    var progress: ReadingProgress {
      ReadingProgress { phase, done, all in
        self.lines.withLock { $0.append((phase, done, all)) }
      }
    }

    /// Checks that each phase reported ascending counts, about once per step, with the right total.
    func check(of byteCount: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
      let lines = lines.withLock { $0 }
      for phase in ReadingProgress.Phase.allCases {
        let done = lines.filter { $0.phase == phase }.map(\.done)
        #expect(done == done.sorted() && done.count >= 3, sourceLocation: sourceLocation)
        #expect(
          UInt64(done.count) <= byteCount / ReadingProgress.stepByteCount,
          sourceLocation: sourceLocation)
        #expect(done.allSatisfy { $0 <= byteCount }, sourceLocation: sourceLocation)
      }
      #expect(lines.allSatisfy { $0.all == byteCount }, sourceLocation: sourceLocation)
    }
  }

  @Test func `import, opening and verification report their progress`() throws {
    try TemporaryDirectory.with { directory in
      var text = ""
      let value = String(repeating: "words ", count: 1000)
      for number in 1...800 {
        text += #"{"tx":\#(number),"time":"2020-01-01T00:00:00Z","changes":[{"op":"insert","#
        text += #""entity":"E","id":\#(number),"set":{"a":"\#(value)"}}]}"# + "\n"
      }
      let bytes = Array(text.utf8)
      let path = try directory.write(bytes, to: "t.jsonl")
      let importing = Received()
      var options = JournalOptions()
      options.progress = importing.progress
      _ = try TextJournal.import(.file(path), to: directory.path("j"), options: options)
      importing.check(of: UInt64(bytes.count))

      let opening = Received()
      options.progress = opening.progress
      let store = try Store(reading: directory.path("j"), types: [], options: options)
      #expect(store.snapshot.sequence == 800)
      let received = try #require(opening.lines.withLock { $0.first })
      opening.check(of: received.all)

      let verifying = Received()
      options.progress = verifying.progress
      let summary = try Store.verify(at: directory.path("j"), options: options) {
        Issue.record("\($0)")
      }
      #expect(summary.transactionCount == 800)
      verifying.check(of: received.all)
    }
  }
}
