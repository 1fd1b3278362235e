import DaybookJournal
import DaybookStore
import DaybookText

/// `daybook export`: writes a journal as a text journal.
enum ExportVerb {
  static let verb = Verb(
    name: "export", summary: "write a journal as a text journal",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input"),
      Verb.Argument(
        name: "TEXT", summary: "the file to create; the default, -, is standard output",
        isOptional: true),
    ],
    flags: [],
    notes: """
      An existing file is never replaced. If the journal is damaged, its intact part
      is exported. The new file has at most the permissions of the journal.
      """,
    example: "daybook export Journal/Samples/Records/companies.daybook companies.jsonl",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let path = invocation["TEXT"]
    guard !path.isEmpty, path != "-" else {
      let journal = try invocation.openJournal()
      try export(journal) { try invocation.output.write($0) }
      return try invocation.end(with: journal)
    }
    // The file is created before the journal is read, so that an error in its path is reported
    // immediately, also for a long journal.
    let file = try NewFile(path, madeOf: invocation["JOURNAL"])
    let journal = try invocation.openJournal()
    try export(journal) { try file.write($0) }
    try file.finish()
    return try invocation.end(with: journal)
  }

  /// Calls a closure with the lines of the text journal, several lines at a time.
  private static func export(
    _ journal: OpenJournal, to output: ([UInt8]) throws -> Void
  ) throws {
    // `export` accepts only disk errors from its closure. The original error has more detail, so it
    // is kept and thrown at the end.
    var trouble: (any Error)?
    do throws(TextJournalError) {
      try TextJournal.export(journal.store) { (bytes) throws(DiskError) in
        do { try output(bytes.withUnsafeBytes { [UInt8]($0) }) } catch {
          trouble = error
          throw DiskError(.write, path: journal.name, code: 0)
        }
      }
    } catch { throw trouble ?? ToolError(error) }
  }
}
