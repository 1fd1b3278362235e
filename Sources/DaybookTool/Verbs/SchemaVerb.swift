import DaybookStore

/// `daybook schema`: prints the entities of a journal, and their history.
enum SchemaVerb {
  static let verb = Verb(
    name: "schema", summary: "print the entities of a journal, with attributes and rules",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input")
    ],
    flags: [
      Verb.Flag(
        name: "--history", value: nil,
        summary: "print the transactions that changed the schema, or the version"),
      Verb.Flag(
        name: "--format", value: "FORMAT", summary: "text, or json for one object",
        choices: ["text", "json"]),
    ],
    notes: """
      A type with ! is required. The rules of an attribute are those of a text
      journal: inverse, onDelete, whenDeleted, checked and renamedFrom. Each list
      after unique names attributes whose values together differ in every two
      records.

      The version is that of the last migration. A program of a lower version can only
      read the journal, unless its version is in the line "compatible".
      """,
    example: "daybook schema Journal/Samples/failed-banks.jsonl",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    let schema: JournalSchema
    do throws(StoreError) {
      schema = try JournalSchema(journal.store, withHistory: invocation.has("--history"))
    } catch {
      throw journal.error(error)
    }
    if invocation.value("--format") == "json" {
      try schema.writeJSON(journal.name, to: invocation.output)
    } else {
      try schema.writeLines(journal.name, to: invocation.output, on: invocation.terminal)
    }
    return try invocation.end(with: journal)
  }
}
