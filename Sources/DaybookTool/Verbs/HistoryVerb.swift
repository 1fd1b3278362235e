/// `daybook history`: prints each change of one record.
enum HistoryVerb {
  static let verb = Verb(
    name: "history", summary: "print every change of one record",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input"),
      Verb.Argument(name: "ENTITY", summary: "the entity of the record"),
      Verb.Argument(name: "ID", summary: "the identifier; type -- before it if it starts with -"),
    ],
    flags: [LogVerb.formatFlag],
    notes: """
      + is an insert, ~ an update, - a delete. If no transaction changed the record,
      the nearest identifiers are printed, and the exit status is 1.
      """,
    example: "daybook history Journal/Samples/games.jsonl Game 3",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    let log = try JournalLog(journal, ofRecordIn: invocation)
    let count = try LogVerb.write(log, for: invocation)
    if count == 0 { throw try log.unknownRecord(in: invocation) }
    return try invocation.end(with: journal)
  }
}

extension JournalLog {
  /// Creates a log of the transactions that changed the record in the arguments ENTITY and ID.
  init(_ journal: OpenJournal, ofRecordIn invocation: Invocation) throws(ToolError) {
    self.init(journal)
    try narrow(toEntity: invocation["ENTITY"])
    try narrow(toIdentifier: invocation["ID"])
  }

  /// Returns the error for a record that no transaction of the journal changed. It names the
  /// identifiers that are nearest to the requested one.
  func unknownRecord(in invocation: Invocation) throws -> ToolError {
    // The record may be missing because the journal is damaged, so damage is reported first.
    _ = try invocation.end(with: journal)
    let (name, text) = (invocation["ENTITY"], invocation["ID"])
    let nearest = try nearestIdentifiers(to: text).map { ValueText.text(of: $0) }
    var error = ToolError(
      .problem, sentence: "no transaction of \(journal.name) changed \(name) \(text).")
    if let first = nearest.first, let place = invocation.places["ID"] {
      let noun = nearest.count == 1 ? "identifier" : "identifiers"
      error.sentence += " Nearest \(noun): \(nearest.joined(separator: ", "))."
      // The shell command would read an identifier that starts with - as an option.
      if !first.hasPrefix("-") { error.advice = invocation.command(at: place, first) }
    }
    return error
  }
}
