import DaybookStore

/// `daybook verify`: checks a journal and prints every problem.
enum VerifyVerb {
  static let verb = Verb(
    name: "verify", summary: "check a journal and print every problem",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "a journal, a text journal, or - for standard input")
    ],
    flags: [
      Verb.Flag(
        name: "--deep",
        summary: "also compare earlier states, caches and checkpoints with a replay")
    ],
    notes: """
      Checks the checksums of all bytes, the order and times of the transactions, the
      changes in each transaction, and the resulting records. Problems of records are:

        a required value that is missing
        a unique value that two records share
        a required reference to a record that does not exist

      Each problem is a line, and the exit status is 1. A torn tail is a problem too.
      Without problems, the last line is OK with the counts. Other references to
      records that do not exist are counted as dangling; they are not a problem.
      Some journals store a reference and its inverse as two attributes. References to
      records that do not refer back are counted as disagreements; they are not a
      problem either.

      Every command can use a journal that is OK. Its export can be imported, and
      gives the same journal.

      --deep also makes earlier states in two ways, by replay from the start and by
      undoing transactions from the end, and compares them. It rebuilds the list of
      each cache, updates it, and replays it from the start. It compares each
      checkpoint with the state that a replay gives.
      """,
    example: "daybook verify Journal/Samples/Records/companies.daybook --deep",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let name = invocation["JOURNAL"]
    var check = JournalCheck(name, to: invocation.output)
    let journal: OpenJournal
    if let source = OpenJournal.importSource(name) {
      do {
        journal = try OpenJournal(name, source: source)
      } catch let error as ToolError
        where error.status == .problem
      {
        try check.report(error.sentence)
        return try check.end()
      }
    } else {
      guard try check.inspectBytes() else { return try check.end() }
      do { journal = try OpenJournal(name) } catch let error as ToolError
        where error.status == .problem && check.problemCount > 0
      {
        // The printed problems explain why the journal cannot be opened, so this error is not
        // printed too.
        return try check.end()
      }
    }
    try check.inspectRecords(of: journal)
    if invocation.has("--deep") {
      try check.inspectHistory(of: journal)
      if journal.imported == nil {
        try check.inspectCaches(of: journal)
        try check.inspectCheckpoints(of: journal)
      }
    }
    return try check.end()
  }
}
