import DaybookPlatform

/// `daybook serve`: answers requests of a program about journals.
enum ServeVerb {
  static let verb = Verb(
    name: "serve", summary: "let a program read journals by the Model Context Protocol",
    arguments: [
      Verb.Argument(
        name: "JOURNAL", summary: "a journal that the program can read", isRepeated: true)
    ],
    flags: [
      Verb.Flag(
        name: "--stdio", value: nil,
        summary: "read requests from standard input, and write answers to standard output")
    ],
    notes: """
      Requests and answers are lines of JSON. The tools of the server are the reading
      commands, with the same arguments and options, and 'tags' for the list of tags.
      A result has at most 64 KiB, and a cursor if there is more. A line of requests
      has at most 1 MiB, 64 levels of nesting, and 100 requests in an array; their
      results have at most 1 MiB together. The server reads only the named journals,
      writes nothing, and uses no network. It ends at the end of its input.
      """,
    example: "daybook serve --stdio games.daybook",
    interruption: .silent,
    run: run)

  /// The commands that a client can call. None of them writes a journal.
  private static let tools = [
    ShowVerb.verb, ReplayVerb.verb, DiffVerb.verb, LogVerb.verb, HistoryVerb.verb, WhyVerb.verb,
    BlameVerb.verb, ChartVerb.verb, BisectVerb.verb, VerifyVerb.verb, StatsVerb.verb,
    SchemaVerb.verb, TagVerb.served,
  ]

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    guard invocation.has("--stdio") else {
      throw ToolError(
        .usage, sentence: "serve needs --stdio.", advice: "daybook serve --help")
    }
    let journals = invocation.repeatedIndexes.map { invocation.words[$0] }
    guard !journals.contains("-") else {
      throw ToolError(
        .usage, sentence: "serve reads requests from standard input, so - is no journal.")
    }
    for journal in journals {
      do throws(DiskError) { _ = try SystemDisk().status(of: journal) } catch {
        throw ToolError(
          .refused,
          sentence: error.code == Errno.noSuchFile
            ? "\(journal): there is no file of this name. Check the path." : "\(error)")
      }
    }
    let server = ContextServer(
      journals: journals, tools: tools.map { ServedTool(verb: $0, verbs: invocation.verbs) })
    var lines = RequestLines(.standardInput)
    while let line = try next(&lines) {
      guard line != .bytes([]), let answer = server.answer(to: line) else { continue }
      try invocation.output.line(answer)
      try invocation.output.flush()
    }
    return .done
  }

  private static func next(_ lines: inout RequestLines) throws -> RequestLines.Line? {
    do { return try lines.next() } catch let error as DiskError {
      throw ToolError(.refused, sentence: "\(error)")
    }
  }
}
