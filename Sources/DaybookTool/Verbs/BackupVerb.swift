import DaybookJournal
import DaybookStore

/// `daybook backup`: a copy of a journal, also of one that is being written.
enum BackupVerb {
  static let verb = Verb(
    name: "backup", summary: "copy a journal, also while another process writes it",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the journal, which is not changed"),
      Verb.Argument(name: "NEW", summary: "the copy; there may be no file of that name"),
    ],
    flags: [],
    notes: """
      Copies every transaction that is durable, and looks at its checks on the way. A
      copy that is there is complete: it gets its name when all of it is on the disk.
      Of a damaged journal there is no backup; salvage saves what can be read.
      """,
    example: "daybook backup games.daybook games-backup.daybook",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let (name, copy) = (invocation["JOURNAL"], invocation["NEW"])
    guard OpenJournal.text(name) == nil else {
      throw ToolError(
        .misunderstood, sentence: "'backup' copies a journal, and \(name) is a text.",
        advice: ShellText.command(["import", name, copy]))
    }
    let (head, report): (ChainPoint, RecoveryReport)
    do throws(JournalError) {
      var options = JournalOptions()
      options.progress = Progress.shared.reading(name)
      let reader = try JournalReader(at: name, options: options)
      (head, report) = (
        try reader.backup(to: copy) { Progress.shared.show("copying \(name)", done: $0, of: $1) },
        reader.report
      )
    } catch {
      var refusal = ToolError(StoreError(.journal(error), path: name))
      if case .damaged = error.reason {
        refusal.advice = ShellText.command(["salvage", name, copy])
      }
      throw refusal
    }
    let extent =
      head.sequence == .zero ? "no transactions" : "through transaction \(head.sequence)"
    try invocation.output.line(DisplayWidth.shown("\(copy): \(extent)"))
    if !report.isUneventful {
      try invocation.output.flush()
      Complaint.write("\(report)")
    }
    return .done
  }
}
