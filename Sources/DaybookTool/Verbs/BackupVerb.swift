import DaybookJournal
import DaybookStore

/// `daybook backup`: copies a journal, even while a second process writes the journal.
enum BackupVerb {
  static let verb = Verb(
    name: "backup", summary: "copy a journal, even while another process writes it",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the journal; it is not changed"),
      Verb.Argument(name: "NEW", summary: "the copy; the file must not exist"),
    ],
    flags: [],
    notes: """
      Copies every durable transaction and verifies its checksum. NEW gets its name
      only when the whole copy is on the disk, so an existing copy is complete. A
      damaged journal cannot be backed up. 'daybook salvage' copies its readable part.
      """,
    example: "daybook backup games.daybook games-backup.daybook",
    interruption: .noFile,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let (name, copy) = (invocation["JOURNAL"], invocation["NEW"])
    guard OpenJournal.importSource(name) == nil else {
      throw ToolError(
        .usage, sentence: "backup copies journal files; \(name) is a text journal.",
        advice: ShellText.command(["import", name, copy]))
    }
    let (head, report): (ChainPoint, RecoveryReport)
    do throws(JournalError) {
      let options = JournalOptions.tool(reading: name)
      let reader = try JournalReader(at: name, options: options)
      (head, report) = (
        try reader.backup(to: copy) {
          Progress.shared.show("copying \(name)", done: $0, of: $1, in: .bytes)
        },
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
      head.sequence == .zero
      ? "copied; the journal has no transactions" : "copied through transaction \(head.sequence)"
    try invocation.output.line("\(copy): \(extent)")
    if !report.isUneventful {
      try invocation.output.flush()
      StandardError.write("\(report)")
    }
    return .done
  }
}
