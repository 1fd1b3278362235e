import DaybookJournal
@_spi(Tools) import DaybookResults
@_spi(Tools) import DaybookStore
import DaybookText

/// `daybook export`: writes a journal as a text journal, or its state at a moment as tables.
enum ExportVerb {
  static let verb = Verb(
    name: "export", summary: "write a journal as a text journal, or a state of it as tables",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input"),
      Verb.Argument(
        name: "FILE", summary: "the file to create; the default, -, is standard output",
        isOptional: true),
    ],
    flags: [
      Verb.Flag(
        name: "--format", value: "FORMAT",
        summary: "jsonl for a text journal, csv for one entity, or sql for tables of SQLite; "
          + "the default follows from the ending of FILE, and is jsonl for others",
        choices: ["jsonl", "csv", "sql"]),
      Verb.Flag(
        name: "--at", value: "T",
        summary: "the state after this transaction, or at this time; the default is the end"),
      Verb.Flag(name: "--entity", value: "E", summary: "only the records of this entity"),
    ],
    notes: """
      An existing file is never replaced. If the journal is damaged, its intact part
      is exported. The new file has at most the permissions of the journal.

      A text journal contains the whole history. csv and sql contain one state:
      daybook export games.daybook --format sql | sqlite3 games.db
      """,
    example: "daybook export Journal/Samples/Records/companies.daybook companies.jsonl",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let endings = ["csv", "sql"].filter { invocation["FILE"].hasSuffix(".\($0)") }
    let format = invocation.value("--format") ?? endings.first ?? "jsonl"
    for flag in ["--at", "--entity"] where format == "jsonl" && invocation.value(flag) != nil {
      throw ToolError(
        .usage, sentence: "\(flag) needs --format csv or sql; a text journal is whole.",
        advice: "daybook export --help")
    }
    let path = invocation["FILE"]
    guard !path.isEmpty, path != "-" else {
      let journal = try invocation.openJournal(usesCheckpoint: false)
      try export(journal, as: format, for: invocation) { try invocation.output.write($0) }
      return try invocation.end(with: journal)
    }
    // The file is created before the journal is read, so that an error in its path is reported
    // immediately, also for a long journal.
    let file = try NewFile(path, madeOf: invocation["JOURNAL"])
    let journal = try invocation.openJournal(usesCheckpoint: false)
    try export(journal, as: format, for: invocation) { try file.write($0) }
    try file.finish()
    return try invocation.end(with: journal)
  }

  /// Calls a closure with the exported bytes, piece by piece.
  private static func export(
    _ journal: OpenJournal, as format: String, for invocation: Invocation,
    to output: @escaping ([UInt8]) throws -> Void
  ) throws {
    guard format != "jsonl" else { return try export(journal, to: output) }
    var snapshot = journal.store.snapshot
    if let moment = invocation.value("--at") {
      snapshot = try journal.snapshot(at: moment, for: "--at")
    }
    var entities = snapshot.entities
    if let name = invocation.value("--entity") {
      entities = [try RecordArguments.entity(name, in: snapshot)]
    }
    guard format == "sql" || entities.count == 1 else {
      let known = entities.map(\.name)
      throw ToolError(
        .usage,
        sentence: known.isEmpty
          ? "the journal has no entities."
          : "csv needs --entity; the journal has the entities "
            + "\(KnownNames.phrase(known)).",
        advice: known.first.map {
          ShellText.command(["export"] + invocation.words + ["--entity", $0])
        })
    }
    try journal.reading {
      // The schema of an earlier moment is read only if it is requested, because that takes a pass
      // over the journal.
      let changes =
        snapshot.sequence < journal.store.snapshot.sequence
        ? try journal.store.schemaChanges() : []
      let export = TableExport(
        snapshot: snapshot,
        entities: entities.map { ExportedEntity($0, at: snapshot.sequence, changes: changes) },
        output: output)
      try format == "csv" ? export.writeCSV() : export.writeSQL()
    }
  }

  /// Calls a closure with the lines of the text journal, several lines at a time.
  private static func export(
    _ journal: OpenJournal, to output: ([UInt8]) throws -> Void
  ) throws {
    // `export` accepts only disk errors from its closure. The original error has more detail, so it
    // is kept and thrown at the end.
    var trouble: (any Error)?
    // The first line is the header.
    let last = journal.store.snapshot.sequence.rawValue
    var lineCount: UInt64 = 0
    do throws(TextJournalError) {
      try TextJournal.export(journal.store) { (bytes) throws(DiskError) in
        let lines = bytes.withUnsafeBytes { [UInt8]($0) }
        lineCount += UInt64(lines.count { $0 == UInt8(ascii: "\n") })
        Progress.shared.show(
          "exporting \(journal.name)", done: max(1, lineCount) - 1 + journal.store.base.rawValue,
          of: last, in: .things("transactions"))
        do { try output(lines) } catch {
          trouble = error
          throw DiskError(.write, path: journal.name, code: 0)
        }
      }
    } catch { throw trouble ?? ToolError(error) }
  }
}
