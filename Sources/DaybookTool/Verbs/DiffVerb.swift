import Daybook

/// `daybook diff`: prints the difference of a list between two moments.
enum DiffVerb {
  static let verb = Verb(
    name: "diff", summary: "show what changed in a list between two points in time",
    arguments: ListArguments.arguments,
    flags: ListArguments.flags + [
      Verb.Flag(
        name: "--from", value: "T", summary: "the start: after this transaction, or at this time"),
      Verb.Flag(
        name: "--to", value: "T", summary: "the end: after this transaction, or at this time"),
      ListArguments.columns,
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text, json or jsonl",
        choices: ["text", "json", "jsonl"]),
      ShownDifference.valuesFlag,
    ],
    notes: """
      --from and --to are required. Either may be the earlier.

      Each changed section and row is a line: - deleted, + inserted, > moved,
      ~ updated in place. A path is the index of a section and of a row in it. Paths
      of deleted rows, and paths before an arrow, are those at --from.

      Filters are described in 'daybook show --help'.
      """,
    example: "daybook diff Journal/Samples/items.jsonl Item --sort name --from 1 --to 3",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let (from, to) = (try moment("--from", of: invocation), try moment("--to", of: invocation))
    let includesValues = try invocation.includesValues(for: ["json", "jsonl"])
    let journal = try invocation.openJournal()
    let old = try journal.snapshot(at: from, for: "--from")
    let new = try journal.snapshot(at: to, for: "--to")
    let columns = try ListColumns(
      invocation.value("--columns"), of: request, in: new, readsAlong: true)
    let difference = ShownDifference(
      try journal.reading { try old.difference(to: new, of: request) }, columns: columns,
      includesValues: includesValues)
    _ = try columns.rows(of: difference.difference.after, in: 0..<0)
    let (first, last) = (old.sequence.rawValue, new.sequence.rawValue)
    if let format = invocation.value("--format"), format != "text" {
      try difference.writeJSON([("from", first), ("to", last)], to: invocation.output)
    } else {
      try invocation.output.line(
        invocation.terminal.heading(
          ShownDifference.heading(
            of: columns.entity.name, from: first, to: last, summary: difference.summary)))
      try difference.writeLines(to: invocation.output, on: invocation.terminal)
      try journal.explainNames(
        of: columns, at: min(old.sequence, new.sequence), for: invocation)
    }
    return try invocation.end(with: journal)
  }

  private static func moment(
    _ flag: String, of invocation: Invocation
  ) throws(ToolError) -> String {
    guard let argument = invocation.value(flag) else {
      throw ToolError(
        .usage, sentence: "diff needs \(flag).", advice: "daybook diff --help")
    }
    return argument
  }
}
