import DaybookStore

/// `daybook show`: a list at a moment.
enum ShowVerb {
  static let verb = Verb(
    name: "show", summary: "print a list of records, at the end of a journal or at any moment",
    arguments: ListArguments.arguments,
    flags: ListArguments.flags + [
      Verb.Flag(
        name: "--at", value: "T", summary: "after which transaction, or at which time"),
      ListArguments.columns,
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "table, json, jsonl or csv",
        choices: ["table", "json", "jsonl", "csv"]),
    ],
    notes: """
      On a terminal, columns that do not fit are left out from the right and named
      below the table; an identifier keeps its width as long as the line has room.
      Control characters are printed as escapes. A file or a pipe gets every column.

      Above the table stands an index of the sections if all of their names begin
      with letters.
      """,
    example: """
      daybook show Journal/Samples/failed-banks.jsonl FailedBankInfo --sort details.closeDate:desc \
      --section-by state
      """,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let journal = try invocation.openJournal()
    var snapshot = journal.store.snapshot
    if let moment = invocation.value("--at") {
      snapshot = try journal.snapshot(at: moment, for: "--at")
    }
    let list = try journal.reading {
      try ShownList(request, columns: invocation.value("--columns"), in: snapshot)
    }
    switch invocation.value("--format") ?? "table" {
    case "json": try list.writeJSON(to: invocation.output)
    case "jsonl": try list.writeJSONLines(to: invocation.output)
    case "csv": try list.writeCSV(to: invocation.output, on: invocation.terminal)
    default: try list.writeTable(to: invocation.output, on: invocation.terminal)
    }
    return try invocation.end(with: journal)
  }
}
