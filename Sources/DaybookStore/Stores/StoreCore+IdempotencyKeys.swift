import DaybookJournal

extension StoreCore {
  /// How many keys are remembered.
  var keyCount: Int { keys.count }

  /// A transaction with an idempotency key.
  enum KeyedTransaction {
    case onTheWay(ticket: UInt64)
    case saved(SequenceNumber, JournalTime)
  }

  /// The transaction that was saved with a key, or is on its way with it.
  ///
  /// - Throws: ``StoreError`` with `journal`, if one that may have been is damaged.
  /// - Complexity: O(1) on average, and if there is one, what ``FrozenState/heading(of:)`` costs
  mutating func transaction(
    with key: String, path: String
  ) throws(StoreError) -> KeyedTransaction? {
    if let sequence = keys.transactionOnTheWay(with: key), let ticket = ticket(of: sequence) {
      return .onTheWay(ticket: ticket)
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
