import Daybook
@_spi(Tools) import DaybookResults

/// `daybook log`: prints the changes of each transaction.
enum LogVerb {
  static let verb = Verb(
    name: "log", summary: "print the changes of each transaction",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input")
    ],
    flags: [
      Verb.Flag(name: "--entity", value: "E", summary: "only changes of records of this entity"),
      Verb.Flag(
        name: "--id", value: "ID", summary: "only changes of the record with this identifier"),
      Verb.Flag(
        name: "--where", value: "F",
        summary: "only changes of records that match the filter F before or after the change"),
      Verb.Flag(name: "--author", value: "A", summary: "only transactions of this author"),
      Verb.Flag(
        name: "--from", value: "T", summary: "the first transaction, by number or time"),
      Verb.Flag(name: "--to", value: "T", summary: "the last transaction, by number or time"),
      Verb.Flag(name: "-n", value: "N", summary: "print only the newest N transactions"),
      Verb.Flag(name: "--oneline", value: nil, summary: "print each transaction in one line"),
      Verb.Flag(name: "--reverse", value: nil, summary: "print the oldest transaction first"),
      Verb.Flag(
        name: "--relative", value: nil, summary: "print the age of transactions, not their time"),
      formatFlag,
    ],
    notes: """
      The newest transaction is printed first. With --format jsonl, the oldest is
      first, because a text journal has this order.

      + is an insert, ~ an update, - a delete. With --entity, --id or --where,
      transactions without a matching change are not printed. A line of --oneline
      contains the number of inserts, updates and deletes.

      --where is for records of one entity. A record matches if the filter is true for
      it directly before or directly after the transaction. The filter reads all
      values at that moment, also those of records that the record refers to. A
      change of such a record alone does not count.
      """,
    example: "daybook log Journal/Samples/games.jsonl --entity Game --from 8",
    run: run)

  static let formatFlag = Verb.Flag(
    name: "--format", value: "FORMAT", summary: "text, or jsonl for the lines of a text journal",
    choices: ["text", "jsonl"])

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let limit = try invocation.count("-n")
    if invocation.value("--format") == "jsonl" {
      for flag in ["--oneline", "--reverse", "--relative"] where invocation.has(flag) {
        throw ToolError(
          .usage,
          sentence:
            "\(flag) is for --format text; lines of a text journal have one form and order.",
          advice: "daybook log --help")
      }
    }
    let journal = try invocation.openJournal()
    var log = JournalLog(journal)
    if let entity = invocation.value("--entity") { try log.narrow(toEntity: entity) }
    if let id = invocation.value("--id") { try log.narrow(toIdentifier: id) }
    if let filter = try filter(invocation) { try narrow(&log, by: filter, for: invocation) }
    if let author = invocation.value("--author") { log.narrow(toAuthor: author) }
    try log.narrow(from: invocation.value("--from"), to: invocation.value("--to"))
    if try write(log, limit: limit, for: invocation) == 0, limit != 0 {
      try invocation.output.flush()
      StandardError.write(log.nothingSentence)
    }
    return try invocation.end(with: journal)
  }

  private static func filter(_ invocation: Invocation) throws(ToolError) -> Filter? {
    guard let argument = invocation.value("--where") else { return nil }
    do throws(FilterError) { return try Filter(argument) } catch { throw ToolError(error) }
  }

  /// Restricts a log to changes of records that match a filter. A journal with one entity needs no
  /// `--entity`.
  private static func narrow(
    _ log: inout JournalLog, by filter: Filter, for invocation: Invocation
  ) throws {
    if log.entity == nil {
      let names = log.entities.map(\.name)
      guard names.count == 1 else {
        throw ToolError(
          .usage,
          sentence: names.isEmpty
            ? "--where needs an entity; the journal has none."
            : "--where needs --entity; the journal has the entities \(KnownNames.phrase(names)).",
          advice: names.first.map {
            ShellText.command(["log"] + invocation.words + ["--entity", $0])
          })
      }
      try log.narrow(toEntity: names[0])
    }
    guard let entity = log.entity else { preconditionFailure("the log has no entity") }
    var request = DynamicRequest(entity: entity.name)
    request.filter = filter
    try log.narrow(to: request)
  }

  /// Writes the newest transactions of a log in the order and the format of the options, and
  /// returns their number.
  private static func write(
    _ log: JournalLog, limit: Int?, for invocation: Invocation
  ) throws -> Int {
    let isOldestFirst =
      invocation.has("--reverse") || invocation.value("--format") == "jsonl"
    guard !isOldestFirst || limit != nil else { return try write(log, for: invocation) }
    let limit = limit ?? Int.max
    if invocation.value("--format") == "jsonl" {
      // A line of a text journal may contain a creation number, which depends on the lines before.
      var newest: [LoggedTransaction] = []
      try log.forEach { transaction in
        newest.append(transaction)
        if newest.count / 2 >= max(limit, 512) { newest.removeFirst(newest.count - limit) }
      }
      newest = newest.suffix(limit)
      for transaction in newest { try transaction.writeJSON(to: invocation.output) }
      return newest.count
    }
    var found: [LoggedTransaction] = []
    var count = 0
    guard limit > 0 else { return 0 }
    try log.forEachFromNewest { transaction in
      if isOldestFirst {
        found.append(transaction)
      } else {
        try writeLines(of: transaction, isFirst: count == 0, for: invocation)
      }
      count += 1
      return count < limit
    }
    for (index, transaction) in found.reversed().enumerated() {
      try writeLines(of: transaction, isFirst: index == 0, for: invocation)
    }
    return count
  }

  /// Writes the transactions of a log in the format of the option `--format`, the oldest first, and
  /// returns their number.
  static func write(_ log: JournalLog, for invocation: Invocation) throws -> Int {
    let isJSON = invocation.value("--format") == "jsonl"
    var count = 0
    try log.forEach { transaction in
      if isJSON {
        try transaction.writeJSON(to: invocation.output)
      } else {
        try writeLines(of: transaction, isFirst: count == 0, for: invocation)
      }
      count += 1
    }
    return count
  }

  private static func writeLines(
    of transaction: LoggedTransaction, isFirst: Bool, for invocation: Invocation
  ) throws {
    let times: ShownTimes = invocation.has("--relative") ? try .relative() : .exact
    if invocation.has("--oneline") {
      try invocation.output.line(transaction.line(times))
    } else {
      if !isFirst { try invocation.output.line("") }
      try transaction.writeLines(to: invocation.output, on: invocation.terminal, times: times)
    }
  }
}
