import Daybook
@_spi(Tools) import DaybookStore

/// `daybook blame`: prints a list, and for each value the transaction that set it.
enum BlameVerb {
  static let verb = Verb(
    name: "blame", summary: "print a list with the transaction that set each value",
    arguments: ListArguments.arguments,
    flags: ListArguments.flags.filter { $0.name != TotalArguments.total.name } + [
      Verb.Flag(
        name: "--at", value: "T",
        summary: "the list after this transaction, or at this time; the default is the end"),
      Verb.Flag(
        name: "--columns", value: "a,b", summary: "attributes to print, without paths"),
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "table, json or jsonl",
        choices: ["table", "json", "jsonl"]),
    ],
    notes: """
      @9 after a value means that transaction 9 gave the attribute this value, and
      that no later transaction changed it. After the identifier it is the transaction
      that inserted the record. 'daybook log --from 9 --to 9' prints the transaction.
      """,
    example: "daybook blame Journal/Samples/games.jsonl Game --sort name",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let request = try ListArguments.request(invocation, entity: invocation["ENTITY"])
    let journal = try invocation.openJournal()
    var snapshot = journal.store.snapshot
    var log = JournalLog(journal)
    try log.narrow(toEntity: request.entity)
    if let moment = invocation.value("--at") {
      snapshot = try journal.snapshot(at: moment, for: "--at")
      try log.narrow(from: nil, to: "\(snapshot.sequence)")
    }
    let list = try journal.reading {
      try ShownList(request, columns: invocation.value("--columns"), in: snapshot)
    }
    if let path = list.columnNames.first(where: { list.entity.index(of: $0) == nil }) {
      throw ToolError(
        .usage,
        sentence: "blame prints attributes of \(list.entity.name) itself; found the path '\(path)'."
      )
    }
    let blamed = try BlamedList(list, in: log)
    switch invocation.value("--format") ?? "table" {
    case "json": try list.writeJSON(blamed, to: invocation.output)
    case "jsonl": try list.writeJSONLines(blamed, to: invocation.output)
    default: try list.writeTable(blamed, to: invocation.output, on: invocation.terminal)
    }
    return try invocation.end(with: journal, at: snapshot)
  }
}

extension ShownList {
  /// Writes the list as a table with a transaction after each value.
  fileprivate func writeTable(
    _ blamed: BlamedList, to output: Output, on terminal: Terminal
  ) throws {
    try output.line(terminal.heading(title))
    var table = TextTable(
      ["id"] + columnNames, alignsRight: Array(repeating: false, count: columnNames.count + 1),
      on: terminal)
    for section in objects.sections {
      try forEachRow(in: section) { table.measure(cells($0, of: blamed)) }
    }
    table.fit()
    if !objects.isEmpty { try output.line(terminal.heading(table.head)) }
    for section in objects.sections {
      if isSectioned {
        try output.line("")
        try output.line(terminal.heading("\(section.name) (\(section.numberOfObjects))"))
      }
      try forEachRow(in: section) { try output.line(table.line(cells($0, of: blamed))) }
    }
    if !objects.isEmpty, let sentence = table.hiddenSentence {
      try output.line("")
      for line in sentence { try output.line(line) }
    }
  }

  private func cells(_ row: Row, of blamed: BlamedList) -> [String] {
    let found = blamed[row.id]
    return zip(ShownList.cells(row), [found.inserted] + found.values).map { "\($0) @\($1)" }
  }

  /// Writes the list as one JSON object.
  fileprivate func writeJSON(_ blamed: BlamedList, to output: Output) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("entity")
    writer.write(entity.name)
    writer.key("at")
    writer.write(sequence)
    writer.key("sections")
    writer.beginArray()
    for section in objects.sections {
      writer.beginObject()
      writer.key("name")
      writer.write(section.name)
      writer.key("rows")
      writer.beginArray()
      try forEachRow(in: section) { write($0, of: blamed, to: &writer) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.endLine()
    try output.write(writer.bytes)
  }

  /// Writes a line with one JSON object for each row.
  fileprivate func writeJSONLines(_ blamed: BlamedList, to output: Output) throws {
    for section in objects.sections {
      try forEachRow(in: section) { row in
        var writer = JSONWriter()
        write(row, of: blamed, to: &writer)
        writer.endLine()
        try output.write(writer.bytes)
      }
    }
  }

  /// Writes a row with the transaction of its insertion, and its values as pairs of a value and a
  /// transaction.
  private func write(_ row: Row, of blamed: BlamedList, to writer: inout JSONWriter) {
    let found = blamed[row.id]
    writer.beginObject()
    writer.key("id")
    writer.write(row.id)
    writer.key("tx")
    writer.write(found.inserted.rawValue)
    writer.key("values")
    writer.beginObject()
    for (column, name) in columnNames.enumerated() {
      writer.key(name)
      writer.beginArray()
      writer.write(row.values[column])
      writer.write(found.values[column].rawValue)
      writer.endArray()
    }
    writer.endObject()
    writer.endObject()
  }
}

extension BlamedList {
  fileprivate subscript(id: RecordIdentifier) -> Row {
    guard let row = rows[id] else { preconditionFailure("no transaction inserted \(id)") }
    return row
  }
}
