@_spi(Tools) import DaybookResults

extension Verb {
  /// Returns the command with a name.
  ///
  /// - Parameters:
  ///   - name: The first word of the command line.
  ///   - verbs: All commands of the tool.
  ///   - command: A closure that returns the typed command line with a given name instead of this
  ///     one.
  /// - Throws: ``ToolError`` with `usage` if no command has the name.
  static func named(
    _ name: String, among verbs: [Verb], command: (String) -> String
  ) throws(ToolError) -> Verb {
    if let verb = verbs.first(where: { $0.name == name }) { return verb }
    guard !name.hasPrefix("-") else {
      let nearest = NearestName.nearest(to: name, among: ["--help", "--version"])
      throw ToolError(
        .usage,
        sentence: "no option '\(name)' before the command; "
          + (nearest.map { "did you mean '\($0)'?" } ?? "type the options of a command after it."),
        advice: "daybook \(nearest ?? "--help")")
    }
    let nearest =
      synonyms[name].flatMap { synonym in verbs.first { $0.name == synonym }?.name }
      ?? NearestName.nearest(to: name, among: verbs.map(\.name))
    throw ToolError(
      .usage,
      sentence: "no command '\(name)'\(nearest.map { "; did you mean '\($0)'?" } ?? ".")",
      advice: nearest.map(command) ?? "daybook --help")
  }

  /// Commands of other tools, and the command here that does the same.
  private static let synonyms = [
    "list": "show", "ls": "show", "select": "show", "query": "show", "count": "show",
    "tail": "watch", "follow": "watch", "describe": "schema", "info": "stats", "check": "verify",
    "add": "insert", "create": "insert", "update": "set", "edit": "set", "remove": "delete",
    "rm": "delete", "dump": "export", "load": "import", "copy": "backup", "recover": "salvage",
    "pull": "sync", "fetch": "sync", "push": "publish", "play": "replay",
  ]
}
