import DaybookCLibrary
import TestSupport
import Testing

@testable import DaybookTool

/// Films on a terminal.
@Suite struct `A film on a terminal` {
  static let words = [
    "replay", "Journal/Samples/games.jsonl", "Game", "--sort", "name",
    "--from", "8", "--as", "snapshots", "--format", "text",
  ]
  static let clearing = "\u{1B}[H\u{1B}[2J"
  static let hint = "\u{1B}[2mpress any key to continue, q to quit\u{1B}[0m"
  static let hintEnd = "\r\u{1B}[K"

  @Test func `a film continues with each key and ends after the last picture`() throws {
    let session = try TerminalSession(Self.words + ["--step"], columnCount: 60, rowCount: 8)
    #expect(
      try session.read(through: Self.hint) == """
        \(Self.clearing)\u{1B}[1mtx 8  2026-01-01T00:03:00Z  Game: 6 rows\u{1B}[0m
        1 row deleted
        \u{1B}[1m  id  name\u{1B}[0m
        \u{1B}[31m-  5  Galaga\u{1B}[0m
           4  Moon Patrol
          3 rows above and 2 rows below are not shown
        \(Self.hint)
        """)
    #expect(!session.isAsBefore)
    try session.press("n")
    #expect(
      try session.read(through: Self.hint) == """
        \(Self.hintEnd)\(Self.clearing)\u{1B}[1mtx 9  2026-01-01T00:04:00Z  Game: 6 rows\u{1B}[0m
        1 row updated
        \u{1B}[1m  id  name\u{1B}[0m
        \u{1B}[33m~  3  Discs of Tron\u{1B}[0m
           2  Dragon Slayer
          1 row above and 3 rows below are not shown
        \(Self.hint)
        """)
    // A key of three bytes is one key. So is a letter that is not ASCII.
    try session.press("\u{1B}[C")
    #expect(try session.read(through: "tx 10").hasPrefix(Self.hintEnd))
    #expect(try session.end() == "exit 0")
    #expect(
      try session.rest() == """
          2026-01-01T00:05:00Z  Game: 6 rows\u{1B}[0m
        1 row moved
        \u{1B}[1m  id  name\u{1B}[0m
        \u{1B}[36m>  6  Missile Command\u{1B}[0m
           4  Moon Patrol
          2 rows above and 2 rows below are not shown

        """)
    #expect(session.isAsBefore)
  }

  @Test func `a film reads keys pressed ahead one by one`() throws {
    let session = try TerminalSession(Self.words + ["--step"])
    _ = try session.read(through: Self.hint)
    try session.press("üq")
    #expect(try session.read(through: Self.hint).contains("tx 9"))
    #expect(try session.end() == "exit 0")
    #expect(try session.rest() == Self.hintEnd)
    #expect(session.isAsBefore)
  }

  @Test(arguments: ["q", "Q"]) func `a film ends with q`(key: String) throws {
    let session = try TerminalSession(Self.words + ["--step"])
    _ = try session.read(through: Self.hint)
    try session.press(key)
    #expect(try session.end() == "exit 0")
    #expect(try session.rest() == Self.hintEnd)
    #expect(session.isAsBefore)
  }

  @Test(arguments: ["callbacks", "differences", "snapshots"])
  func `a film steps through every form of output`(
    form: String
  ) throws {
    var words = Self.words
    words[words.count - 3] = form
    words.removeLast(2)
    let session = try TerminalSession(words + ["--step"])
    let first = try session.read(through: Self.hint)
    #expect(first.contains("8") && !first.contains(Self.clearing))
    try session.press(" ")
    let second = try session.read(through: Self.hint)
    #expect(second.hasPrefix(Self.hintEnd) && !second.contains(Self.clearing))
    try session.press("q")
    #expect(try session.end() == "exit 0")
  }

  @Test func `a film reads keys from the terminal if the journal is standard input`() throws {
    var words = Self.words
    words[1] = "-"
    let session = try TerminalSession(
      words + ["--step"], input: ProjectFiles.path("Journal/Samples/games.jsonl"))
    #expect(try session.read(through: Self.hint).contains("tx 8"))
    try session.press("n")
    #expect(try session.read(through: Self.hint).contains("tx 9"))
    try session.press("q")
    #expect(try session.end() == "exit 0")
    #expect(session.isAsBefore)
  }

  // MARK: Interrupts

  @Test func `a key interrupts a film`() throws {
    let session = try TerminalSession(Self.words + ["--step"])
    _ = try session.read(through: Self.hint)
    try session.press("\u{3}")
    #expect(try session.end() == "signal \(SIGINT)")
    #expect(try session.rest() == Self.hintEnd)
    #expect(session.isAsBefore)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func `a signal interrupts a film`(
    signal: Int32
  ) throws {
    let session = try TerminalSession(Self.words + ["--step"])
    _ = try session.read(through: Self.hint)
    session.send(signal)
    #expect(try session.end() == "signal \(signal)")
    #expect(session.isAsBefore)
  }

  @Test func `a key interrupts a film during a delay`() throws {
    let session = try TerminalSession(Self.words + ["--delay", "3600"])
    _ = try session.read(through: "Tron")
    try session.press("\u{3}")
    #expect(try session.end() == "signal \(SIGINT)")
    #expect(session.isAsBefore)
  }

  @Test func `a stopped film continues with the same picture`() throws {
    let session = try TerminalSession(Self.words + ["--step"])
    _ = try session.read(through: Self.hint)
    session.send(SIGTSTP)
    // The session has no shell that could continue the process, so the system discards the stop
    // signal.
    #expect(try session.read(through: Self.hint) == Self.hintEnd + Self.hint)
    try session.press("q")
    #expect(try session.end() == "exit 0")
    #expect(session.isAsBefore)
  }
}
