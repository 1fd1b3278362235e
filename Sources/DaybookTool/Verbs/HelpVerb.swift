/// `daybook help`: what there is to type.
enum HelpVerb {
  static let verb = Verb(
    name: "help", summary: "say what the tool does, or what a verb takes",
    arguments: [
      Verb.Argument(
        name: "VERB", summary: "which verb; nothing for the whole tool", isOptional: true)
    ],
    flags: [],
    notes: "daybook VERB --help says the same.",
    example: "daybook help show",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let text =
      try invocation.value(of: "VERB").map { name throws(ToolError) in
        let verb = try Verb.named(name, among: invocation.verbs) { nearest in
          invocation.command(at: invocation.places["VERB"] ?? 0, nearest)
        }
        return Help.text(of: verb)
      } ?? Help.text(of: invocation.verbs)
    try invocation.output.line(Terminal.own(text, isPlain: invocation.terminal.isPlain))
    return .done
  }
}
