/// A sequence of a journal's transactions, in order. Each transaction is verified when it is read.
///
/// ```swift
/// let reader = try journal.transactions(from: 1)
/// for try await transaction in reader { print(transaction.sequence) }
/// ```
///
/// Code that is not asynchronous calls ``next()`` until it returns nil.
///
/// The sequence contains the transactions that were durable when it was created. Later appends do
/// not change the sequence.
public struct TransactionReader: Sendable {
  // If the journal is in a file, `frames` is the source of the transactions. If it is in memory,
  // `transactions` is the source.
  private var frames: FrameReader
  private var transactions: ArraySlice<JournalTransaction>
  private let isInMemory: Bool
  private let first: SequenceNumber
  private let last: SequenceNumber
  private let path: String

  /// Creates a reader of a range of transactions of a file.
  ///
  /// - Parameters:
  ///   - frames: A reader at or before the first transaction of the range.
  ///   - first: The first transaction of the range.
  ///   - last: The last transaction of the range.
  ///   - base: The base of the journal.
  init(
    _ frames: FrameReader, from first: SequenceNumber, through last: SequenceNumber,
    base: SequenceNumber, path: String
  ) throws(JournalError) {
    guard first > base || base == .zero else { throw JournalError(.belowBase(base), path: path) }
    self.frames = frames
    transactions = []
    isInMemory = false
    self.first = first
    self.last = last
    self.path = path
  }

  /// Creates a reader of transactions in memory.
  package init(_ transactions: [JournalTransaction], from first: SequenceNumber) {
    frames = FrameReader.empty
    isInMemory = true
    self.transactions = transactions.drop { $0.sequence < first }
    self.first = first
    last = transactions.last?.sequence ?? .zero
    path = ""
  }

  /// Returns the next transaction; nil after the last.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if a durable transaction is not readable.
  /// - Complexity: O(*n*) in the size of the transaction
  public mutating func next() throws(JournalError) -> JournalTransaction? {
    if isInMemory { return transactions.popFirst() }
    while frames.chain.sequence < last || !frames.chain.isPastBase {
      let hasAdvanced: Bool
      do { hasAdvanced = try frames.advance() } catch { throw JournalError(error, path: path) }
      guard hasAdvanced else {
        throw JournalError(
          .damagedFrame, path: path, offset: frames.offset, lastReadable: frames.chain.lastReadable)
      }
      if frames.header.kind == .transaction, frames.header.sequence >= first {
        return frames.transaction
      }
    }
    return nil
  }
}

extension FrameReader {
  /// A reader without frames.
  fileprivate static let empty = FrameReader(
    MappedImage([]),
    header: JournalHeader(
      identity: JournalIdentity(high: 0, low: 0), salt: 0, created: .distantPast))

  /// The transaction of the last frame that was read.
  var transaction: JournalTransaction {
    JournalTransaction(
      sequence: header.sequence, time: header.time, payload: payload, checksum: chain.point.checksum
    )
  }
}

extension TransactionReader: AsyncSequence {
  /// Creates an iterator that starts at the position of the reader. The iterator does not advance
  /// the reader.
  public func makeAsyncIterator() -> Iterator { Iterator(base: self) }

  /// An iterator over the transactions.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: TransactionReader

    /// Returns the next transaction; nil after the last. The call does not suspend.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(JournalError) -> JournalTransaction? { try base.next() }

    /// Returns the next transaction; nil after the last. The call does not suspend.
    public mutating func next() async throws(JournalError) -> JournalTransaction? {
      try base.next()
    }
  }
}

/// The reading of the base of a compacted journal.
enum BaseReader {
  static func read(
    _ image: any JournalImage, header: JournalHeader, path: String
  ) throws(JournalError) -> [ByteView] {
    var payloads: [ByteView] = []
    var reader = FrameReader(image, header: header)
    while !reader.chain.isPastBase {
      let hasAdvanced = try JournalError.translating(path) { () throws(DiskError) in
        try reader.advance()
      }
      guard hasAdvanced else {
        throw JournalError(.damagedFrame, path: path, offset: reader.offset)
      }
      if reader.header.kind == .base { payloads.append(reader.payload) }
    }
    return payloads
  }
}

/// A transaction as the journal stores it.
public struct JournalTransaction: Sendable {
  /// The number of the transaction.
  public let sequence: SequenceNumber
  /// The time of the transaction.
  public let time: JournalTime
  /// The bytes of the transaction. The bytes stay readable while this view exists.
  public let payload: ByteView
  /// The checksum that ends the transaction's frame.
  public let checksum: UInt64

  package init(
    sequence: SequenceNumber, time: JournalTime, payload: ByteView, checksum: UInt64
  ) {
    self.sequence = sequence
    self.time = time
    self.payload = payload
    self.checksum = checksum
  }

  /// The chain point of this transaction. A follower can start after this point.
  public var head: ChainPoint { ChainPoint(sequence: sequence, time: time, checksum: checksum) }
}
