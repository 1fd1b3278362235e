import TestSupport

@testable import DaybookTool

/// An invented command. Its texts contain characters that have a meaning in shells and in mdoc.
enum OddVerb {
  private static let signs = #"it's [a] "b": \n $HOME `id` 100% <c> & d; {e,f} ~ #g …"#

  static let verb = Verb(
    name: "knead", summary: signs,
    arguments: [
      Verb.Argument(name: "TEXT", summary: signs),
      Verb.Argument(name: "FORM", summary: signs, isOptional: true, choices: ["loaf", "roll"]),
    ],
    flags: [
      Verb.Flag(name: "--deep", summary: signs),
      Verb.Flag(name: "--deep-fried", value: #"[it's: "T"]|\x"#, summary: signs),
      Verb.Flag(name: "--as", value: "FORM", summary: signs, choices: ["loaf", "roll"]),
    ],
    notes: """
      .Sh is no section. 'tis a line that begins with a sign.
      'And so does this one: \\fBbold\\fR is not bold.

        daybook knead .hidden 'it'\\''s'
      .
      """,
    example: ".daybook knead \\\"this\\\"",
    run: { _ in .done })
}
