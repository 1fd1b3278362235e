import DaybookJournal
import DaybookPlatform
import DaybookStore
import DaybookText

/// `daybook import`: creates a journal from a text journal.
enum ImportVerb {
  static let verb = Verb(
    name: "import", summary: "create a journal from a text journal",
    arguments: [
      Verb.Argument(name: "TEXT", summary: "a text journal, or - for standard input"),
      Verb.Argument(name: "JOURNAL", summary: "the journal to create; the file must not exist"),
    ],
    flags: [],
    notes: """
      If the text has an error, no journal is created. A time that is earlier than the
      time of the previous transaction is raised to it. The report counts raised
      times, changes without effect, and changes that were combined with another
      change of the same record and line.
      """,
    example: "daybook import Journal/Samples/games.jsonl games.daybook",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let (text, journal) = (invocation["TEXT"], invocation["JOURNAL"])
    guard journal != "-" else {
      throw ToolError(
        .misunderstood, sentence: "import needs a file name for JOURNAL; found '-'.",
        advice: "daybook import --help")
    }
    guard text == "-" || !OpenJournal.isJournal(text) else {
      throw ToolError(
        .misunderstood, sentence: "import reads text journals; \(text) is already a journal.",
        advice: ShellText.command(["backup", text, journal]))
    }
    let source: TextSource =
      text == "-"
      ? .descriptor(FileDescriptor.standardInput.number, path: "standard input") : .file(text)
    let report: TextImportReport
    var options = JournalOptions()
    options.progress = Progress.shared.reading(source.path)
    do throws(TextJournalError) {
      report = try TextJournal.import(source, to: journal, options: options)
    } catch {
      throw ToolError(error)
    }
    let parts = [
      Counted.text(report.transactionCount, one: "transaction", several: "transactions"),
      Counted.text(report.changeCount, one: "change", several: "changes"),
      Counted.text(report.entityCount, one: "entity", several: "entities"),
      Counted.text(report.raisedTimeCount, one: "raised time", several: "raised times"),
    ]
    try invocation.output.line(DisplayWidth.shown("\(journal): \(parts.joined(separator: ", "))"))
    if let sentence = sentence(ofOmitted: report) { try invocation.output.line(sentence) }
    if report.transactionCount == 0, report.entityCount > 0 {
      try invocation.output.flush()
      StandardError.write(
        "\(text): the text has entities but no transactions. The new journal is empty, because "
          + "entities are stored only with transactions.")
    }
    return .done
  }

  /// Returns a sentence that explains why the journal has fewer changes than the text; nil if both
  /// have the same number of changes.
  private static func sentence(ofOmitted report: TextImportReport) -> String? {
    let combined = Counted.text(
      report.combinedChangeCount, one: "change was", several: "changes were")
    let unchanged = Counted.text(
      report.unchangedRecordCount, one: "change without effect was",
      several: "changes without effect were")
    let parts = [
      report.combinedChangeCount == 0
        ? nil : "\(combined) combined with another change of the same record and line",
      report.unchangedRecordCount == 0 ? nil : "\(unchanged) left out",
    ].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ") + "."
  }
}
