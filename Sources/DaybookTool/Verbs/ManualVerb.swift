/// `daybook manual`: the manual page.
enum ManualVerb {
  static let verb = Verb(
    name: "manual", summary: "print the manual page, in the language of man",
    arguments: [], flags: [],
    notes: """
      man finds the page where it looks for such pages:

        daybook manual > ~/.local/share/man/man1/daybook.1

      Where man cannot show it at once, mandoc can: daybook manual | mandoc -a.
      """,
    example: "daybook manual > ~/.local/share/man/man1/daybook.1",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.output.line(Manual.text(of: invocation.verbs))
    return .done
  }
}
