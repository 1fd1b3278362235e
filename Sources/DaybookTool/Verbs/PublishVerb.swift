import DaybookJournal
import DaybookStore
@_spi(Tools) import DaybookText

/// `daybook publish`: appends a journal to a shared log.
enum PublishVerb {
  static let verb = Verb(
    name: "publish", summary: "append a journal to a new shared log, for several machines",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, or a text journal"),
      Verb.Argument(name: "URL", summary: "the URL of the log"),
    ],
    flags: [],
    notes: """
      Transactions keep their numbers, times and authors. Afterwards, a journal file
      is a replica of the log: commands that write append to the log first. A text
      journal is not changed; 'daybook clone' creates a replica.

      If the log contains a part of the journal already, the rest is appended. Do not
      clone the log before the command has ended. If another machine has saved to a
      part of the journal, the rest cannot be appended.

      \(SharedLogs.notes)
      """,
    example: "daybook publish banks.daybook postgres://me@db.example.com/app/banks",
    interruption: .partlyPublished,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let (name, url) = (invocation["JOURNAL"], invocation["URL"])
    let log = try SharedLogs.log(at: url, for: "publish")
    if let address = try OpenJournal.sharedLogAddress(of: name) {
      throw ToolError(
        .usage,
        sentence: "\(name): the journal is a replica of the log \(address) already.",
        advice: ShellText.command(["sync", name]))
    }
    guard let source = OpenJournal.importSource(name) else {
      let status = try publish(name, at: name, to: log, for: invocation)
      try SharedLogs.warnAboutPassword(in: url, for: "publish")
      return status
    }
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path + "/text.daybook"
    var options = JournalOptions.tool(reading: source.path)
    options.durability = .none
    do throws(TextJournalError) {
      // The journal depends only on the text, so that the command can be repeated.
      _ = try TextJournal.importEqually(source, to: path, options: options)
    } catch { throw ToolError(error) }
    let status = try publish(source.path, at: path, to: log, for: invocation)
    let shown = try SharedLogs.withoutPassword(url, for: "publish")
    try invocation.output.line(
      "The text is no replica. Make one: \(ShellText.command(["clone", shown, "NEW"]))")
    return status
  }

  private static func publish(
    _ name: String, at path: String, to log: any SharedLog, for invocation: Invocation
  ) throws -> ExitStatus {
    let report: PublicationReport
    do throws(StoreError) {
      report = try Store.publishAndWait(at: path, to: log, options: .tool(reading: name))
    } catch {
      if case .journal(let cause) = error.reason, case .otherLog(let other, _, _) = cause.reason {
        throw ToolError(
          .refused,
          sentence: "\(name): the log \(other) contains a different journal. Nothing was changed. "
            + "Choose another name for the log.")
      }
      throw ToolError(error, sharing: name)
    }
    let count = Counted.phrase(
      report.transactionCount, one: "transaction", several: "transactions")
    // A compacted journal begins with the state after an earlier transaction.
    let isCompacted = report.last.rawValue > UInt64(report.transactionCount)
    let end = isCompacted ? " and the state before, up to transaction \(report.last)," : ""
    try invocation.output.line("\(name): published \(count)\(end) in the log \(log.name)")
    return .done
  }
}
