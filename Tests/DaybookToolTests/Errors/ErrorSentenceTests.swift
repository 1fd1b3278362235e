import DaybookJournal
import DaybookStore
import TestSupport
import Testing

@testable import DaybookTool

/// Sentences of errors and problems that no recorded session can cause.
@Suite struct `Messages of rare errors` {
  @Test func `the error of an unreadable command line names the requirement`() {
    #expect(CommandWords.unreadable.status == .refused)
    #expect(
      CommandWords.unreadable.sentence
        == "the command line cannot be read, because /proc/self/cmdline is not available. "
        + "Nothing was changed. Run the tool where /proc is mounted.")
  }

  @Test func `the problem of a differing record names its transaction`() {
    #expect(
      JournalCheck.sentence(ofDifferenceIn: "Game 3", after: 5, in: "games.daybook")
        == "games.daybook: after transaction 5, Game 3 differs between a replay from the start "
        + "and an undo from the end.")
  }

  @Test func `the problem of a schema that cannot be exported has a reason`() throws {
    let reasons = try (0..<60).compactMap { seed -> Substring? in
      var story = try HostileStory(seed: UInt64(seed))
      story.lie(9)
      return try TemporaryDirectory.with { scratch in
        let path = scratch.path("j")
        var options = JournalOptions()
        options.durability = .none
        let journal = try FileJournal(at: path, options: options)
        for payload in story.payloads(identifier: nil) where !payload.isEmpty {
          _ = try journal.appendAndWait(payload)
        }
        try journal.closeAndWait()
        let start = "\(path): the schema cannot be exported: "
        return try PrintedTool.printed(["verify", path]).lines.first { $0.hasPrefix(start) }
          .map { $0.dropFirst(start.count) }
      }
    }
    let reason = try #require(reasons.first)
    #expect(!reason.isEmpty)
  }
}
