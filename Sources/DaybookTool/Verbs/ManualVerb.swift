/// `daybook manual`: prints the manual page.
enum ManualVerb {
  static let verb = Verb(
    name: "manual", summary: "print the manual page in mdoc format",
    arguments: [], flags: [],
    notes: """
      To read it without installing it: daybook manual | mandoc -a. To install it,
      write it to a directory where man looks for pages:

        daybook manual > ~/.local/share/man/man1/daybook.1
      """,
    example: "daybook manual > ~/.local/share/man/man1/daybook.1",
    interruption: .silent,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.output.lines(Manual.contents(of: invocation.verbs))
    return .done
  }
}
