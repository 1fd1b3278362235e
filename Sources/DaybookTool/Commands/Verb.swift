@_spi(Tools) import DaybookResults

/// What a verb takes, and what it does: help, completions and the manual are made of it.
struct Verb: Sendable {
  /// What stands behind the verb without a flag before it.
  struct Argument: Sendable {
    var name: String
    var summary: String
    var isOptional = false
    /// What it may be, if it is one of a few.
    var choices: [String] = []
  }

  /// What stands behind two dashes.
  struct Flag: Sendable {
    /// With its dashes.
    var name: String
    /// What stands behind it; nil if nothing does.
    var value: String?
    var summary: String
    /// What the value may be, if it is one of a few.
    var choices: [String] = []
  }

  var name: String
  var summary: String
  var arguments: [Argument]
  var flags: [Flag]
  /// What else there is to say, in lines of at most 80 columns.
  var notes = ""
  /// A command as somebody would type it.
  var example: String
  var run: @Sendable (Invocation) throws -> ExitStatus

  /// `show JOURNAL ENTITY [--where F]`
  var usage: String {
    let arguments = arguments.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    let flags = flags.map { "[\($0.name)\($0.value.map { " \($0)" } ?? "")]" }
    return ([name] + arguments + flags).joined(separator: " ")
  }
}

/// What was typed behind a verb, held against what it takes.
struct Invocation {
  let verb: Verb
  /// All that the tool has.
  let verbs: [Verb]
  private(set) var arguments: [String: String] = [:]
  private(set) var values: [String: String] = [:]
  private(set) var switches: Set<String> = []
  /// What was typed behind the verb.
  let words: [String]
  /// Where among the words each argument stands, and the value of each flag.
  private(set) var places: [String: Int] = [:]
  /// What is needed and does not stand there, from an entity on: which there are is for the journal to say.
  private(set) var missing: ArraySlice<Verb.Argument> = []
  let terminal: Terminal
  let output: Output
  /// What is the matter with the journal, once it is open.
  let trouble = JournalTrouble()

  subscript(argument: String) -> String { arguments[argument] ?? "" }

  /// An argument; nil if that was not given.
  func value(of argument: String) -> String? { arguments[argument] }

  /// What stands behind a flag; nil if that was not given.
  func value(_ flag: String) -> String? { values[flag] }

  /// Whether a flag was given that takes no value.
  func has(_ flag: String) -> Bool { switches.contains(flag) }

