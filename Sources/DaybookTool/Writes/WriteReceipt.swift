import DaybookJournal
@_spi(Tools) import DaybookStore
@_spi(Tools) import DaybookText

/// The options of commands that write transactions, and the output about these transactions.
enum WriteReceipt {
  static let flags = [
    Verb.Flag(name: "--author", value: "A", summary: "the author of the transaction"),
    Verb.Flag(name: "--reason", value: "R", summary: "the reason for the transaction"),
    Verb.Flag(
      name: "--expect", value: "N",
      summary: "write nothing unless the last transaction of the journal is N; another machine "
        + "can still save to a shared log before the command"),
    Verb.Flag(
      name: "--format", value: "FORMAT",
      summary: "text, or json for each transaction as a line of a text journal",
      choices: ["text", "json"]),
  ]

  /// Returns the metadata of the options `--author` and `--reason`.
  static func metadata(_ invocation: Invocation) -> TransactionMetadata {
    TransactionMetadata(
      author: invocation.value("--author"), reason: invocation.value("--reason"))
  }

  /// A transaction that was saved.
  typealias Saved = TextAppend.Saved

  /// Prints the transaction of a receipt, with its changes.
  static func write(
    _ receipt: Receipt?, of journal: OpenJournal, for invocation: Invocation
  ) throws {
    try write(receipt.map { Saved($0) }, of: journal, for: invocation)
  }

  /// Prints a transaction with its changes.
  ///
  /// - Parameters:
  ///   - receipt: The transaction; nil if nothing was changed, so that no transaction was written.
  ///   - journal: The journal that contains the transaction.
  ///   - invocation: The command.
  static func write(
    _ receipt: Saved?, of journal: OpenJournal, for invocation: Invocation
  ) throws {
    let isJSON = invocation.value("--format") == "json"
    guard let receipt else {
      let line = isJSON ? #"{"tx":null,"changes":[]}"# : "no transaction, because nothing changes"
      return try invocation.output.line(line)
    }
    if receipt.sequence <= journal.store.base {
      // A compaction has dropped the transaction, and kept its key.
      try invocation.output.line(
        isJSON
          ? #"{"tx":\#(receipt.sequence),"changes":null}"#
          : "transaction \(receipt.sequence), whose changes were removed from the history")
    } else {
      try write(receipt.sequence, of: journal, isJSON: isJSON, for: invocation)
    }
    if receipt.isRepeated {
      try invocation.output.flush()
      StandardError.write(
        "\(journal.name): transaction \(receipt.sequence) has this idempotency key already. "
          + "Nothing was written.")
    }
  }

  private static func write(
    _ sequence: SequenceNumber, of journal: OpenJournal, isJSON: Bool, for invocation: Invocation
  ) throws {
    let transaction = try journal.reading { try journal.store.transaction(sequence) }
    guard let transaction, let time = transaction.time else {
      preconditionFailure("transaction \(sequence) is not in the journal")
    }
    var logged = LoggedTransaction(
      sequence: sequence, time: time, metadata: transaction.metadata, isBase: false)
    logged.changes = transaction.changes.compactMap { LoggedChange($0, created: nil) }
    if isJSON {
      try logged.writeJSON(to: invocation.output)
    } else {
      try logged.writeLines(to: invocation.output, on: invocation.terminal)
    }
  }
}
