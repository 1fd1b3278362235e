/// One thing that is wrong with a journal.
public struct Complaint: Hashable, Sendable {
  /// What is wrong.
  @nonexhaustive
  public enum Kind: Hashable, Sendable {
    /// The file is not a journal that this build can read.
    case unreadable(String)
    /// One copy of the header fails its check.
    case header
    /// A mark fails its check.
    case mark
    /// A mark tells of a transaction that is not there, or of another one.
    case markDisagrees(SequenceNumber)
    /// The state as of a transaction, with which a compacted journal begins, cannot be read.
    case unreadableBase(SequenceNumber, why: String)
    /// Transactions, from the first to before the second, cannot be read.
    case unreadableTransactions(from: SequenceNumber, before: SequenceNumber, why: String)
    /// Bytes that are no frame stand before a transaction; none is lost.
    case strayBytes(byteCount: UInt64, before: SequenceNumber)
    /// The frames from here to the end were never acknowledged as durable.
    case tornTail(byteCount: UInt64)
    /// Transactions up to this one were synced and are missing at the end.
    case missingTail(highestSynced: SequenceNumber)
    /// A transaction can be read, but its header's own check, by which it would be found behind a
    /// break, does not hold.
    case frameHeader(SequenceNumber)
    /// A transaction's time is before that of the one before it.
    case timeBackwards(SequenceNumber)
    /// A transaction's time is more than a day ahead of the clock.
    case timeAhead(SequenceNumber)
  }

  /// The file, as the caller named it.
  public let path: String
  /// Where.
  public let offset: UInt64
  /// What is wrong.
  public let kind: Kind
}

extension Complaint: CustomStringConvertible {
  /// One sentence, beginning with the path and the place.
  public var description: String { "\(path): byte \(offset): \(sentence)" }

  private var sentence: String {
    switch kind {
    case .unreadable(let why): why
    case .header: "this copy of the header fails its check; the other one is whole."
    case .mark: "this mark fails its check."
    case .markDisagrees(let sequence):
      "the mark tells of transaction \(sequence), and another frame stands where it should end."
    case .unreadableBase(let sequence, let why):
      "the state as of transaction \(sequence) cannot be read: \(why)."
    case .unreadableTransactions(let first, let next, let why) where first.next == next:
      "transaction \(first) cannot be read: \(why)."
    case .unreadableTransactions(let first, let next, let why):
      "transactions \(first) to \(SequenceNumber(next.rawValue - 1)) cannot be read: \(why)."
    case .strayBytes(let byteCount, let next):
      "\(byteCount == 1 ? "1 byte stands" : "\(byteCount) bytes stand") here that belong to no "
        + "transaction, before transaction \(next)."
    case .tornTail(byteCount: 1):
      "1 byte follows that no save had acknowledged as durable."
    case .tornTail(let byteCount):
      "\(byteCount) bytes follow that no save had acknowledged as durable."
    case .missingTail(let highest):
      "the journal ends here, and transactions up to \(highest) were synced."
    case .frameHeader(let sequence):
      "transaction \(sequence) is whole, and the check of its header alone fails."
    case .timeBackwards(let sequence):
      "transaction \(sequence) has a time before that of the one before it."
    case .timeAhead(let sequence):
      "transaction \(sequence) is more than a day ahead of the clock."
    }
  }
}

/// What a verification read.
public struct VerificationSummary: Hashable, Sendable {
  /// How many complaints there were.
  public var complaintCount = 0
  /// How many transactions are whole, wherever they stand.
  public var transactionCount = 0
  /// How many bytes their payloads have.
  public var payloadByteCount: UInt64 = 0
  /// The last transaction of those that are whole and follow each other from the beginning.
  public var intactThrough = SequenceNumber.zero
  /// The runs of transactions that can be read, first and last.
  public var readable: [ClosedRange<SequenceNumber>] = []
}
