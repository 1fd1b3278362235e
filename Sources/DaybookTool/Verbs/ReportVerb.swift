import Daybook
import DaybookJournal
import DaybookPlatform

/// `daybook report`: writes a page that shows a list at every transaction.
enum ReportVerb {
  static let verb = Verb(
    name: "report", summary: "write a page that replays a list in a browser",
    arguments: ListArguments.arguments,
    flags: ListArguments.flags + [
      Verb.Flag(
        name: "--from", value: "T",
        summary: "the first transaction to show, by number or time"),
      Verb.Flag(
        name: "--to", value: "T", summary: "the last transaction to show, by number or time"),
      ListArguments.columns,
      Verb.Flag(
        name: "-o", value: "FILE", summary: "the file to create; the default is standard output"),
      Verb.Flag(
        name: "--open", value: nil,
        summary: "open the file with the program of the system; needs -o"
      ),
    ],
    notes: """
      The page is one HTML file, which a browser opens without a network. It shows the
      list at every transaction that changed it, as 'daybook show --at' does. Its rows
      move when the list changes. A click on a cell shows the transaction that set the
      value. Type ? on the page for its keys.

      A link to film.html#tx=6&row=3 opens the page at a transaction and a row, and
      film.html#tag=NAME at a tag.

      An existing file is never replaced. The page contains at most 20,000
      transactions and 25 MB of data. If there is more, the oldest transactions are
      left out, and the page says so. Without scripts, and when it is printed, the
      page shows the first and the last list.

      Filters are described in 'daybook show --help'.
      """,
    example: "daybook report Journal/Samples/games.jsonl Game --sort name -o film.html",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let path = try path(invocation)
    // The file is created before the journal is read, so that an error in its path is reported
    // immediately.
    let file = try path.map { try NewFile($0, madeOf: invocation["JOURNAL"]) }
    let journal = try invocation.openJournal(usesCheckpoint: false)
    let first = try invocation.value("--from").map { try journal.sequence(at: $0, for: "--from") }
    let last = try invocation.value("--to").map { try journal.sequence(at: $0, for: "--to") }
    if let first, let last { try check(first, through: last, for: invocation) }
    let columns = try ListColumns(
      invocation.value("--columns"), of: request, in: journal.store.snapshot)
    let recording = try ListRecording.recorded(
      request, columns: columns, in: journal, range: (first, last))
    if first != nil || last != nil { try check(recording, from: first, through: last) }
    let notes = try journal.reading {
      try ReportNotes(recording, through: last, in: journal.store)
    }
    let heading = ReportHeading(
      invocation, entity: columns.entity.name, journal: journal.name)
    let page = ReportPage(heading: heading, recording: recording, notes: notes)
    guard let file, let path else {
      try page.write { try invocation.output.write($0) }
      return try invocation.end(with: journal)
    }
    try page.write { try file.write($0) }
    try file.finish()
    let status = try invocation.end(with: journal)
    if invocation.has("--open") { try open(path) }
    return status
  }

  /// Throws an error if the first transaction of the page is after the last one.
  private static func check(
    _ first: SequenceNumber, through last: SequenceNumber, for invocation: Invocation
  ) throws(ToolError) {
    guard first > last else { return }
    var words = invocation.words
    if let from = invocation.wordIndexes["--from"], let to = invocation.wordIndexes["--to"],
      words[from] == invocation.value("--from"), words[to] == invocation.value("--to")
    {
      words.swapAt(from, to)
    }
    throw ToolError(
      .usage,
      sentence: "--from is transaction \(first), which is after transaction \(last), the one of "
        + "--to. The page would be empty.",
      advice: words == invocation.words ? nil : ShellText.command([verb.name] + words))
  }

  /// Throws an error if no transaction of the range changed the list.
  private static func check(
    _ recording: ListRecording, from first: SequenceNumber?, through last: SequenceNumber?
  ) throws(ToolError) {
    guard recording.summary.stepCount == 0 else { return }
    let range =
      switch (first, last) {
      case (let first?, let last?): "from \(first) to \(last)"
      case (let first?, nil): "from \(first) on"
      case (nil, let last): "up to \(last ?? .zero)"
      }
    throw ToolError(
      .usage,
      sentence: "no transaction \(range) changed this list of "
        + "\(DisplayWidth.shown(recording.columns.entity.name)). The page would be empty.",
      advice: "daybook \(verb.name) --help")
  }

  /// Returns the path of the file to create; nil for standard output.
  private static func path(_ invocation: Invocation) throws(ToolError) -> String? {
    if let path = invocation.value("-o"), path != "-" { return path }
    if invocation.has("--open") {
      throw ToolError(
        .usage, sentence: "--open needs a file. Name it with -o.",
        advice: advice(invocation))
    }
    guard invocation.terminal.columnCount == nil else {
      throw ToolError(
        .usage,
        sentence: "report writes HTML, which a terminal cannot show. Name a file with -o.",
        advice: advice(invocation))
    }
    return nil
  }

  private static func advice(_ invocation: Invocation) -> String {
    var words = invocation.words
    if let index = invocation.wordIndexes["-o"] {
      words[index] = "film.html"
    } else {
      words += ["-o", "film.html"]
    }
    return ShellText.command([verb.name] + words)
  }

  private static func open(_ path: String) throws(ToolError) {
    let opener = CurrentProcess.opener
    // The opener would read a name that starts with - as an option.
    let name = path.hasPrefix("-") ? "./" + path : path
    if (try? CurrentProcess.run(opener, arguments: [name])) == 0 { return }
    throw ToolError(
      .refused,
      sentence: "\(opener) did not open \(path). The file is complete. Open it in a browser.")
  }
}
