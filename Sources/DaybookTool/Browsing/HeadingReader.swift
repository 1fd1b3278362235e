import DaybookJournal
@_spi(Tools) import DaybookStore

/// Reads the headings of transactions.
actor HeadingReader {
  private var journal: OpenJournal
  private var storeNumber = 0

  init(_ journal: OpenJournal) { self.journal = journal }

  /// Uses a different store of the same journal, unless a store with a higher number is used.
  func use(_ journal: OpenJournal, number: Int) {
    guard number > storeNumber else { return }
    (self.journal, storeNumber) = (journal, number)
  }

  /// Returns the headings of some transactions.
  ///
  /// - Throws: ``ToolError`` if a transaction cannot be read
  func headings(_ sequences: [UInt64]) throws -> [UInt64: TransactionHeading] {
    let store = journal.store
    var headings: [UInt64: TransactionHeading] = [:]
    try journal.reading {
      for sequence in sequences {
        try Task.checkCancellation()
        let number = SequenceNumber(sequence)
        var transaction: StoreTransaction?
        if number == store.base {
          transaction = try store.baseTransaction()
        } else if number > store.base {
          var transactions = try store.transactions(from: number)
          transaction = try transactions.next()
        }
        if let transaction { headings[sequence] = TransactionHeading(transaction) }
      }
    }
    return headings
  }
}

extension TransactionHeading {
  fileprivate init(_ transaction: StoreTransaction) {
    var counts: [RecordChange.Kind: Int] = [:]
    for change in transaction.changes { counts[change.kind, default: 0] += 1 }
    let parts = [("+", RecordChange.Kind.insert), ("~", .update), ("-", .delete)].compactMap {
      sign, kind in counts[kind].map { "\(sign)\($0)" }
    }
    let metadata = transaction.metadata
    let summary = [metadata.author, metadata.reason].compactMap { $0 }.joined(separator: ": ")
    self.init(
      time: transaction.time ?? .distantPast, counts: parts.joined(separator: " "),
      summary: summary)
  }
}
