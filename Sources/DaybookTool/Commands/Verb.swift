@_spi(Tools) import DaybookResults

/// The declaration of a command: its arguments, its options, and the function that runs it. The
/// tool creates the help texts, the shell completions and the manual from the declarations.
struct Verb: Sendable {
  /// A positional argument.
  struct Argument: Sendable {
    var name: String
    var summary: String
    var isOptional = false
    /// The allowed values; empty if any value is allowed.
    var choices: [String] = []
    /// A Boolean value that indicates whether the user can type several words. Only the last
    /// argument of a command can be repeated.
    var isRepeated = false

    /// The argument in a synopsis, for example `JOURNAL`, `[FILE]` or `KEY=VALUE …`.
    var synopsis: String {
      let words = isRepeated ? "\(name) …" : name
      return isOptional ? "[\(words)]" : words
    }
  }

  /// An option that starts with two dashes, or with one dash and one letter.
  struct Flag: Sendable {
    /// The name with its dashes.
    var name: String
    /// A Boolean value that indicates whether the name is one dash and one letter.
    var isShort: Bool { !name.hasPrefix("--") }
    /// The placeholder of the value, for example `F`; nil if the option takes no value.
    var value: String?
    var summary: String
    /// The allowed values; empty if any value is allowed.
    var choices: [String] = []
  }

  var name: String
  var summary: String
  var arguments: [Argument]
  var flags: [Flag]
  /// More paragraphs of the help text, in lines of at most 80 columns.
  var notes = ""
  /// An example, as a user would type it.
  var example: String
  /// A Boolean value that indicates whether a pager shows the output on a terminal.
  var isPaged = false
  /// The effect of an interruption by Ctrl-C.
  var interruption = Interruption.Outcome.unchanged
  var run: @Sendable (Invocation) throws -> ExitStatus

  /// The synopsis, for example `show JOURNAL ENTITY [--where F]`.
  var usage: String {
    let arguments = arguments.map(\.synopsis)
    let flags = flags.map { "[\($0.name)\($0.value.map { " \($0)" } ?? "")]" }
    return ([name] + arguments + flags).joined(separator: " ")
  }
}

/// The arguments and options of one run of a command. The initializer checks them against the
/// command's declaration.
struct Invocation {
  let verb: Verb
  /// All commands of the tool.
  let verbs: [Verb]
  private(set) var arguments: [String: String] = [:]
  private(set) var values: [String: String] = [:]
  private(set) var switches: Set<String> = []
  /// The indices in ``words`` of the words of the repeated argument.
  private(set) var repeatedIndexes: [Int] = []
  /// The words after the command's name, as the user typed them.
  let words: [String]
  /// The index in ``words`` of each argument and of each option's value.
  private(set) var wordIndexes: [String: Int] = [:]
  /// The missing required arguments, if ENTITY is the first of them. `checkRequired()` reports them
  /// later, because the error lists the entities of the journal.
  private(set) var missing: ArraySlice<Verb.Argument> = []
  let terminal: Terminal
  let output: Output
  /// The problems that the command found when it opened its journal.
  let trouble = JournalTrouble()

  subscript(argument: String) -> String { arguments[argument] ?? "" }

  /// Returns the value of an argument; nil if the user did not type the argument.
  func value(of argument: String) -> String? { arguments[argument] }

  /// Returns the value of an option; nil if the user did not type the option.
  func value(_ flag: String) -> String? { values[flag] }

  /// Returns whether the user typed an option that takes no value.
  func has(_ flag: String) -> Bool { switches.contains(flag) }

