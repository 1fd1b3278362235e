import DaybookJournal
import DaybookPlatform
import DaybookStore

/// `daybook browse`: shows a journal on the full screen of a terminal.
enum BrowseVerb {
  static let verb = Verb(
    name: "browse", summary: "move through a journal on the full screen of a terminal",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input"),
      Verb.Argument(
        name: "ENTITY", summary: "the entity to list; without it, a menu of the entities",
        isOptional: true),
    ],
    flags: BrowserQuery.flags + [
      Verb.Flag(
        name: "--at", value: "T",
        summary: "the list after this transaction, or at this time; the default is the end")
    ],
    notes: """
      The screen shows the list at a moment, the transactions, and the selected
      record. The journal is only read.


      """
        + BrowserKeys.help.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n") + """


          Keys are read from the terminal, even if JOURNAL is -. Filters are described in
          'daybook show --help'.
          """,
    example: "daybook browse Journal/Samples/games.jsonl Game --sort name",
    interruption: .silent,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let input = try terminal(of: invocation)
    var query: BrowserQuery?
    if let entity = invocation.value(of: "ENTITY") {
      query = BrowserQuery(entity: entity)
      for flag in BrowserQuery.flags { query?[flag.name] = invocation.value(flag.name) }
      _ = try query?.request()
    } else if let flag = BrowserQuery.flags.first(where: { invocation.value($0.name) != nil }) {
      throw ToolError(
        .usage, sentence: "\(flag.name) needs ENTITY.", advice: "daybook browse --help")
    }
    let journal = try invocation.openJournal(usesCheckpoint: false)
    let snapshot = journal.store.snapshot
    let entities = snapshot.entities.map { (name: $0.name, count: snapshot.count(of: $0.name)) }
    var moment = journal.history.upperBound
    if let argument = invocation.value("--at") {
      moment = try journal.knownSequence(at: argument, for: "--at").rawValue
    }
    if let query {
      // An error in the request is reported before the screen is shown.
      _ = try RecordArguments.entity(query.entity, in: snapshot)
      let request = try query.request()
      _ = try journal.reading { try snapshot.plan(for: request) }
      if let columns = query["--columns"] {
        var empty = request
        (empty.sectioning, empty.limit) = (nil, 0)
        _ = try journal.reading { try ShownList(empty, columns: columns, in: snapshot) }
      }
    } else if entities.count == 1 {
      query = BrowserQuery(entity: entities[0].name)
    }
    guard let signals = SignalPipe(SignalPipe.all + [SignalPipe.resize]) else {
      throw ToolError(
        .refused, sentence: "\(DiskError(.open, path: "a pipe", code: Errno.last))")
    }
    let inbox = BrowserInbox(signals.makeBell())
    Progress.shared.redirect { inbox.send(.progress($0)) }
    let screen = FullScreen(input, usesColor: invocation.terminal.usesColor)
    let model = BrowserModel(
      journal: invocation["JOURNAL"], entities: entities, history: journal.history,
      size: screen.size)
    let browser = Browser(model, journal: journal, on: screen, input: input, inbox: inbox)
    let signal = try browser.run(
      query.map { BrowserView(query: $0, moment: moment, without: nil) }, signals: signals)
    if let signal { Signals.raiseWithDefaultAction(signal) }
    return try invocation.end(with: journal)
  }

  /// Returns the terminal, or throws an error if the process has none.
  private static func terminal(of invocation: Invocation) throws(ToolError) -> TerminalInput {
    var words = invocation.words
    words.insert("show", at: 0)
    let advice = invocation.value(of: "ENTITY") == nil ? nil : ShellText.command(words)
    guard invocation.terminal.columnCount != nil, let input = TerminalInput() else {
      throw ToolError(
        .usage,
        sentence: "browse needs a terminal; standard output or the keyboard is not one.",
        advice: advice)
    }
    guard !invocation.terminal.isPlain else {
      throw ToolError(
        .usage,
        sentence: "browse moves the cursor, which a terminal with TERM=dumb cannot do.",
        advice: advice)
    }
    return input
  }
}
