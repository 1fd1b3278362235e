import DaybookStore

/// `daybook stats`: prints counts and sizes of a journal.
enum StatsVerb {
  static let verb = Verb(
    name: "stats", summary: "print counts and sizes of a journal, and its changes over time",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input")
    ],
    flags: [
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text, or json for one object",
        choices: ["text", "json"])
    ],
    notes: """
      A payload is the content of a transaction, without the frame around it. For a
      text journal, payloads are those of the journal made from it. Inserts, updates
      and deletes count the changes of all transactions; records are those after the
      last transaction. A journal may start with a base, which replaces earlier
      history. The records of the base have a column of their own, and the base does
      not count as a transaction.

      The largest transactions are those with the largest payloads. The bars show the
      number of changes in at most 12 equal spans of time.
      """,
    example: "daybook stats Journal/Samples/failed-banks.jsonl",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    let statistics: JournalStatistics
    do throws(StoreError) {
      statistics = try JournalStatistics(journal.store)
    } catch {
      throw journal.error(error)
    }
    let byteCount = FileSize.byteCount(of: invocation["JOURNAL"])
    if invocation.value("--format") == "json" {
      try statistics.writeJSON(journal.name, fileByteCount: byteCount, to: invocation.output)
    } else {
      try statistics.writeLines(
        journal.name, fileByteCount: byteCount, to: invocation.output, on: invocation.terminal)
    }
    return try invocation.end(with: journal)
  }
}
