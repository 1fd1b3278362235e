@_spi(Tools) import DaybookJournal
import DaybookPlatform
import DaybookStore
@_spi(Tools) import DaybookText

/// `daybook repair`: repairs a shared log that has lost transactions, or a replica of it.
enum RepairVerb {
  static let verb = Verb(
    name: "repair", summary: "repair a shared log that has lost transactions of a replica",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the replica of the log"), Invocation.movedURL,
    ],
    flags: [
      Verb.Flag(
        name: "--dry-run", value: nil, summary: "print what would be done, and repair nothing"),
      Verb.Flag(
        name: "--restart", value: nil,
        summary: "if both have other transactions, take those of the log"),
      Verb.Flag(
        name: "--yes", value: nil,
        summary: "repair, although other replicas may have transactions that this one has lost"),
    ],
    notes: """
      A log loses transactions if a server without them takes over, or if a backup is
      restored. If the log then ends before the replica, the same bytes are appended
      again, which several machines may do.

      If the log has other transactions instead, --restart is needed. The lost
      transactions of the replica are first written to a text file, which 'daybook
      append' takes, and its old file is kept.

      If the replica itself has lost some of the transactions, repair the other
      replicas first. Without --yes, the exit status is then 4.

      \(SharedLogs.notes)
      """,
    example: "daybook repair banks.daybook --dry-run",
    interruption: .partlyRepaired,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    let log = try invocation.sharedLog()
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
        let restart =
          store.replicaRestart == nil
          ? "" : "; those of its old file could not be compared, because the log has dropped them"
        try invocation.output.line(
          "\(name): the log contains every transaction of the replica\(restart)"
        )
        return .done
      }
      try invocation.output.lines("\(plan)")
      if invocation.has("--dry-run") {
        try invocation.output.line("Nothing was repaired, because of --dry-run.")
        return .done
      }
      if plan.action == .restart, !invocation.has("--restart") {
        let state =
          plan.divergence.isCommonKnown
          ? "the log has other transactions after transaction \(plan.divergence.lastCommon)"
          : "no transaction is known that the log and the replica have in common"
        throw ToolError(
          .declined,
          sentence: "\(name): \(state). Nothing was changed. Type --restart to take the "
            + "transactions of the log.",
          advice: invocation.repairCommand(["--restart"]))
      }
      try checkReplica(of: store, plan: plan, for: invocation)
      return try repair(journal, plan: plan, for: invocation)
    }
  }

  /// Throws an error if the replica lacks transactions that the log has acknowledged. A different
  /// replica can have them, and a repair would make this one forget them.
  private static func checkReplica(
    of store: Store, plan: RepairPlan, for invocation: Invocation
  ) throws(ToolError) {
    guard let first = plan.divergence.missing.first?.sequence, !invocation.has("--yes") else {
      return
    }
    let last = first.rawValue + UInt64(plan.divergence.missingCount) - 1
    let (base, known) = (store.base, store.snapshot.sequence)
    guard last > known.rawValue || first <= base else { return }
    let range =
      first <= base
      ? "starts after transaction \(base), and the log had acknowledged transactions from \(first) on"
      : "ends with transaction \(known), and the log had acknowledged transactions up to \(last)"
    let restart = invocation.has("--restart") ? ["--restart"] : []
    throw ToolError(
      .declined,
      sentence: "\(invocation["JOURNAL"]): the replica \(range). Nothing was changed. Repair the "
        + "other replicas first. If none of them has the transactions, type --yes.",
      advice: invocation.repairCommand(restart + ["--yes"]))
  }

  private static func repair(
    _ journal: OpenJournal, plan: RepairPlan, for invocation: Invocation
  ) throws -> ExitStatus {
    let (name, store) = (journal.name, journal.store)
    // The text is complete before the restart. So it exists also if the process is killed.
    let lost = plan.action == .restart ? try LostText(of: journal, plan.divergence) : nil
    let report: RepairReport
    do throws(StoreError) {
      report = try Waiting.value { () async throws(StoreError) in try await store.repair(plan) }
    } catch {
      var refusal = ToolError(error, sharing: name)
      if case .journal(let cause) = error.reason, case .planOutdated = cause.reason {
        lost?.remove()
      } else if let path = lost?.path {
        refusal.sentence += " The transactions that the log has lost are in \(path)."
      }
      throw refusal
    }
    guard let oldFilePath = report.keptPath else {
      let count = Counted.phrase(
        report.appendedCount, one: "transaction", several: "transactions")
      try invocation.output.line("\(name): appended \(count) to the log again")
      return .done
    }
    let start =
      plan.divergence.isCommonKnown
      ? "after transaction \(plan.divergence.lastCommon)" : "from the beginning of the log"
    try invocation.output.line("\(name): restarted \(start)")
    try invocation.output.line("The old file is \(oldFilePath).")
    if !plan.divergence.isCommonKnown, let first = plan.divergence.missing.first?.sequence {
      try invocation.output.line(
        "Its transactions before \(first) could not be compared. Only the old file contains those "
          + "that the log has lost.")
    }
    if let lost, let path = lost.path {
      let count = Counted.phrase(
        lost.count, one: "lost transaction is", several: "lost transactions are")
      try invocation.output.line(
        "\(count) in \(path). To append the file: "
          + "\(ShellText.command(["append", name])) < \(ShellText.quoted(path))")
    }
    return .done
  }
}

/// The file with the transactions that a restart of a replica removes, as lines for
/// `daybook append`.
private struct LostText {
  /// The path of the file; nil if there are no such transactions.
  let path: String?
  /// The number of transactions.
  let count: Int

  /// Writes the file. It gets the name that the old file of the replica will have, and the
  /// extension `jsonl`.
  init(of journal: OpenJournal, _ divergence: LogDivergence) throws(ToolError) {
    let disk = SystemDisk()
    let replica: String
    do throws(DiskError) { replica = try disk.resolve(journal.name) } catch {
      throw ToolError(.refused, sentence: "\(error)")
    }
    let before = divergence.isCommonKnown ? divergence.lastCommon : journal.store.base
    let first = "\(replica)-lost-\(before.next)"
    var candidate = first
    var attempt = 0
    while disk.isNameTaken(candidate) || disk.isNameTaken(candidate + ".jsonl") {
      attempt += 1
      candidate = "\(first).\(attempt)"
    }
    let path = candidate + ".jsonl"
    let file = try NewFile(path, madeOf: replica)
    var refusal: ToolError?
    // The base of the replica has no transactions that could be written.
    let last = max(
      SequenceNumber((divergence.missing.first?.sequence.rawValue ?? 1) - 1), journal.store.base)
    do throws(TextJournalError) {
      count = try TextJournal.exportLost(journal.store, after: last) { lines in
        guard refusal == nil else { return }
        do throws(ToolError) {
          try file.write(lines.withUnsafeBytes { [UInt8]($0) })
        } catch { refusal = error }
      }
    } catch { throw ToolError(error) }
    if let refusal { throw refusal }
    if count > 0 { try file.finish() }
    self.path = count > 0 ? path : nil
  }

  func remove() {
    if let path { try? SystemDisk().remove(path) }
  }
}
