import TestSupport
import Testing

@testable import DaybookTool

/// The completions that bash offers.
@Suite struct `Completions in bash` {
  @Test func `bash offers the words that fit where the user types`() throws {
    try Shell.bash.offersWhatCanStand()
  }

  @Test func `bash offers every command with its options and choices`() throws {
    try Shell.bash.offersEverything(alsoOfTool: ["--help", "--version"])
  }

  @Test func `bash completes a command with unusual names`() throws {
    try Shell.bash.offersWhatIsOdd()
  }
}

/// The completions that zsh offers. Without zsh these tests are skipped, and the report says so.
@Suite(.enabled(if: BuiltTool.has("zsh"), "zsh is not installed"))
struct `Completions in zsh` {
  @Test func `zsh offers the words that fit where the user types`() throws {
    try Shell.zsh.offersWhatCanStand()
  }

  @Test func `zsh offers every command with its options and choices`() throws {
    try Shell.zsh.offersEverything(alsoOfTool: [])
  }

  @Test func `zsh completes a command with unusual names`() throws {
    try Shell.zsh.offersWhatIsOdd()
  }
}

/// The completions that fish offers. Without fish these tests are skipped, and the report says so.
@Suite(.enabled(if: BuiltTool.has("fish"), "fish is not installed"))
struct `Completions in fish` {
  @Test func `fish offers the words that fit where the user types`() throws {
    try Shell.fish.offersWhatCanStand()
  }

  @Test func `fish offers every command with its options and choices`() throws {
    try Shell.fish.offersEverything(alsoOfTool: [])
  }

  @Test func `fish completes a command with unusual names`() throws {
    try Shell.fish.offersWhatIsOdd()
  }
}

/// A shell that is run to list its completions. All shells must offer the same.
private enum Shell: String {
  case bash, zsh, fish

  func offersWhatCanStand() throws {
    let games = "Journal/Samples/games.jsonl"
    try expect([
      "daybook sh| show",
      "daybook nowhere | ",
      "daybook show READ| README.md",
      "daybook show \(games) | Game",
      "daybook show \(games) G| Game",
      "daybook show \(games) X| ",
      "daybook show nowhere.jsonl | ",
      "daybook show -- \(games) | Game",
      "daybook show --limit 5 \(games) | Game",
      "daybook show --limit=5 \(games) | Game",
      "daybook show \(games) --sort name:desc | Game",
      "daybook show \(games) Game --se| --section-by",
      "daybook show \(games) Game --format | csv json jsonl table",
      "daybook show \(games) Game --format=| csv json jsonl table",
      "daybook show \(games) Game --format=js| json jsonl",
      "daybook show \(games) Game --sort name:desc --format cs| csv",
      "daybook log \(games) --entity | Game",
      "daybook import LIC| LICENSE",
      "daybook completions | bash fish zsh",
      "daybook help sal| salvage",
    ])
  }

  func offersEverything(alsoOfTool: [String]) throws {
    func line(_ typed: String, _ offers: [String]) -> String {
      "\(typed)| \(offers.sorted().joined(separator: " "))"
    }
    var lines = [line("daybook ", Tool.verbs.map(\.name) + alsoOfTool)]
    for verb in Tool.verbs {
      let names = verb.flags.map(\.name).filter { $0.hasPrefix("--") }
      lines.append(line("daybook \(verb.name) --", names + ["--help"]))
      for flag in verb.flags where flag.kind == .file {
        lines.append(line("daybook \(verb.name) \(flag.name) READ", ["README.md"]))
      }
      for flag in verb.flags where !flag.choices.isEmpty {
        lines.append(line("daybook \(verb.name) \(flag.name) ", flag.choices))
      }
    }
    try expect(lines)
  }

  func offersWhatIsOdd() throws {
    let verbs = [OddVerb.verb]
    let script =
      switch self {
      case .bash: BashCompletion.script(of: verbs)
      case .zsh: ZshCompletion.script(of: verbs)
      case .fish: FishCompletion.script(of: verbs)
      }
    try expect(
      [
        "daybook kn| knead",
        "daybook knead READ| README.md",
        "daybook knead --deep READ| README.md",
        "daybook knead --deep-fried READ| ",
        "daybook knead --deep-fried x READ| README.md",
        "daybook knead --dee| --deep --deep-fried",
        "daybook knead --as ro| roll",
        "daybook knead x --as=lo| loaf",
        "daybook knead x l| loaf",
        "daybook knead x loaf r| ",
      ], of: script)
  }

  /// Types the text before `|` in each line, and expects the sorted words after it as completions.
  ///
  /// - Parameters:
  ///   - lines: The typed texts and their completions.
  ///   - script: The completion script; nil for the script of the tool.
  private func expect(_ lines: [String], of script: String? = nil) throws {
    let asked = ProjectFiles.path("Tests/DaybookToolTests/Shells/\(rawValue).\(rawValue)")
    let words = lines.map { ShellText.quoted(String($0.prefix { $0 != "|" })) }
    let offered = try TemporaryDirectory.with { scratch in
      let made = "daybook completions \(rawValue) > $SCRATCH/completions"
      if let script { try scratch.write(Array(script.utf8), to: "completions") }
      return try BuiltTool.run(
        "export HOME=$SCRATCH; \(script == nil ? made : "true") && "
          + "\(command) '\(asked)' $SCRATCH/completions \(words.joined(separator: " "))", scratch)
    }
    #expect(offered == lines)
  }

  /// The command that starts the shell without the user's configuration.
  private var command: String {
    switch self {
    case .bash: "bash --norc"
    case .zsh: "zsh -f"
    case .fish: "fish --no-config"
    }
  }
}
