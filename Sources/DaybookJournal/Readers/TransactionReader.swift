/// Reads a journal's transactions in order, checking each.
///
/// ```swift
/// let reader = try journal.transactions(from: 1)
/// for try await transaction in reader { print(transaction.sequence) }
/// ```
///
/// Code that is not asynchronous calls ``next()`` until it returns nil.
///
/// It reads what was durable when it was made, and stays right whatever is appended since.
public struct TransactionReader: Sendable {
  // What is read from a file comes from the frames, and what is in memory stands there.
  private var frames: FrameReader
  private var transactions: ArraySlice<JournalTransaction>
  private let isInMemory: Bool
  private let first: SequenceNumber
  private let last: SequenceNumber
  private let path: String

  /// Creates a reader of the transactions of a file, from one through another.
  ///
  /// - Parameters:
  ///   - frames: A reader before the first of them.
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

  /// A reader of transactions that are in memory.
  package init(_ transactions: [JournalTransaction], from first: SequenceNumber) {
    frames = FrameReader.empty
    isInMemory = true
    self.transactions = transactions.drop { $0.sequence < first }
    self.first = first
    last = transactions.last?.sequence ?? .zero
    path = ""
  }

  /// The next transaction, or nil after the last.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame` if one that is known to be durable cannot be
  ///   read.
  /// - Complexity: O(*n*) in the size of the transaction
  public mutating func next() throws(JournalError) -> JournalTransaction? {
    if isInMemory { return transactions.popFirst() }
    while frames.chain.sequence < last || !frames.chain.isPastBase {
      let isWhole: Bool
      do { isWhole = try frames.advance() } catch { throw JournalError(error, path: path) }
      guard isWhole else {
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
  /// A reader of nothing.
  fileprivate static let empty = FrameReader(
    MappedImage([]),
    header: JournalHeader(
      identity: JournalIdentity(high: 0, low: 0), salt: 0, created: .distantPast))

  /// The transaction last gone past.
  var transaction: JournalTransaction {
    JournalTransaction(
      sequence: header.sequence, time: header.time, payload: payload, check: chain.point.check)
  }
}

extension TransactionReader: AsyncSequence {
  /// Returns a loop that begins where the reader is, and does not advance it.
  public func makeAsyncIterator() -> Iterator { Iterator(base: self) }

  /// One loop over the transactions.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: TransactionReader

    /// Returns the next transaction, or nil after the last. It does not suspend.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(JournalError) -> JournalTransaction? { try base.next() }

    /// Returns the next transaction, or nil after the last. It does not suspend.
    public mutating func next() async throws(JournalError) -> JournalTransaction? {
      try base.next()
    }
  }
}

/// Reads the base of a compacted journal.
enum BaseReader {
  static func read(
    _ image: any JournalImage, header: JournalHeader, path: String
  ) throws(JournalError) -> [ByteView] {
    var payloads: [ByteView] = []
    var reader = FrameReader(image, header: header)
    while !reader.chain.isPastBase {
      let isWhole = try JournalError.translating(path) { () throws(DiskError) in
        try reader.advance()
      }
      guard isWhole else {
        throw JournalError(.damagedFrame, path: path, offset: reader.offset)
      }
      if reader.header.kind == .base { payloads.append(reader.payload) }
    }
    return payloads
  }
}

/// A transaction as the journal knows it.
public struct JournalTransaction: Sendable {
  /// Its number.
  public let sequence: SequenceNumber
  /// When it was recorded.
  public let time: JournalTime
  /// Its bytes, which stay readable for as long as this value is kept.
  public let payload: ByteView
  /// The check that ends its frame.
  public let check: UInt64

  package init(
    sequence: SequenceNumber, time: JournalTime, payload: ByteView, check: UInt64
  ) {
    self.sequence = sequence
    self.time = time
    self.payload = payload
    self.check = check
  }

  /// How far a reader of this transaction has come.
  public var head: ChainPoint { ChainPoint(sequence: sequence, time: time, check: check) }
}
