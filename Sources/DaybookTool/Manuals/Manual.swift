/// The manual page of the tool: daybook(1).
enum Manual {
  static func text(of verbs: [Verb]) -> String {
    var page = ManualText()
    page.macro("Dd", words: Version.date)
    page.macro("Dt", words: "DAYBOOK", "1")
    page.macro("Os")
    page.section("NAME")
    page.macro("Nm", words: "daybook")
    page.macro("Nd", words: "replay and inspect journals, without the program that wrote them")
    page.section("SYNOPSIS")
    for verb in verbs { page.synopsis(of: verb, isWhole: false) }
    page.macro("Nm")
    page.macro("Fl", words: "Fl version")
    page.section("DESCRIPTION")
    page.prose(description)
    page.section("VERBS")
    page.prose("A verb takes its flags before, between and behind its arguments. " + flags)
    for verb in verbs { page.subsection(on: verb) }
    for (title, text) in chapters {
      page.section(title)
      page.prose(text)
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
  /// The name of the tool, a verb and what it takes.
  fileprivate mutating func synopsis(of verb: Verb, isWhole: Bool) {
    macro("Nm")
    macro("Cm", words: ManualText.word(verb.name))
    for argument in verb.arguments {
      let word = ManualText.word(argument.name)
      if argument.isOptional { macro("Op", words: "Ar", word) } else { macro("Ar", words: word) }
    }
    if isWhole {
      for flag in verb.flags { macro("Op", words: ManualText.flag(flag.name, value: flag.value)) }
    } else if !verb.flags.isEmpty {
      macro("Op", words: "Ar", "flag", "...")
    }
  }

  /// All that there is to say of a verb.
  fileprivate mutating func subsection(on verb: Verb) {
    macro("Ss", words: ManualText.word(verb.name))
    synopsis(of: verb, isWhole: true)
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
  /// A summary as a sentence, with the words that there is a choice of, where it does not have them all.
  fileprivate static func meaning(_ summary: String, choices: [String]) -> String {
    // Words that are typed as they are stay so.
    if choices.contains(where: { summary.hasPrefix($0) }) { return "\(summary)." }
    let sentence = "\(summary.prefix(1).uppercased())\(summary.dropFirst())."
    if choices.allSatisfy({ sentence.contains($0) }) { return sentence }
    return "\(sentence) It is \(Invocation.list(choices))."
  }
}

extension ExitStatus {
  fileprivate var meaning: String {
    switch self {
    case .done: "It was done. A journal whose last transaction was cut short is no problem."
    case .problem: "The journal has a problem. What is intact of it was printed all the same."
    case .misunderstood: "The command was not understood."
    case .refused: "The system refused: a file, a disk, a lock."
    }
  }
}
