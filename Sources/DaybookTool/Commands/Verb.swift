import DaybookResults

/// What a verb takes, and what it does: help, completions and the manual are made of it.
struct Verb: Sendable {
  /// What stands behind the verb without a flag before it.
  struct Argument: Sendable {
    var name: String
    var summary: String
    var isOptional = false
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
  private(set) var arguments: [String: String] = [:]
  private(set) var values: [String: String] = [:]
  private(set) var switches: Set<String> = []
  let terminal: Terminal
  let output: Output

  subscript(argument: String) -> String { arguments[argument] ?? "" }

  /// What stands behind a flag; nil if that was not given.
  func value(_ flag: String) -> String? { values[flag] }

  /// Whether a flag was given that takes no value.
  func has(_ flag: String) -> Bool { switches.contains(flag) }

  /// The number behind a flag.
  func count(_ flag: String) throws(ToolError) -> Int? {
    guard let text = values[flag] else { return nil }
    guard let count = Int(text), count >= 0, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
      throw ToolError(
        .misunderstood, "'\(flag)' takes a number that is not below 0, and '\(text)' is none.",
        advice: "daybook \(verb.name) --help")
    }
    return count
  }

  init(
    _ verb: Verb, _ words: [String], _ terminal: Terminal, _ output: Output
  ) throws(ToolError) {
    self.verb = verb
    self.terminal = terminal
    self.output = output
    var positions: [String] = []
    var rest = words[...]
    var areFlagsOver = false
    while let word = rest.popFirst() {
      if areFlagsOver || word == "-" || !word.hasPrefix("-") {
        positions.append(word)
        continue
      }
      if word == "--" {
        areFlagsOver = true
        continue
      }
      try take(word, &rest)
    }
    let needed = verb.arguments.filter { !$0.isOptional }
    guard positions.count >= needed.count else {
      let missing = needed[positions.count].name
      throw ToolError(
        .misunderstood, "'\(verb.name)' needs \(missing).", advice: "daybook \(verb.name) --help")
    }
    guard positions.count <= verb.arguments.count else {
      throw ToolError(
        .misunderstood,
        "'\(verb.name)' takes nothing behind \(verb.arguments.last?.name ?? "it"), "
          + "and '\(positions[verb.arguments.count])' stands there.",
        advice: "daybook \(verb.name) --help")
    }
    for (argument, word) in zip(verb.arguments, positions) { arguments[argument.name] = word }
  }

  /// Takes a flag, and the value behind it or behind its equals sign.
  private mutating func take(_ word: String, _ rest: inout ArraySlice<String>) throws(ToolError) {
    let help = "daybook \(verb.name) --help"
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let flag = verb.flags.first(where: { $0.name == name }) else {
      let names = verb.flags.map(\.name)
      let nearest = NearestName.nearest(to: name, among: names).map { "; '\($0)' is the nearest" }
      throw ToolError(
        .misunderstood, "'\(verb.name)' has no flag '\(name)'\(nearest ?? "").", advice: help)
    }
    guard flag.value != nil else {
      guard parts.count == 1 else {
        throw ToolError(.misunderstood, "'\(name)' takes no value.", advice: help)
      }
      switches.insert(name)
      return
    }
    guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
      throw ToolError(.misunderstood, "'\(name)' needs a value.", advice: help)
    }
    guard flag.choices.isEmpty || flag.choices.contains(value) else {
      throw ToolError(
        .misunderstood,
        "'\(name)' is \(Invocation.list(flag.choices)), and '\(value)' is none of these.",
        advice: help)
    }
    guard values.updateValue(value, forKey: name) == nil else {
      throw ToolError(.misunderstood, "'\(name)' stands there twice.", advice: help)
    }
  }

  /// `table, json or csv`
  static func list(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
