import DaybookCLibrary
import TestSupport
import Testing

/// The output of the tool in recorded shell sessions.
///
/// To record them again, and then review the changes:
///
/// ```
/// DAYBOOK_REWRITE_TRANSCRIPTS=1 swift test --filter DaybookToolTests
/// ```
@Suite struct `Recorded sessions of the tool` {
  @Test(arguments: try ToolTranscript.names)
  func `the tool prints the output of its recorded sessions`(
    name: String
  ) throws {
    let transcript = try ToolTranscript(name)
    let played = try transcript.played()
    if getenv("DAYBOOK_REWRITE_TRANSCRIPTS") != nil {
      try ProjectFiles.write(
        Array(played.joined(separator: "\n").utf8), to: "\(ToolTranscript.directory)/\(name)")
    }
    let lines = try ProjectFiles.lines("\(ToolTranscript.directory)/\(name)")
    #expect(played == lines, "\(name)")
  }

  @Test func `the tool has at least fifty recorded sessions`() throws {
    #expect(try ToolTranscript.names.count >= 50)
  }
}
