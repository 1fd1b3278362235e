/// `daybook help`: prints the help text of the tool or of one command.
enum HelpVerb {
  static let verb = Verb(
    name: "help", summary: "describe the tool, or one of its commands",
    arguments: [
      Verb.Argument(
        name: "COMMAND", summary: "the command; without it, the whole tool", isOptional: true)
    ],
    flags: [],
    notes: "'daybook COMMAND --help' prints the same text.",
    example: "daybook help show",
    interruption: .silent,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let page =
      try invocation.value(of: "COMMAND").map { name throws(ToolError) in
        let verb = try Verb.named(name, among: invocation.verbs) { nearest in
          invocation.command(at: invocation.wordIndexes["COMMAND"] ?? 0, nearest)
        }
        return Help.contents(of: verb)
      } ?? Help.contents(of: invocation.verbs)
    try invocation.output.lines(Terminal.own(page, isPlain: invocation.terminal.isPlain))
    return .done
  }
}
