/// `daybook completions`: prints a completion script for a shell, or the entity names of a journal
/// for that script.
enum CompletionsVerb {
  static let verb = Verb(
    name: "completions", summary: "print a completion script for a shell",
    arguments: [
      Verb.Argument(
        name: "SHELL", summary: "bash, zsh or fish", choices: ["bash", "zsh", "fish"]),
      Verb.Argument(
        name: "JOURNAL", summary: "print the entities of this journal instead, one per line",
        isOptional: true),
    ],
    flags: [],
    notes: """
      Write the script to the directory where the shell looks for completions:

        daybook completions bash > ~/.local/share/bash-completion/completions/daybook
        daybook completions zsh > "${fpath[1]}/_daybook"
        daybook completions fish > ~/.config/fish/completions/daybook.fish

      To try it in bash or zsh: source <(daybook completions bash). To complete the
      name of an entity, the script reads the whole journal that was typed. This takes
      a while if the journal is long.
      """,
    example: "daybook completions bash > ~/.local/share/bash-completion/completions/daybook",
    interruption: .silent,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    if let name = invocation.value(of: "JOURNAL") {
      let journal = try OpenJournal(name)
      // Empty names, and names with control characters, are left out, because shells cannot
      // complete them.
      for name in journal.store.snapshot.entities.map(\.name)
      where !name.isEmpty && DisplayWidth.shown(name) == name {
        try invocation.output.line(name)
      }
      return try invocation.end(with: journal)
    }
    switch invocation["SHELL"] {
    case "zsh": try invocation.output.lines(ZshCompletion.script(of: invocation.verbs))
    case "fish": try invocation.output.lines(FishCompletion.script(of: invocation.verbs))
    default: try invocation.output.lines(BashCompletion.script(of: invocation.verbs))
    }
    return .done
  }
}
