/// The manual page of the tool: daybook(1).
enum Manual {
  static func contents(of verbs: [Verb]) -> String {
    var page = ManualText()
    page.macro("Dd", words: Version.date)
    page.macro("Dt", words: "DAYBOOK", "1")
    page.macro("Os")
    page.section("NAME")
    page.macro("Nm", words: "daybook")
    page.macro("Nd", words: "replay and inspect journals without the program that wrote them")
    page.section("SYNOPSIS")
    for verb in verbs { page.synopsis(of: verb, isFull: false) }
    page.macro("Nm")
    page.macro("Fl", words: "Fl version")
    page.section("DESCRIPTION")
    page.prose(description)
    page.section("COMMANDS")
    page.prose("The options of a command may be anywhere among its arguments. " + flags)
    for verb in verbs { page.subsection(on: verb) }
    for (title, paragraphs) in chapters {
      page.section(title)
      page.prose(paragraphs)
    }
    page.section("ENVIRONMENT")
    page.list(environment.map { (ManualText.word($0), $1) })
    page.section("FILES")
    page.list(files.map { (ManualText.word($0), $1) })
    page.section("EXIT STATUS")
    page.list(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) })
    page.section("EXAMPLES")
    for (index, example) in examples.enumerated() {
      page.prose(example.0, isFirst: index == 0)
      page.commands(example.1)
    }
    return page.lines.joined(separator: "\n")
  }
}

extension ManualText {
  /// Adds the name of the tool, a command, and its arguments and options.
  fileprivate mutating func synopsis(of verb: Verb, isFull: Bool) {
    macro("Nm")
    macro("Cm", words: ManualText.word(verb.name))
    for argument in verb.arguments {
      let word = ManualText.word(argument.name)
      let words = argument.isRepeated ? "\(word) ..." : word
      if argument.isOptional { macro("Op", words: "Ar", words) } else { macro("Ar", words: words) }
    }
    if isFull {
      for flag in verb.flags { macro("Op", words: ManualText.flag(flag.name, value: flag.value)) }
    } else if !verb.flags.isEmpty {
      macro("Op", words: "Ar", "option", "...")
    }
  }

  /// Adds the full description of a command.
  fileprivate mutating func subsection(on verb: Verb) {
    macro("Ss", words: ManualText.word(verb.name))
    synopsis(of: verb, isFull: true)
    macro("Pp")
    prose("\(verb.summary.prefix(1).uppercased())\(verb.summary.dropFirst()).")
    let items =
      verb.arguments.map { (ManualText.argument($0.name), $0.meaning) }
      + verb.flags.map { (ManualText.flag($0.name, value: $0.value), $0.meaning) }
    if !items.isEmpty { list(items) }
    if !verb.notes.isEmpty { prose(verb.notes, isFirst: false) }
    commands([verb.example])
  }
}

extension Verb.Argument {
  fileprivate var meaning: String { Manual.meaning(summary, choices: choices) }
}

extension Verb.Flag {
  fileprivate var meaning: String { Manual.meaning(summary, choices: choices) }
}

extension Manual {
  /// Returns a summary as a sentence. If the summary does not contain all allowed values, a second
  /// sentence lists them.
  fileprivate static func meaning(_ summary: String, choices: [String]) -> String {
    // If the summary starts with a value, its first letter stays in lower case, because users must
    // type it so.
    if choices.contains(where: { summary.hasPrefix($0) }) { return "\(summary)." }
    let sentence = "\(summary.prefix(1).uppercased())\(summary.dropFirst())."
    if choices.allSatisfy({ sentence.contains($0) }) { return sentence }
    return "\(sentence) It must be \(Invocation.list(choices))."
  }
}

extension ExitStatus {
  fileprivate var meaning: String {
    switch self {
    case .done: "The command succeeded. A torn last transaction is not a problem."
    case .problem: "The journal has a problem. Its intact part was printed."
    case .usage: "The command is invalid."
    case .refused: "The system refused an operation: permission, disk, lock."
    case .declined: "The journal refused a change: a conflict, a rule of the schema, or --expect."
    }
  }
}
