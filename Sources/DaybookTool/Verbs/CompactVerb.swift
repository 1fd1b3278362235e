import DaybookJournal
import DaybookStore

/// `daybook compact`: a journal without its history.
enum CompactVerb {
  static let verb = Verb(
    name: "compact", summary: "drop history, and keep the state",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the journal, which nobody may be writing")
    ],
    flags: [
      Verb.Flag(
        name: "--keep", value: "DAYS",
        summary: "keep the history of so many days, counted back from the last transaction")
    ],
    notes: """
      What is kept has the numbers, times and identifiers that it had; moments before it
      are no more. Caches beside the journal are removed, as they are of the old file.

      A new file is written and takes the journal's place when it is on the disk. Who
      reads the old one goes on reading it, and who follows it goes over to the new one.
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
      return "there is no history to drop; nothing was changed"
    }
    let dropped = Counted.text(
      report.droppedTransactionCount, one: "transaction was", several: "transactions were")
    return "\(dropped) dropped; it begins after transaction \(report.base), and "
      + "\(report.byteCountBefore) bytes became \(report.byteCount)"
  }
}
