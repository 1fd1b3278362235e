/// The texts that `--help` prints, with lines of at most 80 columns.
enum Help {
  /// Returns the help text of the tool.
  static func contents(of verbs: [Verb]) -> String {
    let width = verbs.map(\.name.count).max() ?? 0
    let lines = verbs.map { item($0.name, description: $0.summary, nameWidth: width) }
    return """
      usage: daybook COMMAND JOURNAL …

      Replays and inspects journals without the program that wrote them. JOURNAL is a
      journal, a text journal (JSON Lines), or - for a text journal on standard input.

      \(lines.joined(separator: "\n"))

      'daybook COMMAND --help' describes a command, 'daybook --version' prints the
      version, and 'daybook manual | mandoc -a' shows the manual.

      Results are written to standard output, errors to standard error. The exit
      status is 0 if the command succeeded, 1 if the journal has a problem, 2 if the
      command is invalid, 3 if the system refused an operation, and 4 if the journal
      refused a change.

      \(example(verbs.first?.example ?? ""))
      """
  }

  /// Returns the help text of one command.
  static func contents(of verb: Verb) -> String {
    let items =
      verb.arguments.map { ($0.name, $0.summary) }
      + verb.flags.map { (flag: Verb.Flag) in
        ("\(flag.name)\(flag.value.map { " \($0)" } ?? "")", flag.summary)
      }
    let lines = items.map { item($0, description: $1, nameWidth: nameWidthMax) }
    let arguments = verb.arguments.map(\.synopsis)
    return """
      usage: daybook \(([verb.name] + arguments).joined(separator: " "))\
      \(verb.flags.isEmpty ? "" : " [OPTION …]")

      \(verb.summary.prefix(1).uppercased() + verb.summary.dropFirst()).
      \(lines.isEmpty ? "" : "\n\(lines.joined(separator: "\n"))\n")\
      \(verb.notes.isEmpty ? "" : "\n\(verb.notes)\n")
      \(example(verb.example))
      """
  }

  private static let columnCount = 80
  private static let nameWidthMax = 18

  /// Returns a name and its description in aligned columns. If the name is too long for its column,
  /// the description starts on the next line.
  private static func item(_ name: String, description: String, nameWidth: Int) -> String {
    let indent = String(repeating: " ", count: nameWidth + 4)
    let lines = wrapped(description, to: columnCount - indent.count)
    let start =
      name.count > nameWidth ? "  \(name)\n\(indent)" : "  \(padded(name, to: nameWidth))  "
    return start + lines.joined(separator: "\n\(indent)")
  }

  /// Returns the example on one line. If it is too long, each option has a line of its own.
  private static func example(_ command: String) -> String {
    let line = "example: \(command)"
    if line.count <= columnCount { return line }
    guard command.count + 2 > columnCount else { return "example:\n  \(command)" }
    return "example:\n  " + command.replacing(" --", with: " \\\n    --")
  }

  private static func wrapped(_ paragraph: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in paragraph.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  private static func padded(_ cell: String, to width: Int) -> String {
    cell + String(repeating: " ", count: max(0, width - cell.count))
  }
}
