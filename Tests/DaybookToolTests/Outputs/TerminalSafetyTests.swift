import DaybookCLibrary
import TestSupport
import Testing

@testable import DaybookTool

/// No text of a journal, a command or a file name changes the state of a terminal.
@Suite struct `Untrusted text on a terminal` {
  /// Escape sequences that the tool itself never writes, C0 and C1 control characters, a delete,
  /// line separators and bidirectional overrides.
  private static let hostile =
    "\u{1B}[5m\u{1B}]0;t\u{7}\r\u{8}\u{9B}5m\u{7F}\u{85}\u{2028}\u{202E}\u{2066}"

  /// Returns a text as a JSON string.
  private static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"\(scalars.joined())\""
  }

  private static let entity = "E\(hostile)"
  private static let id = "i\(hostile)"
  private static let key = "#\"a\(hostile)\""
  private static let tag = "t\(hostile)"

  /// A journal of four transactions with hostile text wherever a text is possible.
  private static var text: String {
    let (entity, id, other) = (quoted(entity), quoted(id), quoted("j\(hostile)"))
    let (a, v) = (quoted("a\(hostile)"), quoted("v\(hostile)"))
    return """
      {"daybook":1,"entities":{\(entity):{"id":"string","attributes":{\(a):"string","n":"int64"},"unique":[[\(a)]]}}}
      {"tx":1,"time":"2026-01-01T00:00:00Z","meta":{\(a):\(v),"author":\(v),"reason":\(v)},"changes":[{"op":"insert","entity":\(entity),"id":\(id),"set":{\(a):\(v),"n":1}}]}
      {"tx":2,"time":"2026-01-02T00:00:00Z","changes":[{"op":"insert","entity":\(entity),"id":\(other),"set":{\(a):\(id)}}]}
      {"tx":3,"time":"2026-01-03T00:00:00Z","meta":{"author":\(v)},"changes":[{"op":"update","entity":\(entity),"id":\(id),"set":{\(a):\(entity)}},{"op":"delete","entity":\(entity),"id":\(other)}]}
      {"tx":4,"time":"2026-01-04T00:00:00Z","meta":{"tag":{"name":\(quoted(tag)),"tx":2}},"changes":[]}

      """
  }

  /// Returns the characters of an output that a terminal obeys. On a terminal, the sequences of the
  /// tool itself are left out.
  private static func obeyed(_ shown: String, onTerminal: Bool) -> [Unicode.Scalar] {
    var shown = shown
    if onTerminal {
      shown.replace(
        /\r?\u{1B}\[(?:[0-9]+;[0-9]+H|H|K|2K|2J|\?25[hl]|\?7[hl]|\?1049[hl]|[0127]m|3[1236]m)/,
        with: "")
    }
    return shown.unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x0A: false
      case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
  }

  /// Returns the output of a command on a terminal, or in a pipe.
  private static func printed(
    _ words: [String], input: String, onTerminal: Bool, _ scratch: TemporaryDirectory
  ) throws -> String {
    guard onTerminal else {
      let command = "\(ShellText.command(words)) <\(ShellText.quoted(input))"
      return try BuiltTool.run(command, scratch).joined(separator: "\n")
    }
    let session = try TerminalSession(words, columnCount: 200, input: input)
    _ = try session.end()
    return try session.rest()
  }

  /// Commands that only read the journal, or that are refused.
  private static func commands(_ journal: String, _ new: String) -> [[String]] {
    let list = [journal, entity]
    let filter = ["--where", "\(key) != nil"]
    let sections = ["--section-by", key]
    var commands = [
      ["diff"] + list + ["--from", "1", "--to", "3"],
      ["diff"] + list + ["--from", "1", "--to", "3", "--format", "json"],
      ["history"] + list + [id], ["why"] + list + [id], ["why"] + list + [id, "--of", key],
      ["history"] + list + [id, "--format", "jsonl"], ["history"] + list + ["\(id)x"],
      ["why"] + list + ["nothing\(hostile)"],
      ["blame"] + list, ["blame"] + list + ["--format", "json"],
      ["chart"] + list + ["--of", "n"], ["chart"] + list + ["--count"],
      ["chart"] + list + ["--rank", "2"], ["chart"] + list + ["--calendar"],
      ["bisect"] + list + filter, ["bisect"] + list + filter + ["--format", "jsonl"],
      ["bisect"] + list + ["--where", "\(key) == \"none\""],
      ["log", journal], ["log", journal, "--format", "jsonl"], ["log", journal, "--oneline"],
      ["log", journal, "--entity", entity, "--id", "x\(hostile)"],
      ["log", journal, "--author", "x"],
      ["stats", journal], ["stats", journal, "--format", "json"],
      ["schema", journal], ["schema", journal, "--history"],
      ["schema", journal, "--format", "json"],
      ["tag", journal], ["tag", journal, "--format", "json"],
      ["show"] + list + ["--explain"],
      ["show"] + list + ["--explain", "--where", "\(key) == \"none\""],
      ["show"] + list + ["--vertical"], ["show"] + list + ["--group-by", key],
      ["show"] + list + ["--without", "2"], ["show"] + list + ["--at", tag],
      ["export", journal], ["verify", journal, "--deep"], ["completions", "bash", journal],
      ["backup", journal, new + "1"], ["salvage", journal, new + "2"],
      ["import", journal, new + "3"], ["report"] + list + ["-o", "-"],
      ["serve", "--stdio", journal], ["manual"], ["help", hostile],
      // None of these is a replica, and none of the words is a URL.
      ["publish", journal, hostile], ["clone", hostile, new + "4"], ["sync", journal],
      ["status", journal], ["repair", journal], ["create-log", hostile],
      ["remove-log", hostile, "--yes"],
      // Errors repeat typed words.
      ["show", journal, "F\(hostile)"], ["show"] + list + ["--sort", "b\(hostile)"],
      ["show"] + list + ["--where", "b == \"\(hostile)"], ["show"] + list + ["--x\(hostile)"],
      ["show"] + list + ["--at", hostile], ["\(hostile)"], ["show", new + "none", entity],
      ["show", journal], ["completions", hostile],
    ]
    for format in ["table", "json", "jsonl", "csv"] {
      commands.append(["show"] + list + ["--format", format])
      commands.append(["show"] + list + ["--format", format] + sections)
    }
    for form in ["callbacks", "differences", "snapshots"] {
      for format in form == "callbacks" ? ["text"] : ["text", "jsonl"] {
        commands.append(["replay"] + list + ["--as", form, "--format", format] + sections)
      }
    }
    commands.append(["replay"] + list + ["--delay", "0"] + sections)
    return commands
  }

  /// Commands that change the journal, in their order.
  private static func changes(_ journal: String) -> [[String]] {
    [
      ["append", journal], ["insert", journal, entity, "k\(hostile)", "n=2"],
      ["set", journal, entity, id, "n=3"], ["set", journal, entity, id, "b\(hostile)=1"],
      ["delete", journal, entity, "k\(hostile)"], ["delete", journal, entity, hostile],
      ["tag", journal, "u\(hostile)"], ["checkpoint", journal],
      ["erase", journal, entity, id, "--dry-run"], ["erase", journal, entity, id, "--yes"],
      ["compact", journal, "--dry-run"], ["compact", journal, "--yes"],
    ]
  }

  /// The journals of the test: a file, and a text.
  private static func journals(_ scratch: TemporaryDirectory) throws -> (file: String, text: String)
  {
    let name = "\u{1B}[5m\u{9B}5m\u{202E}"
    let text = try scratch.write(Array(Self.text.utf8), to: "t\(name).jsonl")
    let file = scratch.path("j\(name).daybook")
    _ = try BuiltTool.run(ShellText.command(["import", text, file]), scratch)
    return (file, text)
  }

  /// Expects no control character in the output of commands.
  private func check(
    _ commands: [[String]], onTerminal: Bool, _ scratch: TemporaryDirectory
  ) throws {
    let call = """
      {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"show","arguments":{"journal":\(Self.quoted("x\(Self.hostile)"))}}}

      """
    let line = """
      {"changes":[{"op":"insert","entity":\(Self.quoted("N\(Self.hostile)")),"id":1,"set":{}}]}

      """
    let requests = try scratch.write(Array(call.utf8), to: "requests")
    let lines = try scratch.write(Array(line.utf8), to: "lines")
    for words in commands {
      let shown = try Self.printed(
        words, input: words[0] == "serve" ? requests : words[0] == "append" ? lines : "/dev/null",
        onTerminal: onTerminal, scratch)
      // Hostile names are not completed.
      #expect(!shown.isEmpty || words[0] == "completions", "\(words)")
      let obeyed = Self.obeyed(shown, onTerminal: onTerminal)
      #expect(obeyed.isEmpty, "\(words): \(DisplayWidth.shown(shown))")
    }
  }

  @Test func `no command prints control characters of untrusted text on a terminal`() throws {
    try TemporaryDirectory.with { scratch in
      let (journal, text) = try Self.journals(scratch)
      let commands =
        Self.commands(journal, scratch.path("n\u{9B}")) + Self.changes(journal)
        + Self.commands(text, scratch.path("m\u{9B}"))
      try check(commands, onTerminal: true, scratch)
      // The tests below run the other two.
      let names = Set(commands.map { $0[0] }).union(["browse", "watch"])
      #expect(Tool.verbs.map(\.name).filter { !names.contains($0) } == [])
    }
  }

  /// Comma-separated values in a pipe are for other programs, and contain all values as they are.
  @Test func `no command prints control characters of untrusted text in a pipe`() throws {
    try TemporaryDirectory.with { scratch in
      let (journal, _) = try Self.journals(scratch)
      let commands =
        Self.commands(journal, scratch.path("n\u{9B}")).filter { !$0.contains("csv") }
        + Self.changes(journal)
      try check(commands, onTerminal: false, scratch)
    }
  }

  @Test(arguments: [
    ([], "tx 3"), (["--live"], "tx 3"), (["--format", "json"], "\"tx\":3"),
    (["--exec", "exit 7"], "at transaction 3"),
  ])
  func `a watch prints no control characters of untrusted text`(
    options: [String], end: String
  ) throws {
    try TemporaryDirectory.with { scratch in
      let (journal, _) = try Self.journals(scratch)
      let session = try TerminalSession(
        ["watch", journal, Self.entity, "--from", "1"] + options, columnCount: 200)
      var shown = try session.read(through: end)
      session.send(SIGINT)
      #expect(try session.end() == "exit 0")
      shown += try session.rest()
      #expect(Self.obeyed(shown, onTerminal: true).isEmpty, "\(DisplayWidth.shown(shown))")
    }
  }

  @Test func `the browser prints no control characters of untrusted text`() throws {
    try TemporaryDirectory.with { scratch in
      let (journal, _) = try Self.journals(scratch)
      let session = try TerminalSession(["browse", journal, Self.entity], columnCount: 200)
      var shown = try session.read(through: ": 1 row")
      session.send(SIGTERM)
      #expect(try session.end() == "signal \(SIGTERM)")
      shown += try session.rest()
      #expect(Self.obeyed(shown, onTerminal: true).isEmpty, "\(DisplayWidth.shown(shown))")
    }
  }

  @Test func `a line of a terminal escapes the control characters of its texts`() {
    var line = StyledLine("a\u{1B}[5m", style: .bold)
    line.append("\n\u{9B}")
    #expect(line.columnCount == 18)
    #expect(line.escaped(usesColor: true) == "\u{1B}[1ma\\u{1B}[5m\u{1B}[0m\\n\\u{9B}")
    #expect(line.escaped(usesColor: false) == "a\\u{1B}[5m\\n\\u{9B}")
  }

  /// Each of these files calls `DisplayWidth.shown`, or writes to a new file or to a process.
  @Test func `only the outputs of the tool write bytes`() throws {
    let root = "Sources/DaybookTool"
    let folders = try ProjectFiles.names(in: root).filter { !$0.hasSuffix(".swift") }
    let files =
      try ["Tool.swift"]
      + folders.flatMap { folder in
        try ProjectFiles.names(in: "\(root)/\(folder)").map { "\(folder)/\($0)" }
      }
    let writing = try files.filter { file in
      try ProjectFiles.lines("\(root)/\(file)").contains { $0.contains(".writeAll(") }
    }
    #expect(
      writing == [
        "Outputs/NewFile.swift", "Outputs/Output.swift", "Outputs/Pager.swift",
        "Outputs/Progress.swift", "Outputs/StandardError.swift", "Screens/FullScreen.swift",
        "Watches/WatchHook.swift",
      ])
  }

  @Test func `the hostile journal of the tests contains control characters`() throws {
    // The test above is meaningful only if the journal contains these sequences.
    try TemporaryDirectory.with { scratch in
      let text = try scratch.write(Array(Self.text.utf8), to: "t.jsonl")
      let lines = try BuiltTool.run("daybook show \(text) $'\(Self.entity)' --format csv", scratch)
      #expect(lines.joined().unicodeScalars.contains("\u{1B}"))
    }
  }
}
