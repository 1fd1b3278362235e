@_spi(Tools) import DaybookStore

/// `daybook bisect`: finds a transaction that made rows match a filter when none had matched
/// before, by binary search.
enum BisectVerb {
  static let verb = Verb(
    name: "bisect", summary: "find when rows began to match a filter, by binary search",
    arguments: ListArguments.arguments,
    flags: [
      Verb.Flag(
        name: "--where", value: "F",
        summary: "the filter (required); see 'daybook show --help'"),
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text, or jsonl for one object",
        choices: ["text", "jsonl"]),
    ],
    notes: """
      A binary search over the states after each transaction: a thousand transactions
      need about eleven checks. It finds a transaction that made rows match when none
      had matched before. Rows must still match at the end of the journal. If rows
      stopped matching and started again, the result is one of the starts.
      'daybook replay' with the same --where lists all of them.

      The transaction is printed with its changes of the matching rows: + is an
      insert, ~ an update, and = a row that matches because a record that it refers
      to was changed. With --format jsonl, "tx" is the transaction, "time" its time,
      "ids" the identifiers of the matching rows, and "states" the number of states
      that were checked. If no row matches at the end, "tx" and "time" are null, and
      the exit status is 0.
      """,
    example: #"daybook bisect Journal/Samples/games.jsonl Game --where 'name == "Discs of Tron"'"#,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    guard invocation.value("--where") != nil else {
      throw ToolError(
        .usage, sentence: "bisect needs --where.", advice: "daybook bisect --help")
    }
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let journal = try invocation.openJournal()
    let search = try HistorySearch(request, in: journal)
    if invocation.value("--format") == "jsonl" {
      try writeJSON(search.found, stateCount: search.stateCount, to: invocation.output)
    } else {
      try search.writeLines(to: invocation.output, on: invocation.terminal)
      if search.found == nil {
        let words = [
          "replay", invocation["JOURNAL"], request.entity, "--where",
          invocation.value("--where") ?? "",
        ]
        try invocation.output.line("try: \(ShellText.command(words))")
      }
    }
    return try invocation.end(with: journal)
  }

  private static func writeJSON(
    _ found: FoundTransaction?, stateCount: Int, to output: Output
  ) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("tx")
    if let found { writer.write(found.transaction.sequence.rawValue) } else { writer.writeNull() }
    writer.key("time")
    if let found {
      writer.write("\(found.transaction.time)")
    } else {
      writer.writeNull()
    }
    writer.key("ids")
    writer.beginArray()
    for id in found?.ids ?? [] { writer.write(id) }
    writer.endArray()
    writer.key("states")
    writer.write(stateCount)
    writer.endObject()
    writer.endLine()
    try output.write(writer.bytes)
  }
}
