import DaybookJournal
import DaybookPlatform
import DaybookStore
@_spi(Tools) import DaybookText

/// `daybook import`: creates a journal from a text journal or a table, or appends a new version of
/// a table.
enum ImportVerb {
  static let verb = Verb(
    name: "import", summary: "create a journal from a text journal or a table",
    arguments: [
      Verb.Argument(
        name: "FILE",
        summary: "a text journal, a table (.csv, .tsv, or .json with an array of objects), each "
          + "also with .gz, or - for standard input"),
      Verb.Argument(
        name: "JOURNAL",
        summary: "the journal to create; the file must not exist, except with --append, for which "
          + "it must exist"),
    ],
    flags: TableArguments.flags,
    notes: """
      If the file has an error, nothing is written. In a text journal, a time that is
      earlier than the time of the previous transaction is raised to it. The report
      counts raised times, changes without effect, and changes that were combined with
      another change of the same record and line.

      Each row of a table becomes a record, and all rows are one transaction. In CSV,
      an empty cell has no value, and "" is an empty text. The types of the columns
      are inferred from all rows, and printed before anything is written. Cells are
      separated by commas, semicolons or tabs, whichever is most frequent in the
      first line.

      With --append, the file is a new version of the whole table. The differences
      become one transaction: rows that are new, changed or missing. New columns
      become attributes, and attributes without a column are not changed. Without a
      difference there is no transaction. A --time before the last transaction is
      raised to its time.
      """,
    example: "daybook import companies.csv companies.daybook --id code --types code=string",
    interruption: .noFile,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let (name, journal) = (invocation["FILE"], invocation["JOURNAL"])
    guard journal != "-" else {
      throw ToolError(
        .usage, sentence: "import needs a file name for JOURNAL; found '-'.",
        advice: "daybook import --help")
    }
    guard name == "-" || !OpenJournal.isJournal(name) else {
      throw ToolError(
        .usage, sentence: "import reads texts; \(name) is already a journal.",
        advice: ShellText.command(["backup", name, journal]))
    }
    let source: TextSource =
      name == "-"
      ? .descriptor(FileDescriptor.standardInput.number, path: "standard input") : .file(name)
    do {
      let delimiter = invocation.value("--delimiter").flatMap(CSVDelimiter.init)
      let file = try ImportText(
        source, delimiter: delimiter, progress: Progress.shared.reading(source.path))
      guard file.format == .journal else {
        return try TableImport(file, for: invocation).run()
      }
      return try importJournal(file, for: invocation)
    } catch let error as TextJournalError { throw ToolError(error) }
  }

  private static func importJournal(
    _ file: ImportText, for invocation: Invocation
  ) throws -> ExitStatus {
    for flag in TableArguments.flags where flag.name != "--dry-run" {
      guard invocation.value(flag.name) == nil, !invocation.has(flag.name) else {
        throw ToolError(
          .usage, sentence: "\(flag.name) is for tables; \(file.path) is a text journal.",
          advice: "daybook import --help")
      }
    }
    var options = JournalOptions.tool(reading: file.path)
    let report: TextImportReport
    if invocation.has("--dry-run") {
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      options.durability = .none
      report = try file.importJournal(to: folder.path + "/text.daybook", options: options)
    } else {
      report = try file.importJournal(to: invocation["JOURNAL"], options: options)
    }
    let name = invocation.has("--dry-run") ? file.path : invocation["JOURNAL"]
    try invocation.output.line("\(name): \(phrase(report))")
    if let sentence = sentence(ofOmitted: report) { try invocation.output.line(sentence) }
    if invocation.has("--dry-run") {
      try invocation.output.line("Nothing was written, because of --dry-run.")
    } else if report.transactionCount == 0, report.entityCount > 0 {
      try invocation.output.flush()
      StandardError.write(
        "\(invocation["FILE"]): the text has entities but no transactions. The new journal is "
          + "empty, because entities are stored only with transactions.")
    }
    return .done
  }

  /// Returns the counts of a report.
  static func phrase(_ report: TextImportReport) -> String {
    [
      Counted.phrase(report.transactionCount, one: "transaction", several: "transactions"),
      Counted.phrase(report.changeCount, one: "change", several: "changes"),
      Counted.phrase(report.entityCount, one: "entity", several: "entities"),
      Counted.phrase(report.raisedTimeCount, one: "raised time", several: "raised times"),
    ].joined(separator: ", ")
  }

  /// Returns a sentence that explains why the journal has fewer changes than the text; nil if both
  /// have the same number of changes.
  private static func sentence(ofOmitted report: TextImportReport) -> String? {
    let combined = Counted.phrase(
      report.combinedChangeCount, one: "change was", several: "changes were")
    let unchanged = Counted.phrase(
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
