/// `daybook completions`: a script by which a shell completes words.
enum CompletionsVerb {
  static let verb = Verb(
    name: "completions", summary: "print a script by which a shell completes what is typed",
    arguments: [
      Verb.Argument(
        name: "SHELL", summary: "bash, zsh or fish", choices: ["bash", "zsh", "fish"]),
      Verb.Argument(
        name: "JOURNAL", summary: "whose entities are printed instead, a line each",
        isOptional: true),
    ],
    flags: [],
    notes: """
      A shell finds the script where it looks for such scripts:

        daybook completions bash > ~/.local/share/bash-completion/completions/daybook
        daybook completions zsh > "${fpath[1]}/_daybook"
        daybook completions fish > ~/.config/fish/completions/daybook.fish

      bash and zsh can also read it at once: source <(daybook completions bash).
      The scripts ask for the entities of a journal that has been typed, which reads
      all of it: that of a long journal takes a while.
      """,
    example: "daybook completions bash > ~/.local/share/bash-completion/completions/daybook",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    if let name = invocation.value(of: "JOURNAL") {
      let journal = try OpenJournal(name)
      // What is no word on a terminal is not completed.
      for name in journal.store.snapshot.entities.map(\.name)
      where !name.isEmpty && DisplayWidth.shown(name) == name {
        try invocation.output.line(name)
      }
      return try invocation.end(with: journal)
    }
    switch invocation["SHELL"] {
    case "zsh": try invocation.output.line(ZshCompletion.text(of: invocation.verbs))
    case "fish": try invocation.output.line(FishCompletion.text(of: invocation.verbs))
    default: try invocation.output.line(BashCompletion.text(of: invocation.verbs))
    }
    return .done
  }
}
