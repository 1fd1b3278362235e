import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// The change from a journal to a store that follows the same journal.
@Suite struct `A browser that begins to follow a journal` {
  /// Imports a journal of some transactions, and returns its path.
  private func journal(_ count: Int, in scratch: TemporaryDirectory) throws -> String {
    let path = scratch.path("\(count).daybook")
    let lines = (1...count).map { number in
      #"{"tx":\#(number),"time":"2026-01-01T00:00:00Z","#
        + #""changes":[{"op":"insert","entity":"Game","id":\#(number),"set":{"name":"a"}}]}"#
    }
    let text = try scratch.write(Array(lines.joined(separator: "\n").utf8), to: "text.jsonl")
    _ = try PrintedTool.lines(["import", text, path])
    return path
  }

  /// If the growth were reported earlier, the screen would show moments that the workers' stores do
  /// not contain.
  @Test(.timeLimit(.minutes(10)))
  func `nothing is reported before the workers use the store`() async throws {
    try await TemporaryDirectory.with { scratch in
      let path = try journal(1, in: scratch)
      let (reports, continuation) = AsyncStream<String>.makeStream()
      let follower = JournalFollower(path) { _ in
        // A different program saves a transaction meanwhile.
        do { _ = try PrintedTool.lines(["insert", path, "Game", "2"]) } catch {
          continuation.yield("\(error)")
        }
        for _ in 0..<100 { await Task.yield() }
        continuation.yield("the workers use the store")
      } report: { event in
        switch event {
        case .growth(let range): continuation.yield("\(range)")
        case .failure(let sentence): continuation.yield(sentence)
        }
      }
      var seen: [String] = []
      for await report in reports {
        seen.append(report)
        if seen.count == 3 { break }
      }
      follower.end()
      #expect(seen == ["the workers use the store", "0...1", "0...2"])
      #expect(follower.journal?.history == 0...2)
    }
  }

  @Test func `a worker keeps the newest of its stores`() async throws {
    let journals = try TemporaryDirectory.with { scratch in
      try (1...3).map { try OpenJournal(journal($0, in: scratch)) }
    }
    let traveller = ListTraveller(journals[0])
    let answers = BrowserAnswers(journals[0], named: "games")
    let headings = HeadingReader(journals[0])
    // Two stores are opened at almost the same time, and the later one is ready first.
    for number in [2, 1] {
      await traveller.use(journals[number], number: number)
      await answers.use(journals[number], number: number)
      await headings.use(journals[number], number: number)
    }
    let view = BrowserView(query: BrowserQuery(entity: "Game"), moment: 3, without: nil)
    let picture = try await traveller.picture(of: view, selected: nil)
    #expect(picture.objects.count == 3)
    let counted = try await answers.page(
      for: .counts(view, by: "name"), knowing: [picture.state], columnCount: 80)
    #expect(counted.lines.contains { $0.contains("3") })
    #expect(try await headings.headings([3]).count == 1)
  }
}
