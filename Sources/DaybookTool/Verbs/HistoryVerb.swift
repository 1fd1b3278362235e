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
    notes: "+ is an insert, ~ an update, - a delete.",
    example: "daybook history Journal/Samples/games.jsonl Game 3",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    let log = try JournalLog(journal, ofRecordIn: invocation)
    let count = try LogVerb.write(log, invocation)
    if count == 0, invocation.value("--format") != "jsonl" {
      try invocation.output.line(JournalLog.nothingSentence(of: invocation))
    }
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

  /// What is said of a record that no transaction changed.
  static func nothingSentence(of invocation: Invocation) -> String {
    DisplayWidth.shown(
      "no transaction changed \(invocation["ENTITY"]) \(invocation["ID"]).")
  }
}
