/// A text in mdoc, the markup language of manual pages. ``Manual`` adds the parts of the page to
/// it.
///
/// Each sentence starts on a new line, and long lines are broken, as the conventions of mdoc
/// require.
struct ManualText {
  private(set) var lines: [String] = []

  /// Adds a macro and its words. The words must be escaped already.
  mutating func macro(_ name: String, words: String...) {
    lines.append(([".\(name)"] + words).joined(separator: " "))
  }

  /// Adds the heading of a section.
  mutating func section(_ title: String) { macro("Sh", words: title) }

  /// Adds the paragraphs of a text. In the text, empty lines separate the paragraphs. If all lines
  /// of a paragraph are indented, they are commands.
  mutating func prose(_ contents: String, isFirst: Bool = true) {
    var isFirst = isFirst
    let paragraphs = contents.split(separator: "\n", omittingEmptySubsequences: false)
      .split { $0.isEmpty }
    for paragraph in paragraphs {
      if paragraph.allSatisfy({ $0.hasPrefix("  ") }) {
        commands(paragraph.map { String($0.dropFirst(2)) })
      } else {
        if !isFirst { macro("Pp") }
        sentences(paragraph.joined(separator: " "))
      }
      isFirst = false
    }
  }

  /// Adds lines with commands, in the form that users type.
  mutating func commands(_ commands: [String]) {
    macro("Bd", words: "-literal -offset indent")
    for command in commands {
      // A long command is broken before an option. The line ends with a backslash, as in a shell.
      var line = ""
      let words = command.split(separator: " ", omittingEmptySubsequences: false)
      for (index, word) in words.enumerated() {
        if word.hasPrefix("-"), line.count + word.count > ManualText.commandWidthMax {
          lines.append(ManualText.line(line + " \\"))
          line = " "
        }
        line += index == 0 ? word : " " + word
      }
      lines.append(ManualText.line(line))
    }
    macro("Ed")
  }

  /// Adds a list of words and their meanings.
  mutating func list(_ items: [(word: String, meaning: String)]) {
    macro("Bl", words: "-tag -width Ds")
    for (word, meaning) in items {
      macro("It", words: word)
      sentences(meaning)
    }
    macro("El")
  }

  private mutating func sentences(_ paragraph: String) {
    var line = ""
    for word in paragraph.split(separator: " ") {
      // The width includes the escapes, because they make a line longer.
      if !line.isEmpty, line.count + 1 + ManualText.escaped(String(word)).count > 76 {
        add(&line)
      }
      line += (line.isEmpty ? "" : " ") + ManualText.escaped(String(word))
      if let last = word.last(where: { !")'\"".contains($0) }), ".!?".contains(last) { add(&line) }
    }
    add(&line)
  }

  private mutating func add(_ line: inout String) {
    if !line.isEmpty { lines.append(ManualText.guarded(line)) }
    line = ""
  }

  private static let commandWidthMax = 60

  // MARK: Words

  /// Returns the macro for an option and the placeholder of its value.
  static func flag(_ name: String, value: String? = nil) -> String {
    let letters = word(String(name.drop { $0 == "-" }))
    let macros = name.hasPrefix("--") ? "Fl Fl" : "Fl"
    return "\(macros) \(letters)\(value.map { " \(argument($0))" } ?? "")"
  }

  /// Returns the macro for a placeholder.
  static func argument(_ name: String) -> String { "Ar \(word(name))" }

  /// Returns the macro for a word that users type literally.
  static func command(_ name: String) -> String { "Cm \(word(name))" }

  /// Returns an escaped word for the line of a macro. Without escapes, mdoc could interpret the
  /// word as a macro or as punctuation.
  static func word(_ string: String) -> String {
    // `\:` after each `|` allows a line break between the alternatives of a long word.
    "\\&"
      + escaped(string).replacing(" ", with: "\\ ").replacing("\"", with: "\\(dq")
      .replacing("|", with: "|\\:")
  }

  /// Returns a text in which mdoc finds no instructions.
  private static func escaped(_ string: String) -> String {
    var escaped = ""
    for character in string {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "…": escaped += "..."
      case _ where character.isASCII: escaped.append(character)
      default:
        for scalar in character.unicodeScalars {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          escaped += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
        }
      }
    }
    return escaped
  }

  /// Returns a line that mdoc does not interpret as an instruction.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") ? "\\&\(line)" : line
  }

  private static func line(_ string: String) -> String { guarded(escaped(string)) }
}
