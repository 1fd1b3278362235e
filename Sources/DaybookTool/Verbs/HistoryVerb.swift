/// `daybook history`: what each transaction did to one record.
enum HistoryVerb {
  static let verb = Verb(
    name: "history", summary: "print every change of one record",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input"),
      Verb.Argument(name: "ENTITY", summary: "whose record"),
      Verb.Argument(name: "ID", summary: "the record's identifier; behind -- if it begins with -"),
    ],
    flags: [LogVerb.formatFlag],
    notes: """
      + is an insert, ~ an update, - a delete. If no transaction changed such a record,
      the exit is 1, and the nearest identifiers are named.
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
  /// The transactions that changed the record that ENTITY and ID name.
  init(_ journal: OpenJournal, ofRecordIn invocation: Invocation) throws(ToolError) {
    self.init(journal)
    try narrow(toEntity: invocation["ENTITY"])
    try narrow(toIdentifier: invocation["ID"])
  }

  /// The error for a record that no transaction of the journal changed, with the identifiers most like the
  /// one that was asked for.
  func unknownRecord(in invocation: Invocation) throws -> ToolError {
    // Damage may be the reason, so it is reported first.
    _ = try invocation.end(with: journal)
    let (name, text) = (invocation["ENTITY"], invocation["ID"])
    let nearest = try nearestIdentifiers(to: text).map { ValueText.text(of: $0) }
    var error = ToolError(
      .problem, sentence: "no transaction of \(journal.name) changed \(name) \(text).")
    if let first = nearest.first, let place = invocation.places["ID"] {
      error.sentence += " The nearest: \(nearest.joined(separator: ", "))."
      // An identifier that begins with - would be read as a flag.
      if !first.hasPrefix("-") { error.advice = invocation.command(at: place, first) }
    }
    return error
  }
}
