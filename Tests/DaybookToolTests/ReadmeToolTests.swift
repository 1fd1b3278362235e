import Glibc
import TestSupport
import Testing

@testable import DaybookTool

/// The output of the tool that the README shows. It is recorded again together with the
/// transcripts.
@Suite struct `The README on the tool` {
  @Test func `shows what commands print`() throws {
    let lines = try ProjectFiles.lines("README.md")
    let played = try TemporaryDirectory.with { scratch in
      var played: [String] = []
      var isSession = false
      var commandCount = 0
      for line in lines {
        if isSession, line != "```" {
          guard line.hasPrefix("$ ") else { continue }
          if played.last?.hasPrefix("```") == false { played.append("") }
          played.append(line)
          played += try BuiltTool.run(String(line.dropFirst(2)), scratch)
          commandCount += 1
          continue
        }
        isSession = line == "```console"
        played.append(line)
      }
      #expect(commandCount >= 5)
      return played
    }
    if getenv("DAYBOOK_REWRITE_TRANSCRIPTS") != nil {
      try ProjectFiles.write(Array(played.joined(separator: "\n").utf8), to: "README.md")
    }
    #expect(try ProjectFiles.lines("README.md") == played)
  }

  @Test func `names every verb that is not for help alone`() throws {
    let text = try ProjectFiles.lines("README.md").joined(separator: "\n")
    for verb in Tool.verbs.map(\.name)
    where !["help", "completions", "manual"].contains(verb) {
      #expect(text.contains("daybook \(verb) ") || text.contains("`\(verb)`"), "\(verb)")
    }
  }
}
