import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookResults
import DaybookStore
@_spi(Tools) import DaybookText

/// An import of a table: `daybook import FILE JOURNAL` for CSV and JSON.
struct TableImport {
  private let invocation: Invocation
  private let file: ImportText
  private let journal: String
  private let arguments: TableArguments

  init(_ file: ImportText, for invocation: Invocation) throws(ToolError) {
    self.invocation = invocation
    self.file = file
    journal = invocation["JOURNAL"]
    arguments = try TableArguments(invocation, file: invocation["FILE"])
    guard file.format == .csv || invocation.value("--delimiter") == nil else {
      throw ToolError(
        .usage, sentence: "--delimiter is for CSV; \(file.path) is JSON.",
        advice: "daybook import --help")
    }
  }

  private var isDry: Bool { invocation.has("--dry-run") }

  func run() throws -> ExitStatus {
    do {
      guard invocation.has("--append") else { return try create() }
      guard SystemDisk().isNameTaken(journal) else { throw missingJournal }
      return try append()
    } catch let error as TextJournalError { throw ToolError(error) }
  }

  /// The error of `--append` to a journal that does not exist.
  private var missingJournal: ToolError {
    let name = journal.split(separator: "/").last.map(String.init) ?? ""
    let directory = String(journal.dropLast(name.count))
    let names = ((try? SystemDisk().list(directory.isEmpty ? "." : directory)) ?? []).filter {
      OpenJournal.isJournal(directory + $0)
    }
    let nearest = NearestName.nearest(to: name, among: names)
    var error = ToolError(
      .refused,
      sentence: "\(journal): there is no file of this name, so there is no journal to append to. "
        + (nearest.map { "Did you mean '\($0)'? " } ?? "")
        + "Import the first version of the table without --append.")
    if let nearest, let index = invocation.wordIndexes["JOURNAL"] {
      error.advice = invocation.command(at: index, directory + nearest)
    } else {
      error.advice = ShellText.command(
        ["import"] + invocation.words.filter { $0 != "--append" })
    }
    return error
  }

  // MARK: A new journal

  private func create() throws -> ExitStatus {
    let survey = try TableSurvey(file, declaring: Set(arguments.types.keys))
    let identifier = try arguments.identifier(in: survey.columns, of: file.path)
    let table = try survey.table(
      of: arguments.entity, identifiedBy: identifier, types: arguments.types)
    try print(table, identifiedBy: identifier)
    if isDry { return try endDry() }
    var options = JournalOptions.tool(reading: file.path)
    options.clock = arguments.clock
    let report = try table.importJournal(to: journal, metadata: metadata, options: options)
    try invocation.output.line("\(journal): \(phrase(report))")
    return .done
  }

  /// Returns the counts of a report.
  private func phrase(_ report: TextImportReport) -> String {
    let changes = Counted.phrase(report.changeCount, one: "change", several: "changes")
    return
      "\(Counted.phrase(report.transactionCount, one: "transaction", several: "transactions")), "
      + changes
  }

  private var metadata: TransactionMetadata {
    var metadata = WriteReceipt.metadata(invocation)
    if invocation["FILE"] != "-" { metadata["file"] = file.path }
    return metadata
  }

  /// Prints the number of rows, and the type of each column.
  private func print(_ table: Table, identifiedBy identifier: String?) throws {
    let rows = Counted.phrase(table.rowCount, one: "row", several: "rows")
    let delimiter = file.delimiter.flatMap { delimiter in
      delimiter == .comma ? nil : ", with cells separated by \(delimiter)s"
    }
    try invocation.output.line("\(file.path): \(rows) of \(table.entity.name)\(delimiter ?? "")")
    var lines: [(name: String, type: String)] = []
    if identifier == nil { lines.append(("(number of the row)", "int, the identifier")) }
    for column in table.columns {
      if column == identifier {
        lines.append((column, "\(table.entity.identifierKind.name), the identifier"))
      } else if let attribute = table.entity.attributes.first(where: { $0.name == column }) {
        lines.append((column, attribute.type.name + (attribute.isRequired ? "!" : "")))
      }
    }
    let names = lines.map { DisplayWidth.shown($0.name) }
    let width = names.map { DisplayWidth.columns($0) }.max() ?? 0
    for (name, line) in zip(names, lines) {
      let padding = String(repeating: " ", count: width - DisplayWidth.columns(name))
      try invocation.output.line("  \(name)\(padding)  \(line.type)")
    }
    try invocation.output.flush()
  }

