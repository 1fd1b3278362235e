import DaybookPlatform

/// `daybook log create`: creates the tables for shared logs in a database.
///
/// Its own name is `create-log`, because the name of a command is one word.
enum CreateLogVerb {
  static let verb = Verb(
    name: "create-log", summary: "create the tables for shared logs in a database",
    arguments: [Verb.Argument(name: "URL", summary: "the URL of a log in the database")],
    flags: [
      Verb.Flag(
        name: "--readers", value: "ROLES", summary: "roles that may read logs, with commas"),
      Verb.Flag(
        name: "--writers", value: "ROLES",
        summary: "roles that may also create logs and append, with commas"),
      Verb.Flag(
        name: "--keepers", value: "ROLES",
        summary: "roles that may also remove old history, with commas"),
    ],
    notes: """
      'daybook log create URL' is the same command. The role of the URL needs the
      right to create a schema (CREATE on the database), and CREATEROLE to create the
      roles that do not exist. Tables that
      exist are not changed. 'daybook publish' then creates the log itself.

      \(SharedLogs.notes)
      """,
    example: "daybook create-log postgres://admin@db.example.com/app/banks",
    interruption: .silent,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let url = invocation["URL"]
    func roles(_ flag: String) -> [String] {
      let names = invocation.value(flag)?.split(separator: ",") ?? []
      return names.map { name in
        String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      }.filter { !$0.isEmpty }
    }
    try SharedLogs.createTables(
      in: url, readers: roles("--readers"), writers: roles("--writers"),
      keepers: roles("--keepers"), for: "create-log")
    let shown = try SharedLogs.withoutPassword(url, for: "create-log")
    try invocation.output.line("\(shown): the database contains the tables for logs")
    return .done
  }
}
