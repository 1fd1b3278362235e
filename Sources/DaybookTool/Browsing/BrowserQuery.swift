import Daybook

/// The list that a browser shows: an entity, and the options of `daybook show` as texts.
struct BrowserQuery: Hashable, Sendable {
  var entity: String
  /// The values of the options, by the names of the options.
  private(set) var values: [String: String] = [:]

  static let flags = ListArguments.flags + [ListArguments.columns]

  /// The command that checks the options. It is never run.
  private static let verb = Verb(
    name: "show", summary: "", arguments: ListArguments.arguments, flags: flags, example: "",
    run: { _ in .done })

  /// The value of an option; nil without the option.
  subscript(flag: String) -> String? {
    get { values[flag] }
    set { values[flag] = newValue }
  }

  /// The words of the options, in the order of the help text.
  var words: [String] {
    BrowserQuery.flags.flatMap { flag in values[flag.name].map { [flag.name, $0] } ?? [] }
  }

  /// Returns the request for the options.
  ///
  /// - Throws: ``ToolError`` with `usage` if the value of an option is invalid
  func request() throws(ToolError) -> DynamicRequest {
    let words = command("show", journal: ".").dropFirst()
    let invocation = try Invocation(
      BrowserQuery.verb, words: Array(words), among: [BrowserQuery.verb],
      on: Terminal(columnCount: nil, usesColor: false, isPlain: false),
      to: Output(keeping: 0..<0))
    return try ListArguments.request(invocation, entity: entity)
  }

  /// Returns the words of a command for this list.
  ///
  /// - Parameters:
  ///   - verb: The name of the command.
  ///   - journal: The name of the journal.
  ///   - more: Further options.
  func command(_ verb: String, journal: String, more: [String] = []) -> [String] {
    BrowserQuery.command(verb, arguments: [journal, entity], options: words + more)
  }

  /// Returns the words of a command. If an argument starts with `-`, the options come first, and
  /// `--` ends them.
  static func command(_ verb: String, arguments: [String], options: [String]) -> [String] {
    let isUsual = arguments.allSatisfy { $0 == "-" || !$0.hasPrefix("-") }
    return [verb] + (isUsual ? arguments + options : options + ["--"] + arguments)
  }
}
