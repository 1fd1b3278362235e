import DaybookResults
import TestSupport
import Testing

@testable import DaybookTool

/// The help texts of all commands.
@Suite struct `Help texts` {
  @Test(arguments: Tool.verbs.map(\.name))
  func `the help of a command is the same for every way to request it`(
    name: String
  ) throws {
    try TemporaryDirectory.with { scratch in
      let help = try BuiltTool.run("daybook help \(name)", scratch)
      #expect(help.first?.hasPrefix("usage: daybook \(name)") == true)
      #expect(try BuiltTool.run("daybook \(name) --help", scratch) == help)
      #expect(try BuiltTool.run("daybook \(name) nothing -h --nothing", scratch) == help)
      #expect(try BuiltTool.run("daybook --help \(name)", scratch) == help)
    }
  }

  @Test(arguments: Tool.verbs) func `the names of a command's arguments and options are unique`(
    verb: Verb
  ) {
    #expect(Tool.verbs.count { $0.name == verb.name } == 1)
    let names = verb.arguments.map(\.name) + verb.flags.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: Tool.verbs) func `each command has an example`(
    verb: Verb
  ) {
    #expect(verb.example.hasPrefix("daybook \(verb.name)"))
  }

  @Test func `the help of the tool fits in 80 columns`() {
    expectFit(Help.contents(of: Tool.verbs))
  }

  @Test(arguments: Tool.verbs) func `the help of each command fits in 80 columns`(verb: Verb) {
    expectFit(Help.contents(of: verb))
  }

  private func expectFit(_ text: String) {
    for line in text.split(separator: "\n") { #expect(DisplayWidth.columns(line) <= 80, "\(line)") }
  }

  @Test func `the help of show has valid filters and names their chapter`() {
    let lines = Help.contents(of: ShowVerb.verb).split(separator: "\n")
    let filters = lines.filter { $0.hasPrefix("  --where '") }
    #expect(filters.count == 4)
    for filter in filters {
      #expect(throws: Never.self) {
        try Filter(String(filter.dropFirst("  --where '".count).dropLast()))
      }
    }
    let chapter = "FILTER LANGUAGE"
    #expect(lines.contains { $0.contains("the chapter \(chapter)") })
    #expect(Manual.chapters.contains { $0.0 == chapter })
  }

  @Test(arguments: Tool.verbs) func `a misspelled command leads to a suggestion`(verb: Verb) throws
  {
    // Swap two letters.
    var letters = Array(verb.name)
    letters.swapAt(0, 1)
    let name = String(letters)
    #expect {
      _ = try Verb.named(name, among: Tool.verbs) { "daybook \($0) J" }
    } throws: {
      ($0 as? ToolError)?.advice == "daybook \(verb.name) J"
    }
  }
}

extension Verb: @retroactive CustomTestStringConvertible {
  /// The name in test reports.
  public var testDescription: String { name }
}
