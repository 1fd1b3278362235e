import DaybookJournal

extension FileJournal {
  /// All transactions that can be read now.
  func payloads(from first: SequenceNumber = 1) throws -> [[UInt8]] {
    try rest(of: try transactions(from: first))
  }
}

extension JournalReader {
  /// All transactions that are shown.
  func payloads(from first: SequenceNumber = 1) throws -> [[UInt8]] {
    try rest(of: try transactions(from: first))
  }
}

/// The payloads that a reader has still to hand out.
private func rest(of reader: TransactionReader) throws -> [[UInt8]] {
  var reader = reader
  var payloads: [[UInt8]] = []
  while let transaction = try reader.next() { payloads.append(transaction.payload.copy()) }
  return payloads
}
