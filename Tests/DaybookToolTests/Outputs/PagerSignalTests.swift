import DaybookCLibrary
import TestSupport
import Testing

@testable import DaybookTool

/// Signals that arrive while a pager is chosen, or while it shows the whole output.
@Suite struct `Signals and a pager` {
  /// Prints the output of a command with ten lines on a terminal of six lines.
  private func session(_ pager: String) throws -> TerminalSession {
    try TerminalSession(
      ["log", "Journal/Samples/games.jsonl", "--oneline"], rowCount: 6,
      variables: ["DAYBOOK_PAGER=\(pager)"])
  }

  @Test func `an interruption before the first output prints its sentence`() throws {
    try TemporaryDirectory.with { scratch in
      let path = scratch.path("text")
      #expect(mkfifo(path, 0o600) == 0)
      let pipe = open(path, O_RDWR | O_CLOEXEC)
      defer { close(pipe) }
      let session = try TerminalSession(
        ["log", path, "--oneline"], rowCount: 6, variables: ["DAYBOOK_PAGER=cat -v"])
      // The text is longer than the capacity of the pipe. When it is written, the tool is reading.
      let line = #"{"tx":1,"time":"2026-01-01T00:00:00Z","changes":[]}"#
      let text = Array((line + String(repeating: " ", count: 1 << 20)).utf8)
      #expect(write(pipe, text, text.count) == text.count)
      try session.press("\u{3}")
      #expect(try session.end() == "exit 130")
      #expect(try session.rest().hasSuffix("Interrupted. The journal was not changed.\n"))
    }
  }

  /// The pager reports that it has read the whole output, so that the command has ended.
  private static let pager = "trap 'echo caught' INT; cat; echo ready"

  @Test(arguments: [SIGTERM, SIGHUP])
  func `a signal ends the tool while its pager shows the whole output`(signal: Int32) throws {
    let session = try session("\(Self.pager); read line </dev/tty")
    _ = try session.read(through: "ready\n")
    session.send(signal)
    #expect(try session.end() == "signal \(signal)")
  }

  @Test func `no Ctrl-C ends the tool while its pager shows the whole output`() throws {
    let session = try session(
      "\(Self.pager); until [ \"$line\" = end ]; do read line </dev/tty; done; echo over")
    _ = try session.read(through: "ready\n")
    for _ in 0..<3 {
      try session.press("\u{3}")
      try session.press("\n")
      _ = try session.read(through: "caught\n")
    }
    try session.press("end\n")
    _ = try session.read(through: "over\n")
    #expect(try session.end() == "exit 0")
  }
}
