import Daybook

/// `daybook replay`: what each transaction did to a list.
enum ReplayVerb {
  static let verb = Verb(
    name: "replay", summary: "tell what each transaction did to a list, one after the other",
    arguments: ListArguments.arguments,
    flags: ListArguments.flags + [
      Verb.Flag(
        name: "--from", value: "T",
        summary: "which transaction is told first, by its number or time"),
      Verb.Flag(
        name: "--to", value: "T", summary: "which transaction is told last, by its number or time"),
      ListArguments.columns,
      Verb.Flag(
        name: "--as", value: "FORM", summary: "callbacks, differences or snapshots",
        choices: ["callbacks", "differences", "snapshots"]),
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text or jsonl", choices: ["text", "jsonl"]),
    ] + Pace.flags,
    notes: """
      Without --from the list begins empty; with it, as it was before that
      transaction. Transactions that did nothing to the list are not told.

      Callbacks, which are told unless another form is asked for, are the calls that
      a delegate of the list would have heard. Differences have a line for each
      section and row (- went, + came, > moved, ~ changed where it stands), or with
      --format jsonl an object for each transaction. Snapshots are the whole list
      after each transaction, as objects, or with --format text as pictures: tables
      with the same signs before their rows, in which rows that went stand where they
      were.

      With --delay or --step somebody can follow. On a terminal each picture takes the
      place of the one before, and is cut to the terminal's height around what has
      changed. Keys are read from the terminal also where JOURNAL is -. An interrupt
      ends it at once, as it does any command, and leaves the terminal as it was.
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
        .misunderstood,
        sentence: "callbacks are text; with '--format jsonl' goes '--as differences'.",
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
      guard let sequence = transaction.sequence else {
        preconditionFailure("a transaction of a journal has no number")
      }
      let shown = ShownDifference(difference, columns: columns)
      switch (form, format) {
      case ("differences", "jsonl"):
        try shown.writeJSON([("tx", sequence.rawValue)], to: output)
      case ("differences", _):
        if !isFirst { try output.line("") }
        try output.line(invocation.terminal.heading(transaction.shownHeading))
        try shown.writeText(to: output)
      case ("snapshots", "text"):
        try film.show(difference, after: transaction, to: output)
      case ("snapshots", _):
        let isSectioned = request.sectioning != nil
        try ShownList(
          difference.after, after: sequence, columns: columns, isSectioned: isSectioned
        ).writeJSON(to: output)
      default:
        try output.line("tx \(sequence)")
        for line in difference.callbackLines() { try output.line(line) }
      }
      isFirst = false
    }
    return try invocation.end(with: journal)
  }
}
