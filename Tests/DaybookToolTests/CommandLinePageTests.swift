import DaybookCLibrary
import TestSupport
import Testing

/// The page about the command line. It is recorded again together with the transcripts.
@Suite struct `The page on the command line` {
  private static let page = "Sources/Daybook/Daybook.docc/CommandLine.md"

  @Test func `the page shows the output of its commands`() throws {
    let lines = try ProjectFiles.lines(`The page on the command line`.page)
    let (played, commandCount) = try PageSessions.played(lines)
    #expect(commandCount >= 5)
    let expected = PageSessions.withoutTimes(played)
    if getenv("DAYBOOK_REWRITE_TRANSCRIPTS") != nil {
      try ProjectFiles.write(
        Array(expected.joined(separator: "\n").utf8), to: `The page on the command line`.page)
    }
    #expect(try ProjectFiles.lines(`The page on the command line`.page) == expected)
  }
}
