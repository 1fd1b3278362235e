import DaybookCLibrary
import TestSupport
import Testing

@testable import DaybookTool

/// The browser on a pseudo terminal.
@Suite struct `The browser on a terminal` {
  private static let path = "Journal/Samples/games.jsonl"
  private static let words = ["browse", path, "Game", "--sort", "name"]
  private static let list = Array(words.dropFirst())

  /// The keys that the tests press, one after another.
  private static let keys = [
    "\u{1B}[B", "\u{1B}[D", "\u{1B}[D", "w", "\u{1B}", "m", "\u{1B}[C", "d", "q",
  ]

  @Test(arguments: [(80, 24), (40, 10), (120, 40)])
  func `a terminal shows the screens of the browser`(
    columnCount: Int, rowCount: Int
  ) async throws {
    let session = try TerminalSession(
      Self.words, columnCount: columnCount, rowCount: rowCount)
    let expected = try await BrowserSession(
      Self.list, columnCount: columnCount, rowCount: rowCount)
    #expect(try session.read { $0 == expected.screen } == expected.screen)
    #expect(session.emulator.isAlternate)
    #expect(!session.emulator.showsCursor)
    #expect(!session.isAsBefore)
    for key in Self.keys.dropLast() {
      try session.press(key)
      await expected.press(key)
      #expect(try session.read { $0 == expected.screen } == expected.screen)
    }
    try session.press("q")
    #expect(try session.end() == "exit 0")
    #expect(session.isAsBefore)
    #expect(try session.rest().hasSuffix("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test func `a typed filter shows its cursor and its list`() async throws {
    let session = try TerminalSession(Self.words)
    let expected = try await BrowserSession(Self.list)
    for key in ["/", "name LIKE \"*M", "*\"", "\r"] {
      try session.press(key)
      await expected.press(key)
      // The cursor is shown or hidden after the lines are written.
      let lines = try session.read {
        $0 == expected.screen && session.emulator.showsCursor == (key != "\r")
      }
      #expect(lines == expected.screen)
    }
  }

