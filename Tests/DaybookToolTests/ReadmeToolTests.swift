import DaybookCLibrary
import TestSupport
import Testing

@testable import DaybookTool

/// The output of the tool that the README shows. It is recorded again together with the
/// transcripts.
@Suite struct `The README on the tool` {
  @Test func `the README shows the output of its commands`() throws {
    let lines = try ProjectFiles.lines("README.md")
    let (played, commandCount) = try PageSessions.played(lines)
    #expect(commandCount >= 5)
    if getenv("DAYBOOK_REWRITE_TRANSCRIPTS") != nil {
      try ProjectFiles.write(Array(played.joined(separator: "\n").utf8), to: "README.md")
    }
    #expect(try ProjectFiles.lines("README.md") == played)
  }

  @Test func `the picture of the README shows the output of its command`() throws {
    let command = """
      daybook replay Journal/Samples/reorder.jsonl Chore --sort room,index --section-by room \\
          --columns name --from 2 --to 2 --as snapshots --format text
      """
    let printed = try TemporaryDirectory.with { try BuiltTool.run(command, $0) }
    let picture = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Resources/replay.svg")
      .compactMap { line -> String? in
        guard line.hasPrefix("<text"), let start = line.firstIndex(of: ">") else { return nil }
        let text = line[line.index(after: start)...].dropLast("</text>".count)
        return String(text).replacing("&gt;", with: ">").replacing("&lt;", with: "<")
          .replacing("&amp;", with: "&")
      }
    #expect(
      picture
        == ("$ " + command).split(separator: "\n").map(String.init)
        + printed.filter { !$0.isEmpty },
      "draw it again with Tests/Pictures/terminal.py")
  }

  @Test func `the changelog starts with the version that the tool prints`() throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Changelog.md")
    let heading = try #require(page.first { $0.hasPrefix("## ") })
    #expect(heading.hasPrefix("## \(Version.number), "))
  }

  @Test func `the README names every command except those for help`() throws {
    let text = try ProjectFiles.lines("README.md").joined(separator: "\n")
    for verb in Tool.verbs.map(\.name)
    where !["help", "completions", "manual"].contains(verb) {
      #expect(text.contains("daybook \(verb) ") || text.contains("`\(verb)`"), "\(verb)")
    }
  }
}
