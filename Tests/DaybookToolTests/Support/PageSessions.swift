import TestSupport

/// The recorded shell sessions in the `console` blocks of a page.
enum PageSessions {
  /// Returns the lines of a page with the current output of its commands, and the number of
  /// commands. All commands share a scratch directory.
  static func played(_ lines: [String]) throws -> (lines: [String], commandCount: Int) {
    try TemporaryDirectory.with { scratch in
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
      return (played, commandCount)
    }
  }

  /// Returns the lines with all times of the current transactions replaced, because they differ in
  /// each run.
  static func withoutTimes(_ lines: [String]) -> [String] {
    lines.map { $0.replacing(/20\d\d-\d\d-\d\dT[0-9:.]+Z/, with: "2026-11-27T09:00:00Z") }
  }
}
