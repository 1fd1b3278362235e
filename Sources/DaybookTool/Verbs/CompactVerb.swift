import Daybook
@_spi(Tools) import DaybookStore

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
    ] + Confirmation.flags,
    notes: """
      Transactions that are kept keep their numbers, times and identifiers. Earlier
      moments are no longer available. Caches beside the journal are removed, because
      they belong to the old file.

      The new file replaces the journal when it is completely on the disk. Programs
      that read the old file can keep reading it. Programs that follow the journal
      switch to the new file.

      If the journal is a replica, the history is removed from its shared log, and no
      file is replaced. Replicas that end before the kept history keep their old
      files and restart from there. All others keep their history. In PostgreSQL, the
      role of the URL needs the rights of a keeper. The days of --keep then count from
      the time on the clock of the server.

      \(Confirmation.notes)
      Without a terminal, the command needs --yes or --keep, so that a script does
      not remove the whole history by mistake.
      """,
    example: "daybook compact games.daybook --keep 30",
    interruption: .notReplaced,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    try invocation.refuseJSONLines()
    let days = try invocation.count("--keep")
    if days == nil { try checkIntent(invocation) }
    let retention: HistoryRetention = days.map { .days($0) } ?? .nothing
    if try OpenJournal.sharedLogAddress(of: name) != nil {
      return try compactLog(keeping: retention, for: invocation)
    }
    if Confirmation.needsPlan(invocation) {
      let journal = try invocation.openJournal()
      let plan = try journal.reading { try self.plan(retention, for: journal) }
      if let plan { _ = try Confirmation.isGiven(for: plan, in: invocation) }
      if invocation.has("--dry-run") {
        if plan == nil, journal.problem == nil {
          try invocation.output.line("\(name): no history to remove")
        }
        return try invocation.end(with: journal)
      }
    }
    let report: CompactionReport
    do throws(StoreError) {
      let options = JournalOptions.tool(reading: name)
      report = try Store.compact(
        at: name, keeping: retention, options: options)
    } catch { throw ToolError(error) }
    try invocation.output.line("\(name): \(sentence(report))")
    return .done
  }

  /// Throws an error if the command would remove the whole history, and no option and no answer of
  /// a user confirms it.
  private static func checkIntent(_ invocation: Invocation) throws(ToolError) {
    guard !invocation.has("--yes"), !Confirmation.needsPlan(invocation) else { return }
    throw ToolError(
      .usage,
      sentence: "compact removes the whole history, and it cannot ask without a terminal. "
        + "Type --yes to remove it, or --keep DAYS to keep the last days. Nothing was changed.",
      advice: ShellText.command(["compact", "--dry-run"] + invocation.words))
  }

  /// Returns the sentences about what a compaction removes; nil if it removes nothing.
  private static func plan(
    _ retention: HistoryRetention, for journal: OpenJournal
  ) throws -> [String]? {
    let store = journal.store
    let last = try store.lastDropped(keeping: retention)
    // The compaction itself refuses a damaged journal.
    guard journal.status == .done, last > store.base else { return nil }
    let (state, head) = (try store.snapshot(at: last), store.snapshot.sequence)
    let dropped = Counted.phrase(
      Int(last.rawValue - store.base.rawValue), one: "transaction", several: "transactions")
    let remaining = Counted.phrase(
      Int(head.rawValue - last.rawValue), one: "later transaction", several: "later transactions")
    let stays = head > last ? "and \(remaining) stay" : "stays"
    let recordCount = try state.entities.reduce(0) {
      $0 + (try state.count(for: DynamicRequest(entity: $1.name)))
    }
    let records = Counted.phrase(recordCount, one: "record", several: "records")
    let size = FileSize.string(of: journal.name).map { " The file has \($0)." } ?? ""
    return [
      "\(journal.name): compact removes \(dropped), through transaction \(last) of "
        + "\(state.time.shownString).",
      "The state after it with \(records) \(stays).\(size)",
      "Earlier moments, authors, reasons and tags cannot be read afterwards. Backups keep them.",
    ]
  }

  private static func sentence(_ report: CompactionReport) -> String {
    guard report.droppedTransactionCount > 0 else {
      return "no history to remove; nothing was changed"
    }
    let dropped = Counted.phrase(
      report.droppedTransactionCount, one: "transaction", several: "transactions")
    return "removed \(dropped); the history starts after transaction \(report.base); "
      + "file size \(report.byteCountBefore) -> \(report.byteCount) bytes"
  }
}
