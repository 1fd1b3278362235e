/// A problem that verification found in a journal.
public struct VerificationProblem: Hashable, Sendable {
  /// The kinds of problems.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// The file is not a journal that this build can read.
    case unreadable(String)
    /// One copy of the header has a wrong checksum.
    case header
    /// A mark has a wrong checksum.
    case mark
    /// A mark records a transaction that is missing or different in the file.
    case markDisagrees(SequenceNumber)
    /// The base of a compacted journal is not readable. The base is the state after the transaction
    /// with this number.
    case unreadableBase(SequenceNumber, why: String)
    /// Transactions are not readable, from the first number up to and not including the second.
    case unreadableTransactions(from: SequenceNumber, before: SequenceNumber, why: String)
    /// Bytes before a transaction are not a frame, although no transaction is missing there.
    case strayBytes(byteCount: UInt64, before: SequenceNumber)
    /// The bytes from this offset to the end contain no transaction that was reported as durable.
    case tornTail(byteCount: UInt64)
    /// Transactions up to `highestSynced` were synced, and the last of these transactions are
    /// missing.
    case missingTail(highestSynced: SequenceNumber)
    /// A transaction is readable, but the checksum of its frame header is wrong. Readers need this
    /// checksum only to find the frame after damaged bytes.
    case frameHeader(SequenceNumber)
    /// A transaction's time is before the time of the previous transaction.
    case timeBackwards(SequenceNumber)
    /// A transaction's time is more than a day ahead of the clock.
    case timeAhead(SequenceNumber)
  }

  /// The path of the file, as the caller passed it.
  public let path: String
  /// The offset of the problem in the file.
  public let offset: UInt64
  /// The kind of the problem.
  public let kind: Kind
}

extension VerificationProblem: CustomStringConvertible {
  /// A sentence that starts with the path and the offset.
  public var description: String { "\(path): byte \(offset): \(sentence)" }

  private var sentence: String {
    switch kind {
    case .unreadable(let why): why
    case .header: "this copy of the header has a wrong checksum; the other copy is valid."
    case .mark: "this durability mark has a wrong checksum."
    case .markDisagrees(let sequence):
      "the durability mark records transaction \(sequence), but a different frame is at its end."
    case .unreadableBase(let sequence, let why):
      "the state as of transaction \(sequence) cannot be read: \(why)."
    case .unreadableTransactions(let first, let next, let why) where first.next == next:
      "transaction \(first) cannot be read: \(why)."
    case .unreadableTransactions(let first, let next, let why):
      "transactions \(first) to \(SequenceNumber(next.rawValue - 1)) cannot be read: \(why)."
    case .strayBytes(let byteCount, let next):
      "\(byteCount == 1 ? "1 byte here belongs" : "\(byteCount) bytes here belong") to no "
        + "transaction, before transaction \(next)."
    case .tornTail(byteCount: 1):
      "1 byte of an unfinished save follows the last transaction."
    case .tornTail(let byteCount):
      "\(byteCount) bytes of an unfinished save follow the last transaction."
    case .missingTail(let highest):
      "the journal ends here, but transactions up to \(highest) were saved."
    case .frameHeader(let sequence):
      "transaction \(sequence) is intact, but its frame header has a wrong checksum."
    case .timeBackwards(let sequence):
      "transaction \(sequence) has an earlier time than the transaction before it."
    case .timeAhead(let sequence):
      "transaction \(sequence) is more than a day ahead of the clock."
    }
  }
}

/// The totals of a verification.
public struct VerificationSummary: Hashable, Sendable {
  /// The number of problems.
  public var problemCount = 0
  /// The number of whole transactions, including those after damaged bytes.
  public var transactionCount = 0
  /// The number of bytes in the payloads of all whole transactions.
  public var payloadByteCount: UInt64 = 0
  /// The last transaction before the first damage; 0 if none is readable.
  public var intactThrough = SequenceNumber.zero
  /// The ranges of readable transactions.
  public var readable: [ClosedRange<SequenceNumber>] = []
}
