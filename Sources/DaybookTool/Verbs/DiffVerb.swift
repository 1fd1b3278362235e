import DaybookResults
import DaybookStore

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
    let (from, to) = (try moment("--from", invocation), try moment("--to", invocation))
    let journal = try invocation.openJournal()
    let old = try journal.snapshot(at: from, for: "--from").frozen
    let new = try journal.snapshot(at: to, for: "--to").frozen
    let difference: ShownDifference
    do throws(RequestError) {
      // States of one journal have one catalog, and so what is read of both is the same.
      let plan = try request.plan(new.catalog)
      difference = ShownDifference(
        Difference(
          from: Projection(plan, of: old, window: request.window).snapshot,
          to: Projection(plan, of: new, window: request.window).snapshot),
        try ListColumns(
          invocation.value("--columns"), of: request, plan, in: new.catalog, readsAlong: true))
    } catch { throw ToolError(error) }
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
    _ flag: String, _ invocation: Invocation
  ) throws(ToolError) -> String {
    guard let text = invocation.value(flag) else {
      throw ToolError(
        .misunderstood, "'diff' needs '\(flag)'.", advice: "daybook diff --help")
    }
    return text
  }
}
