import DaybookJournal

extension FileJournal {
  /// Returns all readable transactions.
  func payloads(from first: SequenceNumber = 1) throws -> [[UInt8]] {
    try rest(of: try transactions(from: first))
  }
}

extension JournalReader {
  /// Returns all visible transactions.
  func payloads(from first: SequenceNumber = 1) throws -> [[UInt8]] {
    try rest(of: try transactions(from: first))
  }
}

/// Returns the remaining payloads of a reader.
private func rest(of reader: TransactionReader) throws -> [[UInt8]] {
  var reader = reader
  var payloads: [[UInt8]] = []
  while let transaction = try reader.next() { payloads.append(transaction.payload.copy()) }
  return payloads
}
