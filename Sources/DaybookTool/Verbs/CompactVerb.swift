import DaybookJournal
import DaybookStore

/// `daybook compact`: removes history from a journal.
enum CompactVerb {
  static let verb = Verb(
    name: "compact", summary: "remove old history from a journal and keep its current state",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the journal; no other process may be writing it")
    ],
    flags: [
      Verb.Flag(
        name: "--keep", value: "DAYS",
        summary: "keep the history of the last DAYS days before the last transaction")
    ],
    notes: """
      Transactions that are kept keep their numbers, times and identifiers. Earlier
      moments are no longer available. Caches beside the journal are removed, because
      they belong to the old file.

      The new file replaces the journal when it is completely on the disk. Programs
      that read the old file can keep reading it. Programs that follow the journal
      switch to the new file.
      """,
    example: "daybook compact games.daybook --keep 30",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    try invocation.refuseText()
    let days = try invocation.count("--keep")
    let report: CompactionReport
    do throws(StoreError) {
      var options = JournalOptions()
      options.progress = Progress.shared.reading(name)
      report = try Store.compact(
        at: name, keeping: days.map { .days($0) } ?? .nothing, options: options)
    } catch { throw ToolError(error) }
    try invocation.output.line(DisplayWidth.shown("\(name): \(sentence(report))"))
    return .done
  }

  private static func sentence(_ report: CompactionReport) -> String {
    guard report.droppedTransactionCount > 0 else {
      return "no history to remove; nothing was changed"
    }
    let dropped = Counted.text(
      report.droppedTransactionCount, one: "transaction", several: "transactions")
    return "removed \(dropped); the history starts after transaction \(report.base); "
      + "file size \(report.byteCountBefore) -> \(report.byteCount) bytes"
  }
}
