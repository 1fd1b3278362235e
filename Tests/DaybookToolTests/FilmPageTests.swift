import DaybookCLibrary
import TestSupport
import Testing

@testable import DaybookTool

/// The page "From a table to a film". It is recorded again together with the transcripts.
@Suite(
  .enabled(
    if: BuiltTool.has("git") && BuiltTool.has("python3"), "git or python3 is not installed"))
struct `The page from a table to a film` {
  private static let page = "Sources/Daybook/Daybook.docc/FromATableToAFilm.md"
  private static let pictures = "Sources/Daybook/Daybook.docc/Resources"

  @Test func `the page shows the output of its commands and the screen of the browser`()
    async throws
  {
    var (played, commandCount) = try PageSessions.played(ProjectFiles.lines(Self.page))
    #expect(commandCount >= 15)
    let screen = try await TemporaryDirectory.with { scratch in
      for command in try commands { _ = try BuiltTool.run(command, scratch) }
      let session = try await BrowserSession(
        ["league.daybook", "Team", "--sort", "points:desc,scored:desc"], in: scratch.path)
      for _ in 0..<5 { await session.press(.left) }
      return session.screen
    }
    let start = try #require(played.firstIndex(of: "```text"))
    let end = try #require(played[start...].firstIndex(of: "```"))
    played.replaceSubrange(start + 1..<end, with: screen)
    if getenv("DAYBOOK_REWRITE_TRANSCRIPTS") != nil {
      try ProjectFiles.write(Array(played.joined(separator: "\n").utf8), to: Self.page)
    }
    #expect(try ProjectFiles.lines(Self.page) == played)
  }

  /// The commands of the page.
  private var commands: [String] {
    get throws {
      try ProjectFiles.lines(Self.page).filter { $0.hasPrefix("$ ") }.map {
        String($0.dropFirst(2))
      }
    }
  }

  @Test func `the chart of the page is what its command draws`() throws {
    try TemporaryDirectory.with { scratch in
      for command in try commands { _ = try BuiltTool.run(command, scratch) }
      let drawn = try scratch.bytes(of: "ranks.svg")
      let picture = try ProjectFiles.lines("\(Self.pictures)/league-ranks.svg")
      #expect(
        String(decoding: drawn, as: UTF8.self) == picture.joined(separator: "\n"),
        "draw it again with Tests/Pictures/film.py")
    }
  }

  @Test func `the pictures of the page are small`() throws {
    for name in ["league-film.png", "league-film~dark.png", "league-ranks.svg"] {
      let count = try ProjectFiles.bytes("\(Self.pictures)/\(name)").count
      #expect(count > 1_000 && count < 150_000, "\(name)")
    }
  }
}
