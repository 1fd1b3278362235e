import TestSupport

/// A shell session as text: each command after `$ `, and below it its output.
///
/// ```
/// $ daybook show Journal/Samples/games.jsonl Gmae
/// no entity 'Gmae'; did you mean 'Game'?
/// [exit 2]
/// ```
///
/// Standard error follows standard output. `[exit N]` follows if the exit status is not 0.
/// `$SCRATCH` is a directory for this session only. The lines before the first command describe the
/// session.
struct ToolTranscript {
  let name: String
  private let lines: [String]

  static let directory = "Tests/DaybookToolTests/Transcripts"

  static var names: [String] {
    get throws { try ProjectFiles.names(in: directory).filter { $0.hasSuffix(".txt") } }
  }

  init(_ name: String) throws {
    self.name = name
    lines = try ProjectFiles.lines("\(ToolTranscript.directory)/\(name)")
  }

  /// Returns the session with the output of the current build.
  func played() throws -> [String] {
    try TemporaryDirectory.with { scratch in
      var played = Array(lines.prefix { !$0.hasPrefix("$ ") })
      for (index, command) in lines.filter({ $0.hasPrefix("$ ") }).enumerated() {
        if index > 0 { played.append("") }
        played.append(command)
        played += try BuiltTool.run(String(command.dropFirst(2)), scratch)
      }
      return played + [""]
    }
  }
}
