import Daybook
import DaybookJournal
import DaybookStore

/// `daybook show`: prints a list as of a moment.
enum ShowVerb {
  static let verb = Verb(
    name: "show", summary: "print a list of records, as of any point in the journal's history",
    arguments: ListArguments.arguments,
    flags: ListArguments.flags + TotalArguments.groups + [
      Verb.Flag(
        name: "--at", value: "T",
        summary: "the list after this transaction, or at this time; the default is the end"),
      Verb.Flag(
        name: "--without", value: "N",
        summary: "the list without transaction N; values that were changed again later are kept"),
      ListArguments.columns,
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "table, json, jsonl or csv",
        choices: ["table", "json", "jsonl", "csv"]),
      Verb.Flag(
        name: "--vertical", value: nil, summary: "print each value of a table in a line of its own"),
      Verb.Flag(
        name: "--explain", value: nil,
        summary: "print how the rows are found instead of the list: by a scan of all records, "
          + "by unique attributes, or by the identifier"),
    ],
    notes: """
      Examples of filters:

        --where 'state == "CA" AND name BEGINSWITH[cd] "first"'
        --where 'details.closeDate >= "2011-01-01" AND NOT id IN {3, 5, 8}'
        --where 'ANY friends.name LIKE "A*" OR friends.@count == 0'
        --where '`GICS Sector` == "Energy"'

      A name with spaces or signs is written in backquotes, also in --sort and the
      other options. A text in quotation marks is always a value, not an attribute.

      The manual describes the language in the chapter FILTER LANGUAGE. To read it:
      daybook manual | mandoc -a

      On a terminal, columns that do not fit are left out from the right and named
      below the table, and control characters are printed as escapes. A file or a
      pipe gets every column. With --vertical, nothing is left out or shortened.

      If all section names start with letters, an index of the sections is printed
      above the table.
      """,
    example: """
      daybook show Journal/Samples/failed-banks.jsonl FailedBankInfo --sort details.closeDate:desc \
      --section-by state
      """,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let having = try having(invocation)
    let isVertical = try isVertical(invocation)
    for flag in ["--group-by", "--explain"]
    where invocation.value("--without") != nil
      && (invocation.value(flag) != nil || invocation.has(flag))
    {
      throw ToolError(
        .usage, sentence: "--without and \(flag) cannot be combined; use one of them.",
        advice: "daybook show --help")
    }
    let journal = try invocation.openJournal()
    var snapshot = journal.store.snapshot
    if let moment = invocation.value("--at") {
      snapshot = try journal.snapshot(at: moment, for: "--at")
    }
    if invocation.has("--explain") {
      let plan = try journal.reading { try snapshot.plan(for: request) }
      try invocation.output.line("\(plan)")
      return try invocation.end(with: journal, at: snapshot)
    }
    if let key = invocation.value("--group-by") {
      let groups = try journal.reading {
        try ShownGroups(request, by: key, having: having, in: snapshot)
      }
      switch invocation.value("--format") ?? "table" {
      case "json": try groups.writeJSON(to: invocation.output)
      case "jsonl": try groups.writeJSONLines(to: invocation.output)
      case "csv": try groups.writeCSV(to: invocation.output, on: invocation.terminal)
      default: try groups.writeTable(to: invocation.output, on: invocation.terminal)
      }
      return try invocation.end(with: journal, at: snapshot)
    }
    let without = try without(invocation, of: request, at: snapshot, in: journal)
    let list = try journal.reading {
      if let without {
        return try ShownList(
          without.objects, columns: invocation.value("--columns"), of: request, in: snapshot)
      }
      return try ShownList(request, columns: invocation.value("--columns"), in: snapshot)
    }
    switch invocation.value("--format") ?? "table" {
    case "json": try list.writeJSON(to: invocation.output)
    case "jsonl": try list.writeJSONLines(to: invocation.output)
    case "csv": try list.writeCSV(to: invocation.output, on: invocation.terminal)
    default:
      if isVertical {
        try list.writeVertically(to: invocation.output, on: invocation.terminal)
      } else {
        try list.writeTable(to: invocation.output, on: invocation.terminal)
      }
      try journal.explainNames(of: list.columns, at: snapshot.sequence, for: invocation)
    }
    if let sentence = without?.sentence {
      try invocation.output.flush()
      StandardError.write(sentence)
    }
    return try invocation.end(with: journal, at: snapshot)
  }

  /// Returns the list without the transaction of `--without`; nil without the option.
  private static func without(
    _ invocation: Invocation, of request: DynamicRequest, at snapshot: StoreSnapshot,
    in journal: OpenJournal
  ) throws -> ListWithout? {
    guard let sequence = try invocation.count("--without") else { return nil }
    return try journal.reading {
      try ListWithout(
        request, without: SequenceNumber(UInt64(sequence)), at: snapshot, in: journal)
    }
  }

  /// Returns whether the user typed `--vertical`, which is for tables of rows.
  private static func isVertical(_ invocation: Invocation) throws(ToolError) -> Bool {
    guard invocation.has("--vertical") else { return false }
    guard invocation.value("--group-by") == nil, invocation.value("--format") ?? "table" == "table"
    else {
      throw ToolError(
        .usage, sentence: "--vertical is for tables of rows.",
        advice: "daybook show --help")
    }
    return true
  }

  /// Returns the filter of `--having`, which needs `--group-by`.
  private static func having(_ invocation: Invocation) throws(ToolError) -> Filter? {
    guard let argument = invocation.value("--having") else { return nil }
    guard invocation.value("--group-by") != nil else {
      throw ToolError(
        .usage, sentence: "--having needs --group-by.", advice: "daybook show --help")
    }
    do throws(FilterError) { return try Filter(argument) } catch { throw ToolError(error) }
  }
}
