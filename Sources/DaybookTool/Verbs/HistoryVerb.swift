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
  /// Creates a log of the transactions that changed one record. The arguments ENTITY and ID of the
  /// command identify the record.
  init(_ journal: OpenJournal, ofRecordIn invocation: Invocation) throws(ToolError) {
    self.init(journal)
    try narrow(toEntity: invocation["ENTITY"])
    try narrow(toIdentifier: invocation["ID"])
  }

  /// Returns the error for a record that no transaction of the journal changed. The error contains
  /// the identifiers that are most similar to the requested one.
  func unknownRecord(in invocation: Invocation) throws -> ToolError {
    // If the journal is damaged, this may be the reason for the missing record. Therefore the
    // damage is reported first.
    _ = try invocation.end(with: journal)
    let (name, id) = (invocation["ENTITY"], invocation["ID"])
    let nearest = try nearestIdentifiers(to: id).map { ValueText.text(of: $0) }
    var error = ToolError(
      .problem, sentence: "no transaction of \(journal.name) changed \(name) \(id).")
    if let first = nearest.first, let index = invocation.wordIndexes["ID"] {
      let noun = nearest.count == 1 ? "identifier" : "identifiers"
      error.sentence += " Nearest \(noun): \(nearest.joined(separator: ", "))."
      // The tool would read an identifier that starts with - as an option, so there is no advice
      // for such an identifier.
      if !first.hasPrefix("-") { error.advice = invocation.command(at: index, first) }
    }
    return error
  }
}