  @Test func `a terminal that changes its size shows the screen in the new size`() async throws {
    let session = try TerminalSession(Self.words)
    let expected = try await BrowserSession(Self.list)
    _ = try session.read { $0 == expected.screen }
    for (columnCount, rowCount) in [(40, 10), (100, 30), (15, 4), (80, 24)] {
      session.resize(columnCount: columnCount, rowCount: rowCount)
      await expected.resize(columnCount: columnCount, rowCount: rowCount)
      #expect(try session.read { $0 == expected.screen } == expected.screen)
    }
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT])
  func `a signal restores the terminal and then ends the browser`(signal: Int32) throws {
    let session = try TerminalSession(Self.words)
    _ = try session.read { $0.last?.hasPrefix("daybook show") == true }
    session.send(signal)
    #expect(try session.end().hasPrefix("signal \(signal)"))
    #expect(session.isAsBefore)
    #expect(try session.rest().contains("\u{1B}[?1049l"))
  }

  @Test(arguments: [SIGABRT, SIGSEGV, SIGILL, SIGTRAP])
  func `a crash restores the terminal`(signal: Int32) throws {
    let session = try TerminalSession(Self.words)
    _ = try session.read { $0.last?.hasPrefix("daybook show") == true }
    session.send(signal)
    _ = try session.end()
    #expect(session.isAsBefore)
    #expect(try session.rest().contains("\u{1B}[?1049l"))
  }

  @Test func `Ctrl-C ends the browser`() throws {
    let session = try TerminalSession(Self.words)
    _ = try session.read { $0.last?.hasPrefix("daybook show") == true }
    try session.press("\u{3}")
    #expect(try session.end() == "signal 2")
    #expect(session.isAsBefore)
  }

  @Test func `Ctrl-Z stops the browser until it is continued`() async throws {
    let session = try TerminalSession(Self.words)
    let expected = try await BrowserSession(Self.list)
    _ = try session.read { $0 == expected.screen }
    try session.press("\u{1A}")
    try session.waitUntilStopped()
    _ = try session.read { _ in session.isAsBefore && !session.emulator.isAlternate }
    session.send(SIGCONT)
    #expect(try session.read { $0 == expected.screen && session.emulator.isAlternate }.count == 24)
    #expect(!session.isAsBefore)
    try session.press("q")
    #expect(try session.end() == "exit 0")
  }

  @Test func `without colors no escape sequence changes the style`() throws {
    let session = try TerminalSession(Self.words, variables: ["NO_COLOR=1"])
    let text = try session.read(through: "--at 10")
    #expect(!text.contains("\u{1B}[1m") && !text.contains("\u{1B}[7m"))
    #expect(text.contains("> "))
  }

  @Test func `the browser follows a journal that a different process writes`() throws {
    try TemporaryDirectory.with { scratch in
      let journal = scratch.path("games.daybook")
      _ = try BuiltTool.run("daybook import '\(Self.path)' '\(journal)'", scratch)
      let session = try TerminalSession(
        ["browse", "games.daybook", "Game", "--sort", "name"], in: scratch.path)
      _ = try session.read { $0.last?.hasSuffix("--at 10") == true }
      try session.press("f")
      _ = try session.read { $0[0].contains("following") }
      _ = try BuiltTool.run("daybook insert '\(journal)' Game 50 name=Aaa --author ann", scratch)
      let lines = try session.read { $0.last?.hasSuffix("--at 11") == true }
      #expect(lines[3].hasPrefix(" + 50  Aaa") || lines[3].hasPrefix(">+ 50  Aaa"))
      // A moment that the user has chosen stays.
      try session.press("\u{1B}[D")
      _ = try session.read { $0.last?.hasSuffix("--at 10") == true }
      _ = try BuiltTool.run("daybook set '\(journal)' Game 50 name=Aab", scratch)
      let later = try session.read { $0[0].contains("of 12") }
      #expect(later.last?.hasSuffix("--at 10") == true)
      // After a compaction, the earliest moment is later.
      _ = try BuiltTool.run(
        "daybook compact '\(journal)' --yes; daybook insert '\(journal)' Game 60 name=Aac", scratch)
      let last = try session.read { $0.last?.hasSuffix("--at 13") == true }
      #expect(last[1].hasPrefix("== Game: 8 rows"))
      try session.press("\u{1B}[D")
      _ = try session.read { $0.last?.hasSuffix("--at 12") == true }
      try session.press("f")
      _ = try session.read { !$0[0].contains("following") }
      try session.press("q")
      #expect(try session.end() == "exit 0")
    }
  }

  @Test func `a journal that is cut short ends the browser and restores the terminal`() throws {
    try TemporaryDirectory.with { scratch in
      let journal = scratch.path("games.daybook")
      _ = try BuiltTool.run("daybook import '\(Self.path)' '\(journal)'", scratch)
      let session = try TerminalSession(["browse", "games.daybook", "Game"], in: scratch.path)
      _ = try session.read { $0.last?.hasSuffix("--at 10") == true }
      #expect(truncate(journal, 0) == 0)
      try session.press("\u{1B}[D")
      #expect(try session.end() == "exit 1")
      #expect(session.isAsBefore)
      let rest = try session.rest()
      #expect(rest.contains("\u{1B}[?1049l"))
      #expect(rest.contains("another program cut the journal short"))
    }
  }

  @Test func `a text journal on standard input can be browsed`() throws {
    let session = try TerminalSession(["browse", "-", "Game"], input: ProjectFiles.path(Self.path))
    _ = try session.read { $0.last == "daybook show - Game --at 10" }
    try session.press("f")
    _ = try session.read { $0.contains("A text journal cannot be followed. Import it first.") }
    try session.press("q")
    #expect(try session.end() == "exit 0")
  }
}
