import DaybookResults
import TestSupport
import Testing

@testable import DaybookTool

/// The manual page and its content.
@Suite struct `The manual` {
  private static let lines = Manual.contents(of: Tool.verbs).split(separator: "\n").map(String.init)

  @Test func `the manual has every command with its arguments, options and notes`() throws {
    for verb in Tool.verbs {
      let section = try #require(self.section(of: verb))
      #expect(section.contains(".Cm \(ManualText.word(verb.name))"))
      for argument in verb.arguments {
        #expect(section.contains(".It \(ManualText.argument(argument.name))"), "\(argument.name)")
      }
      for flag in verb.flags {
        #expect(
          section.contains(".It \(ManualText.flag(flag.name, value: flag.value))"), "\(flag.name)")
        for choice in flag.choices { #expect(section.contains { words($0).contains(choice) }) }
      }
      let said = Set(section.flatMap(words))
      for word in words(verb.notes + " " + verb.summary) {
        // The first letter of a sentence is upper case.
        #expect(said.contains(word) || said.contains(word.capitalized), "\(verb.name): \(word)")
      }
    }
  }

  @Test func `the manual has every exit status`() {
    for status in ExitStatus.allCases {
      #expect(`The manual`.lines.contains(".It \(status.rawValue)"))
    }
  }

  @Test(.enabled(if: BuiltTool.has("mandoc"), "mandoc is not installed"))
  func `mandoc reports no problem in the manual`() throws {
    try TemporaryDirectory.with { scratch in
      let problems = try BuiltTool.run(
        "daybook manual > $SCRATCH/daybook.1; mandoc -T lint $SCRATCH/daybook.1", scratch)
      #expect(problems == [])
    }
  }

  @Test(.enabled(if: BuiltTool.has("mandoc"), "mandoc is not installed"))
  func `the manual shows special characters of a command unchanged`() throws {
    try TemporaryDirectory.with { scratch in
      try scratch.write(Array((Manual.contents(of: [OddVerb.verb]) + "\n").utf8), to: "daybook.1")
      #expect(try BuiltTool.run("mandoc -T lint $SCRATCH/daybook.1", scratch) == [])
      let shown = try BuiltTool.run(
        "mandoc -T ascii -O width=300 $SCRATCH/daybook.1 | col -b | expand", scratch)
      let text = shown.joined(separator: "\n")
      for line in [
        #"It's [a] "b": \n $HOME `id` 100% <c> & d; {e,f} ~ #g ..."#,
        #"--deep-fried [it's: "T"]|\x"#,
        #".Sh is no section.  'tis a line that begins with a sign.  'And so does this one: \fBbold"#,
        #"daybook knead .hidden 'it'\''s'"#,
        #".daybook knead \"this\""#,
      ] {
        #expect(text.contains(line), "\(line)")
      }
    }
  }

  @Test(.enabled(if: BuiltTool.has("mandoc"), "mandoc is not installed"))
  func `the rendered manual shows all commands and options`() throws {
    try TemporaryDirectory.with { scratch in
      let shown = try BuiltTool.run(
        "daybook manual | mandoc -T ascii -O width=300 | col -b | expand", scratch)
      let text = shown.joined(separator: "\n")
      for verb in Tool.verbs {
        #expect(text.contains("\n   \(verb.name)\n"), "\(verb.name)")
        for flag in verb.flags {
          #expect(text.contains("\n     \(plain(flag.name, flag.value))"), "\(flag.name)")
        }
      }
      // These lines contain characters that have a meaning in mdoc.
      for line in [
        #" \\ \" \' \n \t and \u{41} are escapes."#, " == != < <= > >= ", #"name LIKE "A*""#,
        "$HOME/.local".replacing("$HOME", with: "~"), "${fpath[1]}/_daybook",
      ] {
        #expect(text.contains(line), "\(line)")
      }
    }
  }

  @Test func `the examples of the manual can be run in order`() throws {
    try TemporaryDirectory.with { scratch in
      for (_, commands) in Manual.examples {
        for command in commands {
          let printed = try BuiltTool.run(
            "ln -sf $PWD/Journal/Samples/*.jsonl $SCRATCH; cd $SCRATCH; \(command)", scratch)
          #expect(!printed.isEmpty && !printed.contains { $0.hasPrefix("[exit") }, "\(command)")
        }
      }
    }
  }

  @Test func `the filters of the manual are valid`() throws {
    let language = try #require(Manual.chapters.first { $0.0 == "FILTER LANGUAGE" })
    let filters = language.1.split(separator: "\n").filter { $0.hasPrefix("  ") }
    #expect(filters.count == 3)
    for filter in filters { #expect(throws: Never.self) { try Filter(String(filter)) } }
  }

  // MARK: Reading the page

  private func section(of verb: Verb) -> [String]? {
    let lines = `The manual`.lines
    guard let begin = lines.firstIndex(of: ".Ss \(ManualText.word(verb.name))") else { return nil }
    let rest = lines[(begin + 1)...]
    return Array(rest.prefix { !$0.hasPrefix(".Ss") && !$0.hasPrefix(".Sh") })
  }

  /// Returns the words of a text, without the escapes of mdoc.
  private func words(_ text: String) -> [String] {
    text.replacing("\\-", with: "-").replacing("\\(aq", with: "'").replacing("\\(ti", with: "~")
      .replacing("\\(ga", with: "`").replacing("\\&", with: "").replacing("…", with: "...")
      .split { $0.isWhitespace }.map { word in
        String(word.reversed().drop { ".,:;".contains($0) }.reversed())
      }
  }

  private func plain(_ name: String, _ value: String?) -> String {
    name + (value.map { " \($0.replacing("…", with: "..."))" } ?? "")
  }
}
