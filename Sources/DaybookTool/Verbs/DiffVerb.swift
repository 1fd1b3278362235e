import Daybook

/// `daybook diff`: what happened to a list between two moments.
enum DiffVerb {
  static let verb = Verb(
    name: "diff", summary: "tell what is another in a list at two moments",
    arguments: ListArguments.arguments,
    flags: ListArguments.flags + [
      Verb.Flag(
        name: "--from", value: "T", summary: "after which transaction, or at which time, it begins"),
      Verb.Flag(
        name: "--to", value: "T", summary: "after which transaction, or at which time, it ends"),
      ListArguments.columns,
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text, json or jsonl",
        choices: ["text", "json", "jsonl"]),
    ],
    notes: """
      --from and --to are both needed, and either may be the earlier.

      There is a line for each section and row: - went, + came, > moved, ~ changed
      where it stands. A path is of a section and a row; those of what went and those
      before an arrow are as they were at --from.
      """,
    example: "daybook diff Journal/Samples/items.jsonl Item --sort name --from 1 --to 3",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let (from, to) = (try moment("--from", of: invocation), try moment("--to", of: invocation))
    let journal = try invocation.openJournal()
    let old = try journal.snapshot(at: from, for: "--from")
    let new = try journal.snapshot(at: to, for: "--to")
    let columns = try ListColumns(
      invocation.value("--columns"), of: request, in: new, readsAlong: true)
    let difference = ShownDifference(
      try journal.reading { try old.difference(to: new, of: request) }, columns: columns)
    _ = try columns.rows(of: difference.difference.after, in: 0..<0)
    let (first, last) = (old.sequence.rawValue, new.sequence.rawValue)
    if let format = invocation.value("--format"), format != "text" {
      try difference.writeJSON([("from", first), ("to", last)], to: invocation.output)
    } else {
      let what = difference.summary ?? "nothing has changed"
      let name = DisplayWidth.shown(difference.columns.entity.name)
      try invocation.output.line(
        invocation.terminal.heading(
          "\(name) from transaction \(first) to \(last): \(what)"))
      try difference.writeText(to: invocation.output)
    }
    return try invocation.end(with: journal)
  }

  private static func moment(
    _ flag: String, of invocation: Invocation
  ) throws(ToolError) -> String {
    guard let text = invocation.value(flag) else {
      throw ToolError(
        .misunderstood, sentence: "'diff' needs '\(flag)'.", advice: "daybook diff --help")
    }
    return text
  }
}
