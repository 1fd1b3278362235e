import DaybookStore

/// `daybook why`: prints how one record got its values.
enum WhyVerb {
  static let verb = Verb(
    name: "why", summary: "explain how one record got its values",
    arguments: HistoryVerb.verb.arguments,
    flags: [
      Verb.Flag(name: "--of", value: "KEY", summary: "only changes of this attribute")
    ],
    example: "daybook why Journal/Samples/games.jsonl Game 3",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    let log = try JournalLog(journal, ofRecordIn: invocation)
    let attribute = invocation.value("--of").map { KeyText.name($0[...]) }
    guard let story = try RecordStory(log, of: attribute) else {
      throw try log.unknownRecord(in: invocation)
    }
    try story.writeLines(to: invocation.output, on: invocation.terminal)
    return try invocation.end(with: journal)
  }
}
