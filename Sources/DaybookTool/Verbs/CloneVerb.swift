import DaybookJournal
import DaybookPlatform
import DaybookStore

/// `daybook clone`: creates a replica of a shared log.
enum CloneVerb {
  static let verb = Verb(
    name: "clone", summary: "create a replica of a shared log on this machine",
    arguments: [
      Verb.Argument(name: "URL", summary: "the URL of the log"),
      Verb.Argument(name: "NEW", summary: "the replica; the file must not exist"),
    ],
    flags: [],
    notes: """
      A replica is a journal that every command reads without the log. Commands that
      write append to the log first, and merge with what other machines have saved.
      'daybook sync' and 'daybook watch' read what other machines save. The file
      NEW-shared names the log, without a password. Keep it.

      \(SharedLogs.notes)
      """,
    example: "daybook clone postgres://me@db.example.com/app/banks banks.daybook",
    interruption: .cloned,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let (url, name) = (invocation["URL"], invocation["NEW"])
    let connection = try SharedLogs.log(at: url, for: "clone")
    guard !SystemDisk().exists(name) else {
      let isReplica = (try? OpenJournal.sharedLogAddress(of: name)) != nil
      throw ToolError(
        .refused,
        sentence: "\(name): a file of this name exists. Nothing was changed. Choose another name, "
          + "or move the file away.",
        advice: isReplica ? ShellText.command(["sync", name]) : nil)
    }
    let log = ProgressLog(connection)
    let head: SharedHead?
    do throws(SharedLogError) {
      head = try Waiting.value { () async throws(SharedLogError) in try await log.head() }
    } catch { throw ToolError(error) }
    guard head != nil else {
      let shown = try SharedLogs.withoutPassword(url, for: "clone")
      throw ToolError(
        .refused,
        sentence: "There is no log \(log.name). Nothing was created. Publish a journal first.",
        advice: ShellText.command(["publish", "JOURNAL", shown]))
    }
    let last: SequenceNumber
    do throws(StoreError) {
      let store = try OpenJournal.store(at: name, sharing: log, options: .tool(reading: name))
      try store.pullAndWait()
      last = store.snapshot.sequence
      try store.closeAndWait()
    } catch { throw ToolError(error, sharing: name) }
    try invocation.output.line(
      "\(name): a replica of the log \(log.name), through transaction \(last)")
    try SharedLogs.warnAboutPassword(in: url, for: "clone")
    return .done
  }
}
