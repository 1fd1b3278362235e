import DaybookJournal
@_spi(Tools) import DaybookStore

/// `daybook tag`: names a moment of a journal, or lists the names.
enum TagVerb {
  static let verb = Verb(
    name: "tag", summary: "name a moment of a journal, or print the names",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the journal; a tag is written into it"),
      Verb.Argument(
        name: "NAME", summary: "the name; without it the tags are printed", isOptional: true),
      Verb.Argument(
        name: "T", summary: "the moment; the default is the last transaction", isOptional: true),
    ],
    flags: WriteReceipt.flags,
    notes: """
      A tag can be typed wherever a command takes a moment, for example as --at. It is
      a transaction without changes. If a name is used again, the last tag is valid.
      Without a name, --format json prints an object for each tag.
      """,
    example: "daybook tag games.daybook opening-night 7",
    interruption: .appended,
    run: run)

  /// The list of the tags alone, as a tool of a server.
  static let served = Verb(
    name: "tags", summary: "print the named moments of a journal, the newest first",
    arguments: [Verb.Argument(name: "JOURNAL", summary: "the journal")],
    flags: [
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text, or json for each tag as an object",
        choices: ["text", "json"])
    ],
    notes: "A name can be passed wherever a tool takes a moment, for example as \"at\".",
    example: "daybook tag games.daybook",
    run: { try list($0, isServed: true) })

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    guard let name = invocation.value(of: "NAME") else { return try list(invocation) }
    let journal = try invocation.openJournalForWriting()
    return try journal.closing {
      try journal.checkTagName(name)
      let sequence = try invocation.value(of: "T").map {
        try journal.knownSequence(at: $0, for: "T")
      }
      let receipt: WriteReceipt.Saved?
      do throws(StoreError) {
        receipt = try journal.saving { () throws(StoreError) in
          try journal.store.saveAndWait(
            JournalTag(name, of: sequence ?? journal.store.snapshot.sequence),
            with: WriteReceipt.metadata(invocation))
        }
      } catch { throw journal.error(error) }
      try WriteReceipt.write(receipt, of: journal, for: invocation)
      return try invocation.end(with: journal)
    }
  }

  /// Prints the tags, the newest first.
  ///
  /// - Parameters:
  ///   - invocation: The command.
  ///   - isServed: A Boolean value that indicates whether a server runs the command. The sentence
  ///     about missing tags is then a part of the result.
  private static func list(
    _ invocation: Invocation, isServed: Bool = false
  ) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    let tags: [JournalTag]
    do throws(StoreError) { tags = try journal.store.tags() } catch { throw journal.error(error) }
    if invocation.value("--format") == "json" {
      for tag in tags { try invocation.output.line(json(tag)) }
      return try invocation.end(with: journal)
    }
    var table = TextTable(
      ["name", "transaction"], alignsRight: [false, true], on: invocation.terminal)
    let rows = tags.map { [DisplayWidth.shown($0.name), "\($0.sequence)"] }
    for row in rows { table.measure(row) }
    table.fit()
    if rows.isEmpty, isServed {
      try invocation.output.line("\(journal.name) has no tags.")
    } else if rows.isEmpty {
      try invocation.output.flush()
      StandardError.write("\(journal.name) has no tags.")
    } else {
      try invocation.output.line(invocation.terminal.heading(table.head))
      for row in rows { try invocation.output.line(table.line(row)) }
    }
    return try invocation.end(with: journal)
  }

  private static func json(_ tag: JournalTag) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("name")
    writer.write(tag.name)
    writer.key("tx")
    writer.write(tag.sequence.rawValue)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension OpenJournal {
  /// Throws an error if a name cannot be a tag, because a moment with that text has another
  /// meaning.
  fileprivate func checkTagName(_ name: String) throws(ToolError) {
    guard !name.isEmpty, !name.hasPrefix("-"), !isMoment(name) else {
      throw ToolError(
        .usage,
        sentence: "a tag needs a name that is not a number or a time, and does not start with -; "
          + "found '\(name)'.")
    }
  }
}
