import DaybookPlatform
import DaybookStore

/// `daybook stats`: what there is in a journal, counted.
enum StatsVerb {
  static let verb = Verb(
    name: "stats", summary: "count what there is in a journal: sizes, changes, times",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input")
    ],
    flags: [
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text, or json for one object",
        choices: ["text", "json"])
    ],
    notes: """
      A payload is what a transaction takes up in a journal, without the frame around
      it; those of a text are of the journal that is made of it. Inserts, updates and
      deletes are what transactions did, and records are those that there are now. If
      the journal begins with a base, which holds what was before, its records stand
      in a column of their own, and it is no transaction.

      The largest transactions are told by their payloads. The bars show the changes
      in equal spans of time, of which there are 12 at most.
      """,
    example: "daybook stats Journal/Samples/failed-banks.jsonl",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    let statistics: JournalStatistics
    do throws(StoreError) { statistics = try JournalStatistics(journal.store) } catch {
      throw journal.error(error)
    }
    let byteCount = fileByteCount(invocation["JOURNAL"])
    if invocation.value("--format") == "json" {
      try statistics.writeJSON(journal.name, fileByteCount: byteCount, to: invocation.output)
    } else {
      try statistics.writeText(
        journal.name, fileByteCount: byteCount, to: invocation.output, on: invocation.terminal)
    }
    return try invocation.end(with: journal)
  }

  /// The size of a file; nil for what has none, as standard input.
  private static func fileByteCount(_ path: String) -> Int? {
    guard path != "-", let status = try? SystemDisk().status(of: path), status.kind == .file else {
      return nil
    }
    return Int(status.byteCount)
  }
}
