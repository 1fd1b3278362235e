import Daybook

/// `daybook chart`: draws how a list changed over time.
enum ChartVerb {
  static let verb = Verb(
    name: "chart", summary: "draw values, ranks, counts or totals of a list over time",
    arguments: ListArguments.arguments,
    flags: [
      Verb.Flag(
        name: "--of", value: "KEY", summary: "draw the values of this attribute, for each row"),
      Verb.Flag(name: "--id", value: "ID", summary: "with --of: draw only this record"),
      Verb.Flag(name: "--rank", value: "N", summary: "draw the positions of the first N rows"),
      Verb.Flag(name: "--count", value: nil, summary: "draw the number of rows"),
      Verb.Flag(
        name: "--total", value: TotalArguments.total.value, summary: "draw these totals of the list"
      ),
      Verb.Flag(
        name: "--calendar", value: nil, summary: "draw the number of changed rows on each day"),
      Verb.Flag(name: "-o", value: "FILE", summary: "write an image in SVG instead of text"),
      Verb.Flag(
        name: "--at", value: "T", summary: "the last transaction to draw, by number or time"),
    ] + ListArguments.flags.filter { $0.name != TotalArguments.total.name },
    notes: """
      Type one of --of, --rank, --count, --total and --calendar. Transactions are
      drawn from left to right. One curve is drawn as a graph; each of several curves
      is drawn in one line. With TERM=dumb, the output is ASCII.
      """,
    example: "daybook chart Journal/Samples/games.jsonl Game --sort name --rank 3",
    run: run)

  private static let modes = ["--of", "--rank", "--count", "--total", "--calendar"]

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let typed = modes.filter { invocation.has($0) || invocation.value($0) != nil }
    guard typed.count == 1 else {
      throw ToolError(
        .usage,
        sentence: "chart needs one of \(Invocation.list(modes))"
          + (typed.isEmpty ? "." : "; found \(typed.joined(separator: " and "))."),
        advice: "daybook chart --help")
    }
    if invocation.value("--id") != nil, typed != ["--of"] {
      throw ToolError(
        .usage, sentence: "--id needs --of.", advice: "daybook chart --help")
    }
    var request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    request.totals = []
    let rankCount = try invocation.count("--rank")
    let journal = try invocation.openJournal()
    let snapshot = try invocation.value("--at").map { try journal.snapshot(at: $0, for: "--at") }
    let maker = ChartMaker(
      journal: journal, request: request, snapshot: snapshot ?? journal.store.snapshot)
    let (lines, image): ([StyledLine], String)
    if typed == ["--calendar"] {
      let calendar = try maker.calendar()
      (lines, image) = (calendar.lines(on: invocation.terminal), calendar.image)
    } else {
      let chart =
        if let name = invocation.value("--of") {
          try maker.values(of: name, id: invocation.value("--id"))
        } else if let rankCount {
          try maker.ranks(ofFirst: rankCount)
        } else if let argument = invocation.value("--total") {
          try maker.totals(argument)
        } else {
          try maker.counts()
        }
      (lines, image) = (ChartText(chart, on: invocation.terminal).lines, ChartImage(chart).svg)
    }
    if let path = invocation.value("-o") {
      let file = try NewFile(path, madeOf: invocation["JOURNAL"])
      try file.write(Array(image.utf8))
      try file.finish()
    } else {
      for line in lines { try invocation.output.line(line) }
    }
    return try invocation.end(with: journal)
  }
}
