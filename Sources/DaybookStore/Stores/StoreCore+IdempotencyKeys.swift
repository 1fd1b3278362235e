import DaybookJournal

extension StoreCore {
  /// The number of idempotency keys that the store has recorded.
  var keyCount: Int { keys.count }

  /// The transaction with an idempotency key, which is in flight or saved.
  enum KeyedTransaction {
    case inFlight(ticket: UInt64)
    case saved(SequenceNumber, JournalTime)
  }

  /// Returns the transaction with an idempotency key, saved or in flight; nil if no transaction has
  /// the key.
  ///
  /// - Throws: ``StoreError`` with `journal`, if a transaction that may have the key is damaged.
  /// - Complexity: O(1) on average, plus the cost of ``FrozenState/heading(of:)`` if the key exists
  mutating func transaction(
    with key: String, path: String
  ) throws(StoreError) -> KeyedTransaction? {
    if let sequence = keys.transactionInFlight(with: key), let ticket = ticket(of: sequence) {
      return .inFlight(ticket: ticket)
    }
    for sequence in keys.candidates(for: key) {
      let heading = accepted().heading(of: sequence.rawValue)
      try accepted().checkWhole(path)
      if let heading, heading.metadata.idempotencyKey == key {
        return .saved(sequence, heading.time)
      }
    }
    return nil
  }
}
