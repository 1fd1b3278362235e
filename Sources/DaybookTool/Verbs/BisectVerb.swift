@_spi(Tools) import DaybookStore

/// `daybook bisect`: the transaction with which something begins that lasts.
enum BisectVerb {
  static let verb = Verb(
    name: "bisect", summary: "find the first transaction after which a row matches",
    arguments: ListArguments.arguments,
    flags: [
      Verb.Flag(
        name: "--where", value: "F",
        summary: "which rows, in the language of NSPredicate; it is needed"),
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text, or jsonl for one object",
        choices: ["text", "jsonl"]),
    ],
    notes: """
      The journal is searched by halves: of a thousand transactions the states after
      eleven are looked at. So it finds what has begun and lasts to the end. If rows
      match for a while only, and again later, it finds one of the beginnings, and
      replay with the same --where tells of all.

      The transaction is printed with what it did to the rows that match after it:
      + is an insert, ~ an update, and = a row that was not changed itself, but what
      it refers to was. The object has the transaction as "tx", its "time", the
      identifiers of the rows that match as "ids", and as "states" how many states
      were looked at. If no row matches after the last transaction, "tx" and "time"
      are null; that is an answer, and the exit is 0.
      """,
    example: #"daybook bisect Journal/Samples/games.jsonl Game --where 'name == "Discs of Tron"'"#,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    guard invocation.value("--where") != nil else {
      throw ToolError(
        .misunderstood, sentence: "'bisect' needs '--where'.", advice: "daybook bisect --help")
    }
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let journal = try invocation.openJournal()
    let rows = try MatchingRows(request, in: journal)
    let search = try Bisection(from: rows.earliest, through: rows.latest) {
      try rows.areThere(after: $0)
    }
    let found = try search.first.map { try FoundTransaction($0, of: rows, entity: request.entity) }
    if invocation.value("--format") == "jsonl" {
      try writeJSON(found, stateCount: search.lookCount, to: invocation.output)
    } else if let found {
      try found.writeText(to: invocation.output, on: invocation.terminal)
      try invocation.output.line("")
      try invocation.output.line(sentence(of: found, in: rows) + " " + states(search.lookCount))
    } else {
      for line in answerOfNone(invocation, in: rows) { try invocation.output.line(line) }
    }
    return try invocation.end(with: journal)
  }

  private static func sentence(of found: FoundTransaction, in rows: MatchingRows) -> String {
    let sequence = found.transaction.sequence.rawValue
    let count = found.ids.count == 1 ? "1 row matches" : "\(found.ids.count) rows match"
    if found.transaction.isBase {
      return "\(count) in the base already, and what was before that the journal does not know."
    }
    return sequence == rows.earliest
      ? "\(count) after the first transaction already."
      : "\(count) after transaction \(sequence), and none after \(sequence - 1)."
  }

  private static func states(_ count: Int) -> String {
    count == 1 ? "1 state was looked at." : "\(count) states were looked at."
  }

  private static func answerOfNone(
    _ invocation: Invocation, in rows: MatchingRows
  ) -> [String] {
    let name = invocation["ENTITY"]
    let words = [
      "replay", invocation["JOURNAL"], name, "--where",
      invocation.value("--where") ?? "",
    ]
    return [
      "no \(name) matches after transaction \(rows.latest), the last; bisect finds the "
        + "beginning of what lasts until then.",
      "try: \(ShellText.command(words))",
    ]
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

extension FoundTransaction {
  /// Writes what the transaction did, and which rows match without a change of their own.
  fileprivate func writeText(to output: Output, on terminal: Terminal) throws {
    try transaction.writeText(to: output, on: terminal)
    for id in unchangedIDs { try output.line("  = \(LoggedChange.name(entity, id: id))") }
  }
}
