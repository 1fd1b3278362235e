/// The relation between a replica and its shared log.
public enum SharingStatus: Hashable, Sendable {
  /// The last pull or append succeeded.
  case connected
  /// The last call of the log failed. The store can be read, and its saves throw the error. The
  /// store tries to reach the log again.
  case unavailable(SharedLogError)
  /// The log does not contain all transactions of the replica: it was shortened, or its history was
  /// forked. The store can be read, and refuses all saves. The associated value lists the missing
  /// transactions.
  case diverged(LogDivergence)
}

extension SharingStatus: CustomStringConvertible {
  /// A sentence that describes the status.
  public var description: String {
    switch self {
    case .connected: "The log is connected."
    case .unavailable(let error): error.description
    case .diverged(let divergence):
      "Nothing is written, because \(divergence)."
    }
  }
}

/// The restart of a replica from the base of its shared log.
///
/// The log had dropped transactions that the replica did not have. So the log no longer showed
/// whether it contained the transactions of the replica, and the old file was kept.
public struct ReplicaRestart: Hashable, Sendable {
  /// The last transaction before the history that the log kept.
  public let base: SequenceNumber
  /// The path of the replica's old file. It is a journal that can be read.
  public let oldFilePath: String
}
