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
///
/// A log that drops its older history, and a replica that starts from a base, can be compared only
/// after the base. If nothing after it is equal, no common transaction is known.
public struct LogDivergence: Hashable, Sendable {
  /// The name of the log.
  public let log: String
  /// The last transaction that the log and the replica have in common; 0 if none is known. In a
  /// journal with a base, at least the number of the base.
  public let lastCommon: SequenceNumber
  /// The last transaction in the log; 0 if the log contains none.
  public let lastInLog: SequenceNumber
  /// The first transactions that the log does not contain, in order; at most 100. A store returns
  /// all of them by its method `missingTransactions(of:)`.
  public let missing: [MissingTransaction]
  /// The number of all transactions that the log does not contain.
  public let missingCount: Int
  /// A Boolean value that indicates whether the log contains other transactions after the last
  /// common one, or no common transaction is known. A repair then restarts the replica.
  public var isForked: Bool { relation != .shorter }
  package let relation: Relation
  /// A Boolean value that indicates whether the log does not contain the header of the journal
  /// either.
  package let isLogEmpty: Bool

  /// The relations between the history of a log and that of a replica.
  package enum Relation: Hashable, Sendable {
    /// The log contains nothing after the last common transaction.
    case shorter
    /// The log contains other transactions after the last common one.
    case forked
    /// The log or the replica has dropped the transactions that both may contain. Those that can be
    /// compared differ.
    case unknown
    /// The log has dropped its transactions up to one after the end of the replica.
    case dropped
  }

  /// The largest number of transactions that ``missing`` contains.
  package static let listedCountMax = 100

  init(
    _ log: String, lastCommon: SequenceNumber, in head: SharedHead?, relation: Relation,
    missing: (listed: [MissingTransaction], count: Int)
  ) {
    self.log = log
    self.lastCommon = lastCommon
    self.relation = relation
    (self.missing, missingCount) = missing
    lastInLog = head?.last ?? .zero
    isLogEmpty = head == nil
  }

  /// A Boolean value that indicates whether ``lastCommon`` is known to be common. If not, a repair
  /// restarts the replica from the beginning of the log.
  @_spi(Tools) public var isCommonKnown: Bool { relation == .shorter || relation == .forked }

  /// Returns the same divergence after the log has dropped its transactions up to one after the end
  /// of the replica.
  func dropped(in head: SharedHead) -> LogDivergence {
    LogDivergence(
      log, lastCommon: lastCommon, in: head, relation: .dropped, missing: (missing, missingCount))
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
