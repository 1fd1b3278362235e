import DaybookCLibrary
import TestSupport
import Testing

@testable import DaybookTool

/// The documentation page about the browser. It is recorded again together with the transcripts.
@Suite struct `The page on the browser` {
  private static let page = "Sources/Daybook/Daybook.docc/Browse.md"
  private static let sample = "Journal/Samples/games.jsonl"

  @Test func `the page shows the screen of the browser and the output of its commands`()
    async throws
  {
    let lines = try ProjectFiles.lines(Self.page)
    var (played, commandCount) = try PageSessions.played(lines)
    #expect(commandCount == 1)
    let session = try await BrowserSession([Self.sample, "Game", "--sort", "name"])
    await session.press(.left)
    let start = try #require(played.firstIndex(of: "```text"))
    let end = try #require(played[start...].firstIndex(of: "```"))
    played.replaceSubrange(start + 1..<end, with: session.screen)
    if getenv("DAYBOOK_REWRITE_TRANSCRIPTS") != nil {
      try ProjectFiles.write(Array(played.joined(separator: "\n").utf8), to: Self.page)
    }
    #expect(try ProjectFiles.lines(Self.page) == played)
  }
}
