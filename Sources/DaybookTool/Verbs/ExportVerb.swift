import DaybookJournal
import DaybookStore
import DaybookText

/// `daybook export`: a text made of a journal.
enum ExportVerb {
  static let verb = Verb(
    name: "export", summary: "write a journal as a text journal",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input"),
      Verb.Argument(
        name: "TEXT", summary: "the file to make; - or nothing for standard output",
        isOptional: true),
    ],
    flags: [],
    notes: """
      No file is written over. Of a damaged journal, what is intact is written.
      The new file can be read by no more people than the journal.
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
    // A text that cannot be written is complained of before a long journal is read.
    let file = try NewFile(path, madeOf: invocation["JOURNAL"])
    let journal = try invocation.openJournal()
    try export(journal) { try file.write($0) }
    try file.finish()
    return try invocation.end(with: journal)
  }

  /// Hands out the text, some lines at a time.
  private static func export(
    _ journal: OpenJournal, to output: ([UInt8]) throws -> Void
  ) throws {
    // The error of the output itself says more than that of the disk by which the export is ended.
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
