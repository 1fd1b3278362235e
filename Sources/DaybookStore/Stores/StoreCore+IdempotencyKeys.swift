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
  ///   and its transaction was not dropped. The first call for a dropped transaction is O(*k*) in
  ///   the number of keys of the base.
  mutating func transaction(
    with key: String, path: String
  ) throws(StoreError) -> KeyedTransaction? {
    if let sequence = keys.transactionInFlight(with: key), let ticket = ticket(of: sequence) {
      return .inFlight(ticket: ticket)
    }
    for sequence in keys.candidates(for: key) {
      let found = keyedTransaction(sequence)
      try accepted().checkWhole(path)
      if let found, found.key == key { return .saved(sequence, found.time) }
    }
    return nil
  }

  /// Returns a transaction of the journal, or one before its base, with its key; nil if it has
  /// none.
  private mutating func keyedTransaction(_ sequence: SequenceNumber) -> RetainedKey? {
    let state = accepted()
    if sequence <= base { return keys.retained(sequence) { state.baseMetadata.retainedKeys } }
    guard let heading = state.heading(of: sequence.rawValue),
      let key = heading.metadata.idempotencyKey
    else { return nil }
    return RetainedKey(key, of: sequence, at: heading.time)
  }

  /// Returns the keys that a base after a transaction contains, the oldest first.
  mutating func retainedKeys(through last: SequenceNumber) -> [RetainedKey] {
    keys.transactions(through: last).compactMap { keyedTransaction($0) }
  }
}
