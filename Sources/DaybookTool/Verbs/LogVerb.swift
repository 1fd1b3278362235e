/// `daybook log`: prints the changes of each transaction.
enum LogVerb {
  static let verb = Verb(
    name: "log", summary: "print the changes of each transaction",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input")
    ],
    flags: [
      Verb.Flag(name: "--entity", value: "E", summary: "only changes of records of this entity"),
      Verb.Flag(
        name: "--id", value: "ID", summary: "only changes of the record with this identifier"),
      Verb.Flag(
        name: "--from", value: "T", summary: "the first transaction, by number or time"),
      Verb.Flag(name: "--to", value: "T", summary: "the last transaction, by number or time"),
      formatFlag,
    ],
    notes: """
      + is an insert, ~ an update, - a delete. With --entity or --id, transactions
      without a matching change are not printed.
      """,
    example: "daybook log Journal/Samples/games.jsonl --entity Game --from 8",
    run: run)

  static let formatFlag = Verb.Flag(
    name: "--format", value: "FORMAT", summary: "text, or jsonl for the lines of a text journal",
    choices: ["text", "jsonl"])

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    var log = JournalLog(journal)
    if let entity = invocation.value("--entity") { try log.narrow(toEntity: entity) }
    if let id = invocation.value("--id") { try log.narrow(toIdentifier: id) }
    try log.narrow(from: invocation.value("--from"), to: invocation.value("--to"))
    if try write(log, for: invocation) == 0 {
      try invocation.output.flush()
      StandardError.write(log.nothingSentence)
    }
    return try invocation.end(with: journal)
  }

  /// Writes the transactions of a log in the format of the option `--format`, and returns their
  /// number.
  static func write(_ log: JournalLog, for invocation: Invocation) throws -> Int {
    let isJSON = invocation.value("--format") == "jsonl"
    var count = 0
    try log.forEach { transaction in
      if isJSON {
        try transaction.writeJSON(to: invocation.output)
      } else {
        if count > 0 { try invocation.output.line("") }
        try transaction.writeText(to: invocation.output, on: invocation.terminal)
      }
      count += 1
    }
    return count
  }
}
