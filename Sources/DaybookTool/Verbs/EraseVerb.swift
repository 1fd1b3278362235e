import DaybookJournal
import DaybookStore

/// `daybook erase`: a journal that has forgotten what a record was.
enum EraseVerb {
  static let verb = Verb(
    name: "erase", summary: "make a journal forget what one record was",
    arguments: [
      Verb.Argument(
        name: "JOURNAL", summary: "the journal file, which no other process may be writing")
    ] + HistoryVerb.verb.arguments.dropFirst(), flags: [],
    notes: """
      What the record is now stays; of one that is deleted nothing does. All else keeps
      its history. No file beside the journal holds its earlier values afterwards:
      caches, and what crashes had left behind, are removed too. Backups, and texts that
      were exported, are not reached; other records may still refer to it.

      A new file is written and takes the journal's place when it is on the disk. Who
      follows the journal is told that its history is another.
      """,
    example: "daybook erase games.daybook Game 3",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.refuseText()
    let name = invocation["JOURNAL"]
    let journal = try invocation.openJournal()
    let entity = try RecordArguments.entity(invocation["ENTITY"], in: journal.store.snapshot)
    let id = try RecordArguments.identifier(invocation["ID"], of: entity)
    let report: CompactionReport
    do throws(StoreError) {
      var options = JournalOptions()
      options.progress = Progress.shared.reading(name)
      report = try Store.erase(entity.name, id: id, at: name, options: options)
    } catch { throw ToolError(error) }
    let count = Counted.text(report.erasedChangeCount, one: "change was", several: "changes were")
    let called = LoggedChange.name(entity.name, id: id)
    try invocation.output.line(DisplayWidth.shown("\(name): \(count) erased of \(called)"))
    return .done
  }
}
