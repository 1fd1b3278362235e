import Daybook

/// `daybook replay`: prints the difference of a list for each transaction.
enum ReplayVerb {
  static let verb = Verb(
    name: "replay", summary: "print what each transaction changed in a list",
    arguments: ListArguments.arguments,
    flags: ListArguments.flags + [
      Verb.Flag(
        name: "--from", value: "T",
        summary: "the first transaction to print, by number or time"),
      Verb.Flag(
        name: "--to", value: "T", summary: "the last transaction to print, by number or time"),
      ListArguments.columns,
      Verb.Flag(
        name: "--as", value: "FORM", summary: "callbacks (the default), differences or snapshots",
        choices: ["callbacks", "differences", "snapshots"]),
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text or jsonl", choices: ["text", "jsonl"]),
      ShownDifference.valuesFlag,
    ] + Pace.flags,
    notes: """
      Without --from the list starts empty. With --from it starts as it was before
      that transaction. Transactions that did not change the list are not printed.

      The forms are:

        callbacks     the calls that a delegate of the list receives
        differences   a line for each changed section and row (- deleted,
                      + inserted, > moved, ~ updated in place), or with
                      --format jsonl an object for each transaction
        snapshots     the whole list after each transaction as an object, or
                      with --format text as a table with the same marks, in
                      which deleted rows are shown at their old position

      --delay and --step pause between transactions. On a terminal each table then
      replaces the one before, and is cut to the terminal's height around the changes.
      Keys are read from the terminal, even if JOURNAL is -. Press Ctrl-C to stop.

      Filters are described in 'daybook show --help'.
      """,
    example: """
      daybook replay Journal/Samples/reorder.jsonl Chore --sort room,index --section-by room \
      --as differences
      """,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let form = invocation.value("--as") ?? "callbacks"
    let format = invocation.value("--format")
    if form == "callbacks", format == "jsonl" {
      throw ToolError(
        .usage,
        sentence:
          "--format jsonl needs --as differences or --as snapshots; callbacks are only text.",
        advice: "daybook replay --help")
    }
    let includesValues = try invocation.includesValues(for: ["jsonl"])
    if includesValues, form != "differences" {
      throw ToolError(
        .usage, sentence: "--values needs --as differences.",
        advice: "daybook replay --help")
    }
    let pace = try Pace(invocation)
    let journal = try invocation.openJournal()
    let first = try invocation.value("--from").map { try journal.sequence(at: $0, for: "--from") }
    let last = try invocation.value("--to").map { try journal.sequence(at: $0, for: "--to") }
    let columns = try ListColumns(
      invocation.value("--columns"), of: request, in: journal.store.snapshot,
      readsAlong: form == "differences")
    let replay = try journal.reading {
      try journal.store.replay(request, from: first, to: last)
    }
    _ = try columns.rows(of: replay.objects, in: 0..<0)
    let output = invocation.output
    var film = Film(
      columns, isSectioned: request.sectioning != nil, isSlow: pace.waits,
      on: invocation.terminal)
    var isFirst = true
    while let step = try journal.reading({ try replay.next() }) {
      let (transaction, difference) = (step.transaction, step.difference)
      if !isFirst, try !pace.goesOn(output, on: invocation.terminal) { break }
      guard let sequence = transaction.sequence, let time = transaction.time else {
        preconditionFailure("a transaction of a journal has no number")
      }
      Progress.shared.show(
        "replaying \(journal.name)", done: sequence.rawValue,
        of: journal.store.snapshot.sequence.rawValue, in: .things("transactions"))
      let shown = ShownDifference(
        difference, columns: columns, includesValues: includesValues)
      switch (form, format) {
      case ("differences", "jsonl"):
        try shown.writeJSON([("tx", sequence.rawValue)], to: output)
      case ("differences", _):
        if !isFirst { try output.line("") }
        try output.line(invocation.terminal.heading(transaction.shownHeading))
        try shown.writeLines(to: output, on: invocation.terminal)
      case ("snapshots", "text"):
        let moment = Film.Moment(
          sequence: sequence, time: time, metadata: transaction.metadata)
        try film.show(difference, after: moment, to: output)
      case ("snapshots", _):
        try ShownList(difference.after, after: sequence, columns: columns, of: request)
          .writeJSON(to: output)
      default:
        let lines = difference.callbackLines()
        // A delegate is notified of totals that change alone, but no call has a line for them.
        if lines == ["willChange", "didChange"] { continue }
        try output.line("tx \(sequence)")
        for line in lines { try output.line(line) }
      }
      isFirst = false
    }
    return try invocation.end(with: journal)
  }
}
