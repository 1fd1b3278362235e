/// The difference between a replica and a shared log that has lost transactions of the replica.
///
/// A log loses transactions if a server without them takes over, or if a backup of it is restored.
/// It can then end earlier than the replica, or continue with other transactions:
///
/// ```
///   the replica   1 … 7   8   9
///   shortened     1 … 7              the last common transaction is 7
///   forked        1 … 7   8'  9'  10'
/// ```
public struct LogDivergence: Hashable, Sendable {
  /// The name of the log.
  public let log: String
  /// The last transaction that the log and the replica have in common; 0 if there is none. In a
  /// journal with a base, at least the number of the base.
  public let lastCommon: SequenceNumber
  /// The last transaction in the log; 0 if the log contains none.
  public let lastInLog: SequenceNumber
  /// The first transactions that the log does not contain, in order; at most 100.
  public let missing: [MissingTransaction]
  /// The number of all transactions that the log does not contain.
  public let missingCount: Int
  /// A Boolean value that indicates whether the log contains other transactions after the last
  /// common one.
  public let isForked: Bool
  /// A Boolean value that indicates whether the log does not contain the header of the journal
  /// either.
  package let isLogEmpty: Bool

  /// The largest number of transactions that ``missing`` contains.
  package static let listedCountMax = 100

  init(
    _ log: String, lastCommon: SequenceNumber, in head: SharedHead?, isForked: Bool,
    missing: (listed: [MissingTransaction], count: Int)
  ) {
    self.log = log
    self.lastCommon = lastCommon
    self.isForked = isForked
    (self.missing, missingCount) = missing
    lastInLog = head?.last ?? .zero
    isLogEmpty = head == nil
  }
}

/// A transaction of a replica that its shared log has lost.
public struct MissingTransaction: Hashable, Sendable {
  /// The number of the transaction.
  public let sequence: SequenceNumber
  /// The time of the transaction; nil if the replica has lost the transaction too.
  public let time: JournalTime?
  /// The author of the transaction; nil if it has none.
  public let author: String?
}

extension MissingTransaction: CustomStringConvertible {
  /// The number, the time and the author.
  public var description: String {
    guard let time else { return "\(sequence) (also lost here)" }
    return "\(sequence) (\(time)\(author.map { " by \($0)" } ?? ""))"
  }
}

extension LogDivergence: CustomStringConvertible {
  private static let namedCount = 3

  /// A clause that names the first missing transactions, without a period.
  public var description: String {
    guard let first = missing.first?.sequence else {
      return "the log \(log) does not contain the journal of this replica"
    }
    let last = SequenceNumber(first.rawValue + UInt64(missingCount) - 1)
    let named = missing.prefix(LogDivergence.namedCount).map { "\($0)" }
    let others = missingCount - named.count
    let list = named.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
    return """
      the log \(log) does not contain \
      \(first == last ? "transaction \(first)" : "transactions \(first) to \(last)"), which it had \
      acknowledged to this replica: \(list)
      """
  }
}
