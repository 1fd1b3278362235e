import DaybookJournal
import DaybookPlatform
import DaybookStore
@_spi(Tools) import DaybookText

/// `daybook append`: appends transactions from standard input to a journal.
enum AppendVerb {
  static let verb = Verb(
    name: "append", summary: "append transactions from standard input to a journal",
    arguments: [
      Verb.Argument(
        name: "JOURNAL",
        summary: "the journal file; another process may write it only if it is a replica")
    ],
    flags: WriteReceipt.flags,
    notes: """
      Each line of standard input is one transaction, with changes as in a text
      journal. The journal assigns the number and the time:

        {"meta":{"author":"me"},"changes":[{"op":"delete","entity":"Game","id":3}]}

      The changes must fit the schema of the journal, and its rules apply as at every
      save. A transaction is on the disk when it is printed. The first bad line ends
      the command: nothing of it is written, and the lines before it stay written.
      --author and --reason apply to lines without them. The first line can be the
      header of a text journal, which adds entities and attributes.
      """,
    example: "daybook append games.daybook --expect 10 < changes.jsonl",
    interruption: .appended,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournalForWriting()
    var append = TextAppend(
      to: journal.store, reading: FileDescriptor.standardInput.number, path: "standard input",
      metadata: WriteReceipt.metadata(invocation), saving: journal.saving)
    return try journal.closing {
      var isFirst = true
      var written = Written()
      do {
        while let line = try append.next() {
          try print(line, isFirst: isFirst, of: journal, for: invocation)
          isFirst = false
          written.add(line.saved)
        }
      } catch let error as TextJournalError {
        throw refusal(error, after: written, of: journal)
      }
      return try invocation.end(with: journal)
    }
  }

  /// Prints the transaction of a line. The output is flushed, because a program may wait for it
  /// before it writes the next line.
  private static func print(
    _ line: TextAppend.AppendedLine, isFirst: Bool, of journal: OpenJournal,
    for invocation: Invocation
  ) throws {
    if !isFirst, invocation.value("--format") != "json" { try invocation.output.line("") }
    try WriteReceipt.write(line.saved, of: journal, for: invocation)
    try invocation.output.flush()
  }

  /// The transactions that the command has written. Other machines can have written transactions
  /// between them.
  struct Written {
    private var count = 0
    private var first = SequenceNumber.zero
    private var last = SequenceNumber.zero

    mutating func add(_ receipt: WriteReceipt.Saved) {
      guard !receipt.isRepeated else { return }
      if count == 0 { first = receipt.sequence }
      last = receipt.sequence
      count += 1
    }

    /// The sentence about the transactions, after a space; empty if there are none.
    var sentence: String {
      if count == 0 { return "" }
      if count == 1 { return " Transaction \(first) was written before it." }
      let isConsecutive = last.rawValue - first.rawValue + 1 == UInt64(count)
      return isConsecutive
        ? " Transactions \(first) to \(last) were written before it."
        : " \(count) transactions from \(first) to \(last) were written before it."
    }
  }

  /// Returns the error of a bad line, with a sentence about the lines before it.
  static func refusal(
    _ error: TextJournalError, after written: Written, of journal: OpenJournal
  ) -> ToolError {
    var result = ToolError(error)
    if case .refused(let cause) = error.reason {
      switch cause.reason {
      case .notFound: result.status = .declined
      // The line may be in the journal.
      case .unknown:
        guard journal.store.sharingStatus != nil else { return result }
        result.sentence =
          journal.error(cause).sentence
          + " The command had sent line \(error.line) of standard input.\(written.sentence)"
        return result
      default: break
      }
    }
    result.sentence += " Nothing of line \(error.line) was written." + written.sentence
    return result
  }
}
