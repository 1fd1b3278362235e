import DaybookJournal
import DaybookPlatform

/// The question that a command asks before it removes history from a journal.
enum Confirmation {
  static let flags = [
    Verb.Flag(
      name: "--dry-run", value: nil, summary: "print what would be removed, and change nothing"),
    Verb.Flag(name: "--yes", value: nil, summary: "do not ask, also on a terminal"),
  ]

  /// The paragraph of the help text about the question.
  static let notes = """
    On a terminal, the command prints what it removes, and asks before it changes
    anything. Backups, and files that were exported, keep the removed data.
    """

  /// A Boolean value that indicates whether a user can see the question and answer it.
  private static var canAsk: Bool {
    FileDescriptor.standardInput.isTerminal && FileDescriptor.standardError.isTerminal
  }

  /// Returns whether the command needs a description of what it removes.
  static func needsPlan(_ invocation: Invocation) -> Bool {
    invocation.has("--dry-run") || !invocation.has("--yes") && canAsk
  }

  /// Prints what a command removes. Without `--dry-run`, asks the user.
  ///
  /// - Returns: False with `--dry-run`.
  /// - Throws: ``ToolError`` with `declined` if the answer is not yes
  static func isGiven(for plan: [String], in invocation: Invocation) throws -> Bool {
    let lines = plan.map { DisplayWidth.shown($0) }
    if invocation.has("--dry-run") {
      for line in lines { try invocation.output.line(line) }
      try invocation.output.line("Nothing was changed, because of --dry-run.")
      return false
    }
    StandardError.write(lines.joined(separator: "\n"))
    StandardError.ask("Continue? [y/N] ")
    guard ["y", "yes"].contains(answer().lowercased()) else {
      throw ToolError(.declined, sentence: "Nothing was changed.")
    }
    return true
  }

  /// Reads a line from the terminal.
  private static func answer() -> String {
    var bytes: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      let count = try? withUnsafeMutableBytes(of: &byte) { memory throws(DiskError) in
        try FileDescriptor.standardInput.read(into: memory)
      }
      guard count == 1, byte != UInt8(ascii: "\n") else { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
  }
}