  private func endDry() throws -> ExitStatus {
    try invocation.output.line("Nothing was written, because of --dry-run.")
    return .done
  }

  // MARK: A new version of a table

  private func append() throws -> ExitStatus {
    try invocation.refuseJSONLines()
    let journal =
      isDry
      ? try invocation.openJournal(usesCheckpoint: false)
      : try invocation.openJournalForWriting(clock: arguments.clock)
    return try journal.closing { () throws -> ExitStatus in
      let update = try journal.reading { try self.update(of: journal.store) }
      try checkDeletions(update)
      if isDry {
        try invocation.output.line(phrase(update))
        return try endDry()
      }
      let receipt: WriteReceipt.Saved?
      do throws(StoreError) {
        receipt = try journal.saving { () throws(StoreError) in try update.save(metadata) }
      } catch {
        throw journal.error(error)
      }
      try invocation.output.line(
        "\(self.journal): "
          + (receipt.map { "transaction \($0.sequence): \(phrase(update))" }
            ?? "no difference, so no transaction was written"))
      return try invocation.end(with: journal)
    }
  }

  private func update(of store: Store) throws -> TableUpdate {
    var known = store.snapshot.entities.first { $0.name == arguments.entity }
    let declared = Set(arguments.types.keys)
    let attributes = (known?.attributes.map(\.name) ?? []) + arguments.renames.map(\.new)
    // The identifiers of a known entity have a known kind.
    let identifiers = known == nil ? [] : [arguments.identifier ?? ""]
    let survey = try TableSurvey(
      file, declaring: declared.union(attributes).union(identifiers))
    let identifier = try arguments.identifier(in: survey.columns, of: file.path)
    if known == nil, !arguments.renames.isEmpty {
      throw ToolError(
        .usage, sentence: "--rename: the journal has no entity \(arguments.entity).")
    }
    if known == nil, invocation.value("--entity") == nil, !store.snapshot.entities.isEmpty {
      throw ToolError(
        .usage,
        sentence: "\(journal) has no entity \(arguments.entity); it has "
          + "\(KnownNames.phrase(store.snapshot.entities.map(\.name))). "
          + "Type --entity, also for a new entity.")
    }
    let before = known?.attributes.count ?? 0
    if let entity = known { known = try arguments.known(entity, columns: survey.columns) }
    let table: Table
    do throws(TextJournalError) {
      table = try survey.table(
        of: arguments.entity, known: known, identifiedBy: identifier, types: arguments.types)
    } catch {
      guard before > 0, error.reason == .value else { throw error }
      var misfit = ToolError(error)
      misfit.sentence += " Nothing was written. \(TableArguments.typeRemedy)"
      misfit.advice = ShellText.command(["schema", journal])
      throw misfit
    }
    try print(table, identifiedBy: identifier)
    let update = try TableUpdate(
      table, of: store, deletesMissing: !invocation.has("--no-delete"))
    let added = table.entity.attributes.dropFirst(before).map(\.name)
    if before > 0, !added.isEmpty { try printNames(added, after: "new attributes: ") }
    if !update.untouchedAttributes.isEmpty {
      try printNames(
        update.untouchedAttributes, after: "attributes without a column, which are not changed: ")
    }
    if before > 0, let new = added.first, let old = update.untouchedAttributes.first {
      let pair = ShellText.quoted("\(old)=\(new)")
      try invocation.output.line("A column with a new name needs --rename, as in --rename \(pair).")
    }
    return update
  }

  private func printNames(_ names: [String], after phrase: String) throws {
    try invocation.output.line(phrase + names.joined(separator: ", "))
  }

  private func phrase(_ update: TableUpdate) -> String {
    let keepsMissing = invocation.has("--no-delete")
    return "\(update.insertedCount) inserted, \(update.updatedCount) updated, "
      + "\(update.missingCount) \(keepsMissing ? "without a row kept" : "deleted")"
  }

  /// Throws an error if the update deletes more than half of the records, and the user has not
  /// confirmed that. A wrong file would be the usual reason.
  private func checkDeletions(_ update: TableUpdate) throws(ToolError) {
    guard !invocation.has("--no-delete"), !invocation.has("--yes"),
      update.missingCount > update.recordCount / 2
    else { return }
    throw ToolError(
      .declined,
      sentence:
        "\(file.path): \(update.missingCount) of \(update.recordCount) records have no row, "
        + "and would be deleted. Nothing was written. Type --yes to delete them, or --no-delete "
        + "to keep them.")
  }
}
