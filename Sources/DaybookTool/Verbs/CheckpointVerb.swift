import DaybookJournal
@_spi(Tools) import DaybookStore

/// `daybook checkpoint`: writes a checkpoint beside a journal.
enum CheckpointVerb {
  static let verb = Verb(
    name: "checkpoint", summary: "write a checkpoint, so that the next commands start faster",
    arguments: [
      Verb.Argument(
        name: "JOURNAL", summary: "the journal file; no other process may be writing it")
    ],
    flags: [],
    notes: """
      A checkpoint contains the state after the last transaction. Commands and
      programs that open the journal read it, and then only the transactions after
      it. It can be removed at any time. A program that writes the journal also writes
      checkpoints.
      """,
    example: "daybook checkpoint games.daybook",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournalForWriting(copiesIfLocked: false)
    return try journal.closing {
      journal.store.writeCheckpoint()
      let statistics = journal.store.statistics.checkpoints
      if let failure = statistics?.failure { throw journal.error(failure) }
      guard let written = statistics?.written else {
        throw ToolError(
          .refused,
          sentence: "\(journal.name): nothing to write, because the journal has no transactions.")
      }
      try invocation.output.line("\(journal.name): the checkpoint is after transaction \(written)")
      return try invocation.end(with: journal)
    }
  }
}
