import TestSupport
import Testing

@testable import DaybookTool

/// No text of a journal, a command or a file name changes the state of a terminal.
@Suite struct `Untrusted text on a terminal` {
  /// Escape sequences, C0 and C1 control characters, a delete, line separators and bidirectional
  /// overrides.
  private static let hostile = "\u{1B}[2J\u{7}\r\u{8}\u{9B}1m\u{7F}\u{2028}\u{202E}\u{2066}"

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

  /// A journal of three transactions with hostile text wherever a text is possible.
  private static var text: String {
    let (entity, id, other) = (quoted(entity), quoted(id), quoted("j\(hostile)"))
    let (a, r, v) = (quoted("a\(hostile)"), quoted("r\(hostile)"), quoted("v\(hostile)"))
    return """
      {"daybook":1,"entities":{\(entity):{"id":"string","attributes":{\(a):"string",\(r):"ref:" }}}}
      {"tx":1,"time":"2026-01-01T00:00:00Z","meta":{\(a):\(v),"author":\(v)},"changes":[{"op":"insert","entity":\(entity),"id":\(id),"set":{\(a):\(v)}}]}
      {"tx":2,"time":"2026-01-02T00:00:00Z","changes":[{"op":"insert","entity":\(entity),"id":\(other),"set":{\(a):\(id)}}]}
      {"tx":3,"time":"2026-01-03T00:00:00Z","changes":[{"op":"update","entity":\(entity),"id":\(id),"set":{\(a):\(entity)}},{"op":"delete","entity":\(entity),"id":\(other)}]}

      """.replacing(",\(r):\"ref:\" ", with: "")
  }

  /// Returns the output of a command on a terminal, without the escape sequences of the tool
  /// itself.
  private static func printed(_ words: [String]) throws -> String {
    let session = try TerminalSession(words, columnCount: 200)
    _ = try session.end()
    var shown = try session.rest()
    for own in [0, 1, 2] + Array(30...37) { shown = shown.replacing("\u{1B}[\(own)m", with: "") }
    return shown
  }

  private static func commands(_ journal: String, _ new: String) -> [[String]] {
    let list = [journal, entity]
    let filter = ["--where", "#\"a\(hostile)\" != nil"]
    let sections = ["--section-by", "#\"a\(hostile)\""]
    var commands = [
      ["diff"] + list + ["--from", "1", "--to", "3"],
      ["diff"] + list + ["--from", "1", "--to", "3", "--format", "json"],
      ["history"] + list + [id], ["why"] + list + [id],
      ["history"] + list + [id, "--format", "jsonl"], ["history"] + list + ["\(id)x"],
      ["why"] + list + ["nothing\(hostile)"],
      ["bisect"] + list + filter, ["bisect"] + list + filter + ["--format", "jsonl"],
      ["log", journal], ["log", journal, "--format", "jsonl"],
      ["log", journal, "--entity", entity, "--id", "x\(hostile)"],
      ["stats", journal], ["stats", journal, "--format", "json"],
      ["export", journal], ["verify", journal, "--deep"], ["completions", "bash", journal],
      ["backup", journal, new + "1"], ["salvage", journal, new + "2"],
      ["import", journal, new + "3"],
      // Errors repeat typed words.
      ["show", journal, "F\(hostile)"], ["show"] + list + ["--sort", "b\(hostile)"],
      ["show"] + list + ["--where", "b == \"\(hostile)"], ["show"] + list + ["--x\(hostile)"],
      ["show"] + list + ["--at", hostile], ["\(hostile)"], ["show", new + "none", entity],
      ["show", journal],
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
    return commands
  }

  @Test func `no command prints control characters of untrusted text`() throws {
    try TemporaryDirectory.with { scratch in
      let name = "\u{1B}[2J\u{9B}2J\u{202E}"
      let text = try scratch.write(Array(Self.text.utf8), to: "t\(name).jsonl")
      let journal = scratch.path("j\(name).daybook")
      var commands = [["import", text, journal]] + Self.commands(journal, scratch.path("n\(name)"))
      commands += Self.commands(text, scratch.path("m\(name)"))
      // These commands change the journal, so they run last.
      commands += [
        ["erase", journal, Self.entity, Self.id, "--yes"], ["compact", journal, "--yes"],
      ]
      for words in commands {
        let shown = try Self.printed(words)
        // Hostile names are not completed.
        #expect(shown.isEmpty == (words[0] == "completions"), "\(words)")
        let obeyed = shown.unicodeScalars.filter { scalar in
          switch scalar.value {
          case 0x0A: false
          case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
          default: false
          }
        }
        #expect(obeyed.isEmpty, "\(words.first ?? ""): \(DisplayWidth.shown(shown))")
      }
    }
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
