/// Reads a journal's transactions in order, checking each.
///
/// ```swift
/// var reader = try journal.transactions(from: 1)
/// while let transaction = try reader.next() { print(transaction.sequence) }
/// ```
///
/// It reads what was durable when it was made, and stays right whatever is appended since.
public struct TransactionReader: Sendable {
  private enum Source {
    case frames(FrameReader, endSequence: SequenceNumber)
    case memory([JournalTransaction], Int)
  }
  private var source: Source
  private let first: SequenceNumber
  private let path: String

  /// A reader of the frames of a file up to and including a transaction.
  package init(
    _ reader: FrameReader, from first: SequenceNumber, through end: SequenceNumber, path: String
  ) {
    source = .frames(reader, endSequence: end)
    self.first = first
    self.path = path
  }

  /// A reader of transactions that are in memory.
  package init(_ transactions: [JournalTransaction], from first: SequenceNumber) {
    source = .memory(transactions, transactions.firstIndex { $0.sequence >= first } ?? transactions.count)
    self.first = first
    path = ""
  }

  /// The next transaction, or nil after the last.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if one that is known to be durable cannot be read.
  /// - Complexity: O(*n*) in the size of the transaction
  public mutating func next() throws(JournalError) -> JournalTransaction? {
    switch source {
    case .memory(let transactions, let index):
      guard index < transactions.count else { return nil }
      source = .memory(transactions, index + 1)
      return transactions[index]
    case .frames(var reader, let end):
      // The reader is taken out while it moves, so that its window is not shared and copied.
      source = .memory([], 0)
      defer { source = .frames(reader, endSequence: end) }
      return try next(&reader, end)
    }
  }

  private func next(
    _ reader: inout FrameReader, _ end: SequenceNumber
  ) throws(JournalError) -> JournalTransaction? {
    while reader.chain.sequence < end || !reader.chain.isPastBase {
      let isWhole: Bool
      do { isWhole = try reader.advance() } catch { throw JournalError(error, path: path) }
      guard isWhole else {
        throw JournalError(
          .damagedFrame, path: path, offset: reader.offset,           lastReadable: reader.chain.isPastBase ? reader.chain.sequence : .zero)
      }
      guard reader.header.kind == .transaction, reader.header.sequence >= first else { continue }
      return JournalTransaction(
        sequence: reader.header.sequence, time: reader.header.time, payload: reader.payload,
        check: reader.chain.check)
    }
    return nil
  }
}
