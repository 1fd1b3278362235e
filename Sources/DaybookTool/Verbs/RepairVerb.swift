import DaybookJournal
import DaybookPlatform
import DaybookStore
@_spi(Tools) import DaybookText

/// `daybook repair`: repairs a shared log that has lost transactions, or a replica of it.
enum RepairVerb {
  static let verb = Verb(
    name: "repair", summary: "repair a shared log that has lost transactions of a replica",
    arguments: [Verb.Argument(name: "JOURNAL", summary: "the replica of the log")],
    flags: [
      Verb.Flag(
        name: "--dry-run", value: nil, summary: "print what would be done, and change nothing"),
      Verb.Flag(
        name: "--restart", value: nil,
        summary: "if both have other transactions, take those of the log"),
    ],
    notes: """
      A log loses transactions if a server without them takes over, or if a backup is
      restored. If the log then ends before the replica, the same bytes are appended
      again, which several machines may do.

      If the log has other transactions instead, --restart is needed. The old file of
      the replica is kept, and its lost transactions are written to a text file, which
      'daybook append' takes.

      \(SharedLogs.notes)
      """,
    example: "daybook repair banks.daybook --dry-run",
    interruption: .partlyPublished,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    let log = try SharedLogs.log(at: try invocation.replicaAddress(), for: "repair")
    let store: Store
    do throws(StoreError) {
      store = try OpenJournal.store(at: name, sharing: log, options: .tool(reading: name))
    } catch { throw ToolError(error, sharing: name) }
    let journal = OpenJournal(name, replica: store)
    return try journal.closing {
      let plan: RepairPlan?
      do throws(StoreError) {
        plan = try Waiting.value { () async throws(StoreError) in try await store.repairPlan() }
      } catch { throw ToolError(error, sharing: name) }
      guard let plan else {
        try invocation.output.line(
          DisplayWidth.shown("\(name): the log contains every transaction of the replica"))
        return .done
      }
      for line in "\(plan)".split(separator: "\n", omittingEmptySubsequences: false) {
        try invocation.output.line(DisplayWidth.shown(String(line)))
      }
      if invocation.has("--dry-run") {
        try invocation.output.line("Nothing was changed, because of --dry-run.")
        return .done
      }
      if plan.action == .restart, !invocation.has("--restart") {
        throw ToolError(
          .declined,
          sentence: "\(name): the log has other transactions after transaction "
            + "\(plan.divergence.lastCommon). Nothing was changed. Type --restart to take them.",
          advice: ShellText.command(["repair", name, "--restart"]))
      }
      return try repair(journal, plan: plan, for: invocation)
    }
  }

  private static func repair(
    _ journal: OpenJournal, plan: RepairPlan, for invocation: Invocation
  ) throws -> ExitStatus {
    let (name, store) = (journal.name, journal.store)
    let report: RepairReport
    do throws(StoreError) {
      report = try Waiting.value { () async throws(StoreError) in try await store.repair(plan) }
    } catch { throw ToolError(error, sharing: name) }
    guard let keptPath = report.keptPath else {
      let count = Counted.text(
        report.appendedCount, one: "transaction", several: "transactions")
      try invocation.output.line(
        DisplayWidth.shown("\(name): appended \(count) to the log again"))
      return .done
    }
    let last = plan.divergence.lastCommon
    // The user gets the name of the old file also if the text cannot be written.
    try invocation.output.line(DisplayWidth.shown("\(name): restarted after transaction \(last)"))
    try invocation.output.line(DisplayWidth.shown("The old file is \(keptPath)."))
    let path = "\(keptPath).jsonl"
    let count = Counted.text(
      try writeLost(of: keptPath, after: last, to: path), one: "lost transaction is",
      several: "lost transactions are")
    try invocation.output.line(
      DisplayWidth.shown(
        "\(count) in \(path). To append the file: "
          + "\(ShellText.command(["append", name])) < \(ShellText.quoted(path))"))
    return .done
  }

  /// Writes the lost transactions to a new file as lines for `daybook append`.
  ///
  /// - Returns: The number of lines.
  private static func writeLost(
    of keptPath: String, after last: SequenceNumber, to path: String
  ) throws(ToolError) -> Int {
    let reader: JournalReader
    do throws(JournalError) { reader = try JournalReader(at: keptPath) } catch {
      throw ToolError(StoreError(.journal(error), path: keptPath))
    }
    let file = try NewFile(path, madeOf: keptPath)
    var refusal: ToolError?
    let count: Int
    do throws(TextJournalError) {
      count = try TextJournal.exportLost(reader, after: last) { lines in
        guard refusal == nil else { return }
        do throws(ToolError) {
          try file.write(lines.withUnsafeBytes { [UInt8]($0) })
        } catch { refusal = error }
      }
    } catch { throw ToolError(error) }
    if let refusal { throw refusal }
    try file.finish()
    return count
  }
}
