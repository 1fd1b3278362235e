import DaybookCLibrary
import TestSupport
import Testing

/// The screens of the browser in recorded sessions. They are recorded again together with the
/// transcripts of the tool.
@Suite struct `Recorded screens of the browser` {
  @Test(arguments: try BrowserTranscript.names)
  func `the browser shows the screens of its recorded sessions`(name: String) async throws {
    let played = try await BrowserTranscript(name).played()
    if getenv("DAYBOOK_REWRITE_TRANSCRIPTS") != nil {
      try ProjectFiles.write(
        Array(played.joined(separator: "\n").utf8), to: "\(BrowserTranscript.directory)/\(name)")
    }
    let lines = try ProjectFiles.lines("\(BrowserTranscript.directory)/\(name)")
    #expect(played == lines, "\(name)")
  }

  @Test func `the browser has at least eight recorded sessions`() throws {
    #expect(try BrowserTranscript.names.count >= 8)
  }
}