  /// The number behind a flag.
  func count(_ flag: String) throws(ToolError) -> Int? {
    guard let text = values[flag] else { return nil }
    guard let count = Int(text), count >= 0, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
      throw ToolError(
        .misunderstood,
        sentence: "'\(flag)' takes a number that is not below 0, and '\(text)' is none.",
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
    var place = 0
    var areFlagsOver = false
    while place < words.count {
      let word = words[place]
      if areFlagsOver || word == "-" || !word.hasPrefix("-") {
        positions.append(place)
      } else if word == "--" {
        areFlagsOver = true
      } else {
        try take(&place, positionCount: positions.count)
      }
      place += 1
    }
    try takeArguments(positions)
  }

  private mutating func takeArguments(_ positions: [Int]) throws(ToolError) {
    let help = "daybook \(verb.name) --help"
    let needed = verb.arguments.filter { !$0.isOptional }
    guard positions.count >= needed.count else {
      let argument = needed[positions.count]
      if argument.kind == .entity, positions.count > 0 {
        missing = needed[positions.count...]
        return try take(positions)
      }
      let choices = argument.choices.isEmpty ? "" : ": \(Invocation.list(argument.choices))"
      throw ToolError(
        .misunderstood, sentence: "'\(verb.name)' needs \(argument.name)\(choices).", advice: help)
    }
    guard positions.count <= verb.arguments.count else {
      let extra = words[positions[verb.arguments.count]]
      throw ToolError(
        .misunderstood,
        sentence: verb.arguments.last.map {
          "'\(verb.name)' takes nothing behind \($0.name), and '\(extra)' stands there."
        } ?? "'\(verb.name)' takes no arguments, and '\(extra)' stands there.",
        advice: help)
    }
    try take(positions)
  }

  /// Takes the arguments that stand at some places, the first and those behind it.
  private mutating func take(_ positions: [Int]) throws(ToolError) {
    let help = "daybook \(verb.name) --help"
    for (argument, place) in zip(verb.arguments, positions) {
      guard argument.kind != .file || !words[place].isEmpty else {
        throw ToolError(
          .misunderstood, sentence: "\(argument.name) is empty, and no file is named so.",
          advice: help)
      }
      try check(words[place], of: argument.name, among: argument.choices, at: place)
      arguments[argument.name] = words[place]
      places[argument.name] = place
    }
  }

  /// Takes a flag, and the value behind it or behind its equals sign.
  private mutating func take(_ place: inout Int, positionCount: Int) throws(ToolError) {
    let help = "daybook \(verb.name) --help"
    let word = words[place]
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard name != "--help" else {
      throw ToolError(.misunderstood, sentence: "'--help' takes no value.", advice: help)
    }
    guard let flag = verb.flags.first(where: { $0.name == name }) else {
      throw unknownFlag(name, at: place, positionCount: positionCount)
    }
    guard flag.value != nil else {
      guard parts.count == 1 else {
        throw ToolError(
          .misunderstood, sentence: "'\(name)' takes no value.", advice: command(at: place, name))
      }
      switches.insert(name)
      return
    }
    if parts.count == 1 { place += 1 }
    guard place < words.count else {
      throw ToolError(.misunderstood, sentence: "'\(name)' needs a value.", advice: help)
    }
    let value = parts.count == 2 ? String(parts[1]) : words[place]
    try check(value, of: name, among: flag.choices, at: place)
    guard values.updateValue(value, forKey: name) == nil else {
      throw ToolError(.misunderstood, sentence: "'\(name)' stands there twice.", advice: help)
    }
    places[name] = place
  }

  /// Holds a word against the few that it may be.
  private func check(
    _ word: String, of name: String, among choices: [String], at place: Int
  ) throws(ToolError) {
    guard !choices.isEmpty, !choices.contains(word) else { return }
    let nearest = NearestName.nearest(to: word, among: choices)
    let isInOneWord = words[place] != word
    throw ToolError(
      .misunderstood,
      sentence: (name.hasPrefix("-") ? "'\(name)'" : name)
        + " is \(Invocation.list(choices)), and '\(word)' is none of these"
        + (nearest.map { "; '\($0)' is the nearest." } ?? "."),
      advice: nearest.map { command(at: place, isInOneWord ? "\(name)=\($0)" : $0) }
        ?? "daybook \(verb.name) --help")
  }

  private func unknownFlag(_ name: String, at place: Int, positionCount: Int) -> ToolError {
    let word = words[place]
    let isNumber = name.dropFirst().first?.isNumber ?? false
    if isNumber, positionCount == verb.arguments.count - 1 {
      // An identifier below 0 is what this is most likely to be.
      let others = words[..<place] + words[(place + 1)...]
      return ToolError(
        .misunderstood,
        sentence:
          "'\(verb.name)' has no flag '\(name)'; what begins with - and is no flag stands behind '--'.",
        advice: ShellText.command([verb.name] + others + ["--", word]))
    }
    let nearest = NearestName.nearest(to: name, among: verb.flags.map(\.name) + ["--help"])
    return ToolError(
      .misunderstood,
      sentence:
        "'\(verb.name)' has no flag '\(name)'\(nearest.map { "; '\($0)' is the nearest" } ?? "").",
      advice: nearest.flatMap { corrected(at: place, $0 + word.dropFirst(name.count)) }
        ?? "daybook \(verb.name) --help")
  }

  /// The command with another flag, if what stands behind that can be its value.
  private func corrected(at place: Int, _ word: String) -> String? {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if let flag = verb.flags.first(where: { $0.name == parts[0] }) {
      let next = place + 1 < words.count ? words[place + 1] : nil
      let value = parts.count == 2 ? String(parts[1]) : flag.value.flatMap { _ in next }
      guard (value == nil) == (flag.value == nil) else { return nil }
      if let value, !flag.choices.isEmpty, !flag.choices.contains(value) { return nil }
    }
    return command(at: place, word)
  }

  /// `table, json or csv`
  static func list(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
