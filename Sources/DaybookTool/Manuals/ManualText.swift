/// A page in mdoc, the language in which manuals are written.
///
/// Every sentence begins a line, and no line is long: who reads the source and who looks it over ask for both.
struct ManualText {
  private(set) var lines: [String] = []

  /// A macro and its words, each shown as it is.
  mutating func macro(_ name: String, words: String...) {
    lines.append(([".\(name)"] + words).joined(separator: " "))
  }

  /// The heading of a section.
  mutating func section(_ title: String) { macro("Sh", words: title) }

  /// Paragraphs: lines of text, empty lines between them, and commands, which are indented.
  mutating func prose(_ text: String, isFirst: Bool = true) {
    var isFirst = isFirst
    let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false)
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

  /// Commands as they are typed.
  mutating func commands(_ commands: [String]) {
    macro("Bd", words: "-literal -offset indent")
    for command in commands {
      // A long one goes on behind a backslash, as a shell reads it.
      var line = ""
      for word in command.split(separator: " ", omittingEmptySubsequences: false) {
        if word.hasPrefix("-"), line.count + word.count > ManualText.commandWidthMax {
          lines.append(ManualText.line(line + " \\"))
          line = " "
        }
        line += line.isEmpty ? word : " " + word
      }
      lines.append(ManualText.line(line))
    }
    macro("Ed")
  }

  /// A list of words, each with what it means.
  mutating func list(_ items: [(word: String, meaning: String)]) {
    macro("Bl", words: "-tag -width Ds")
    for (word, meaning) in items {
      macro("It", words: word)
      sentences(meaning)
    }
    macro("El")
  }

  private mutating func sentences(_ text: String) {
    var line = ""
    for word in text.split(separator: " ") {
      // Escapes make a line longer than it was.
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

  /// A flag, with what stands behind it.
  static func flag(_ name: String, value: String? = nil) -> String {
    let letters = word(String(name.drop { $0 == "-" }))
    return "Fl Fl \(letters)\(value.map { " \(argument($0))" } ?? "")"
  }

  /// What somebody puts in.
  static func argument(_ name: String) -> String { "Ar \(word(name))" }

  /// What is typed as it is.
  static func command(_ name: String) -> String { "Cm \(word(name))" }

  /// A word behind a macro, where it could otherwise be one, or a sign that ends something.
  static func word(_ text: String) -> String {
    // A long one may be parted between what there is a choice of.
    "\\&"
      + escaped(text).replacing(" ", with: "\\ ").replacing("\"", with: "\\(dq")
      .replacing("|", with: "|\\:")
  }

  /// A text in which nothing is an instruction.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
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

  /// A line that does not begin as an instruction does.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") ? "\\&\(line)" : line
  }

  private static func line(_ text: String) -> String { guarded(escaped(text)) }
}
