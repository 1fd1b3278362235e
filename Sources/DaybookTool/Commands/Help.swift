/// What `--help` prints.
enum Help {
  /// Of the tool.
  static func text(of verbs: [Verb]) -> String {
    let width = verbs.map(\.name.count).max() ?? 0
    let lines = verbs.map { "  " + padded($0.name, to: width) + "  " + $0.summary }
    return """
      usage: daybook VERB JOURNAL …

      Replays and inspects journals, without the program that wrote them. JOURNAL is a journal,
      a text journal (JSON Lines), or - for a text journal on standard input.

      \(lines.joined(separator: "\n"))

      daybook VERB --help says what a verb takes, daybook --version which version this is.

      Results are printed on standard output, complaints on standard error. Exits with 0 when it
      is done, 1 if the journal has a problem, 2 if the command was not understood, 3 if the
      system refused.

      example: \(verbs.first?.example ?? "")
      """
  }

  /// Of a verb.
  static func text(of verb: Verb) -> String {
    let takes =
      verb.arguments.map { ($0.name, $0.summary) }
      + verb.flags.map { (flag: Verb.Flag) in
        ("\(flag.name)\(flag.value.map { " \($0)" } ?? "")", flag.summary)
      }
    let lines = takes.map { name, summary in
      // A long name has a line of its own.
      name.count > widthMax
        ? "  \(name)\n  " + padded("", to: widthMax) + "  \(summary)"
        : "  " + padded(name, to: widthMax) + "  \(summary)"
    }
    let arguments = verb.arguments.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    return """
      usage: daybook \(([verb.name] + arguments).joined(separator: " "))\
      \(verb.flags.isEmpty ? "" : " [FLAG …]")

      \(verb.summary.prefix(1).uppercased() + verb.summary.dropFirst()).
      \(lines.isEmpty ? "" : "\n\(lines.joined(separator: "\n"))\n")\
      \(verb.notes.isEmpty ? "" : "\n\(verb.notes)\n")
      example: \(verb.example)
      """
  }

  private static let widthMax = 24

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