  /// Returns the value of an option that takes a count; nil if the user did not type the option.
  func count(_ flag: String) throws(ToolError) -> Int? {
    guard let argument = values[flag] else { return nil }
    guard let count = Int(argument), count >= 0, argument.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 })
    else {
      throw ToolError(
        .usage,
        sentence: "\(flag) needs a number, 0 or more; found '\(argument)'.",
        advice: "daybook \(verb.name) --help")
    }
    return count
  }

  init(
    _ verb: Verb, words: [String], among verbs: [Verb], on terminal: Terminal, to output: Output
  ) throws(ToolError) {
    self.verb = verb
    self.verbs = verbs
    self.words = words
    self.terminal = terminal
    self.output = output
    var positions: [Int] = []
    var index = 0
    var areFlagsOver = false
    while index < words.count {
      let word = words[index]
      if areFlagsOver || word == "-" || !word.hasPrefix("-") {
        positions.append(index)
      } else if word == "--" {
        areFlagsOver = true
      } else {
        try parse(&index, positionCount: positions.count)
      }
      index += 1
    }
    try parseArguments(positions)
  }

  private mutating func parseArguments(_ positions: [Int]) throws(ToolError) {
    let help = "daybook \(verb.name) --help"
    let needed = verb.arguments.filter { !$0.isOptional }
    guard positions.count >= needed.count else {
      let argument = needed[positions.count]
      if argument.kind == .entity, positions.count > 0 {
        missing = needed[positions.count...]
        return try parse(positions)
      }
      let choices = argument.choices.isEmpty ? "" : ": \(Invocation.list(argument.choices))"
      throw ToolError(
        .usage, sentence: "\(verb.name) needs \(argument.name)\(choices).", advice: help)
    }
    let isRepeated = verb.arguments.last?.isRepeated ?? false
    guard positions.count <= verb.arguments.count || isRepeated else {
      let extra = words[positions[verb.arguments.count]]
      throw ToolError(
        .usage,
        sentence: verb.arguments.last.map {
          "\(verb.name) takes no argument after \($0.name); found '\(extra)'."
        } ?? "\(verb.name) takes no arguments; found '\(extra)'.",
        advice: help)
    }
    try parse(positions)
  }

  /// Stores the words at some indices as the values of the arguments, from the first argument on.
  private mutating func parse(_ positions: [Int]) throws(ToolError) {
    let help = "daybook \(verb.name) --help"
    for (argument, index) in zip(verb.arguments, positions) {
      guard argument.kind != .file || !words[index].isEmpty else {
        throw ToolError(
          .usage, sentence: "\(argument.name) needs a file name; found ''.",
          advice: help)
      }
      try check(words[index], of: argument.name, among: argument.choices, at: index)
      arguments[argument.name] = words[index]
      wordIndexes[argument.name] = index
    }
    if verb.arguments.last?.isRepeated == true {
      repeatedIndexes = Array(positions.dropFirst(verb.arguments.count - 1))
    }
  }

  /// Stores an option and its value. The value is the next word, or follows an equals sign in the
  /// same word.
  private mutating func parse(_ index: inout Int, positionCount: Int) throws(ToolError) {
    let help = "daybook \(verb.name) --help"
    let word = words[index]
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard name != "--help" else {
      throw ToolError(
        .usage, sentence: "--help takes no value; found '\(parts[1])'.", advice: help)
    }
    guard let flag = verb.flags.first(where: { $0.name == name }) else {
      throw unknownFlag(name, at: index, positionCount: positionCount)
    }
    guard flag.value != nil else {
      guard parts.count == 1 else {
        throw ToolError(
          .usage, sentence: "\(name) takes no value; found '\(parts[1])'.",
          advice: command(at: index, name))
      }
      switches.insert(name)
      return
    }
    if parts.count == 1 { index += 1 }
    guard index < words.count else {
      throw ToolError(.usage, sentence: "\(name) needs a value.", advice: help)
    }
    let value = parts.count == 2 ? String(parts[1]) : words[index]
    try check(value, of: name, among: flag.choices, at: index)
    guard values.updateValue(value, forKey: name) == nil else {
      throw ToolError(
        .usage, sentence: "\(name) was typed twice; type it once.", advice: help)
    }
    wordIndexes[name] = index
  }

  /// Throws an error if a word is not an allowed value of an argument or an option.
  private func check(
    _ word: String, of name: String, among choices: [String], at index: Int
  ) throws(ToolError) {
    guard !choices.isEmpty, !choices.contains(word) else { return }
    let nearest = NearestName.nearest(to: word, among: choices)
    let isInOneWord = words[index] != word
    throw ToolError(
      .usage,
      sentence: "\(name) must be \(Invocation.list(choices)); found '\(word)'."
        + (nearest.map { " Did you mean '\($0)'?" } ?? ""),
      advice: nearest.map { command(at: index, isInOneWord ? "\(name)=\($0)" : $0) }
        ?? "daybook \(verb.name) --help")
  }

  private func unknownFlag(_ name: String, at index: Int, positionCount: Int) -> ToolError {
    let word = words[index]
    let isNumber = name.dropFirst().first?.isNumber ?? false
    if isNumber, positionCount == verb.arguments.count - 1 {
      // Only the last argument is missing and the word starts like a negative number, so it is
      // probably an identifier.
      let others = words[..<index] + words[(index + 1)...]
      return ToolError(
        .usage,
        sentence:
          "\(verb.name) has no option '\(name)'. Type -- before an argument that starts with -.",
        advice: ShellText.command([verb.name] + others + ["--", word]))
    }
    let nearest = NearestName.nearest(to: name, among: verb.flags.map(\.name) + ["--help"])
    return ToolError(
      .usage,
      sentence:
        "\(verb.name) has no option '\(name)'\(nearest.map { "; did you mean '\($0)'?" } ?? ".")",
      advice: nearest.flatMap { corrected(at: index, $0 + word.dropFirst(name.count)) }
        ?? "daybook \(verb.name) --help")
  }

  /// Returns the command line with a corrected option. Returns nil if the next word cannot be the
  /// value of the corrected option.
  private func corrected(at index: Int, _ word: String) -> String? {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if let flag = verb.flags.first(where: { $0.name == parts[0] }) {
      let next = index + 1 < words.count ? words[index + 1] : nil
      let value = parts.count == 2 ? String(parts[1]) : flag.value.flatMap { _ in next }
      guard (value == nil) == (flag.value == nil) else { return nil }
      if let value, !flag.choices.isEmpty, !flag.choices.contains(value) { return nil }
    }
    return command(at: index, word)
  }

  /// Returns a list such as `table, json or csv`.
  static func list(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
