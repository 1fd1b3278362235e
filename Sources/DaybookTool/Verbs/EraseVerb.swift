import DaybookJournal
import DaybookStore

/// `daybook erase`: removes the earlier values of one record from a journal.
enum EraseVerb {
  static let verb = Verb(
    name: "erase", summary: "remove the earlier values of one record from a journal",
    arguments: [
      Verb.Argument(
        name: "JOURNAL", summary: "the journal file; no other process may be writing it")
    ] + HistoryVerb.verb.arguments.dropFirst(), flags: [],
    notes: """
      The current values of the record are kept; nothing is kept of a deleted record.
      Other records keep their history, and may still refer to the record. Files
      beside the journal that could contain the earlier values are removed too:
      caches, and files that a crash left. Backups and exported text journals are not
      changed.

      The new file replaces the journal when it is completely on the disk. Programs
      that follow the journal are notified that its history changed.
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
    let count = Counted.text(report.erasedChangeCount, one: "change", several: "changes")
    let called = LoggedChange.name(entity.name, id: id)
    try invocation.output.line(DisplayWidth.shown("\(name): erased \(count) of \(called)"))
    return .done
  }
}
