@_spi(Tools) import DaybookJournal
@_spi(Tools) import DaybookStore

/// The state of a replica, compared with its log.
struct ReplicaStatus {
  /// The relation between the replica and the log.
  enum Relation: Equatable {
    case connected
    /// The log cannot be reached. The text says why.
    case unavailable(String)
    /// The log does not contain the transactions of the replica. The text says what was found.
    case diverged(String)
  }

  /// The address of the log, without a password.
  let address: String
  /// The last transaction of the replica.
  let last: SequenceNumber
  /// The last transaction of the log; nil if it is not known.
  private(set) var logLast: SequenceNumber?
  /// The last transaction before the history of the log, if the replica ends before it. The replica
  /// then restarts from the base of the log when it is opened together with the log.
  private(set) var restartBase: SequenceNumber?
  private(set) var relation: Relation
  /// The time on the clock of the log's server, if the last transaction of the replica is more than
  /// five minutes ahead of it.
  private(set) var earlierServerTime: JournalTime?

  /// Compares a replica with its log. Neither is changed.
  ///
  /// - Parameters:
  ///   - head: The last transaction of the replica.
  ///   - acknowledged: A position that the log has acknowledged. It can be after the end of the
  ///     replica, if the replica has lost transactions.
  ///   - log: The log.
  init(of head: ChainPoint, acknowledged: SharedHead?, address: String, log: any SharedLog) {
    (self.address, last, relation) = (address, head.sequence, .connected)
    let next = head.sequence.next
    let promise = acknowledged.flatMap { $0.next > next ? $0 : nil }
    do throws(SharedLogError) {
      let found = try Waiting.value {
        () async throws(SharedLogError) -> (
          end: SharedHead?, group: FrameGroup?, promised: FrameGroup?
        ) in
        let end = try await log.head()
        var group: FrameGroup?
        var promised: FrameGroup?
        if let end, let promise, end.next >= promise.next {
          let last = SequenceNumber(promise.next.rawValue - 1)
          promised = try await log.read(from: last, byteCount: 1).first
        }
        if let end, end.next > next { group = try await log.read(from: next, byteCount: 1).first }
        return (end: end, group: group, promised: promised)
      }
      earlierServerTime = ReplicaStatus.serverTime(log.serverTime, ifEarlierThan: head.time)
      guard let end = found.end else {
        relation = .diverged("the log contains no journal")
        return
      }
      logLast = SequenceNumber(end.next.rawValue &- 1)
      if let promise, end.next < promise.next {
        let promised = promise.next.rawValue - 1
        relation = .diverged(
          "the log ends with transaction \(logLast ?? .zero), and had acknowledged \(promised)")
      } else if end.next < next {
        relation = .diverged(
          "the log ends with transaction \(logLast ?? .zero), and the replica with \(last)")
      } else if end.next > next, found.group == nil {
        relation = .unavailable("The log \(log.name) does not return transaction \(next).")
      } else if let base = found.group, base.first == .zero, base.next > next {
        // The log no longer shows whether it contained the transactions of the replica.
        restartBase = SequenceNumber(base.next.rawValue - 1)
      } else if end.next == next
        ? end.checksum != head.checksum : !continues(found.group, after: head)
      {
        relation = .diverged("transaction \(last) of the log is not that of the replica")
      } else if let promise, let promised = found.promised {
        let last = SequenceNumber(promise.next.rawValue - 1)
        if promised.checksum(of: last) != promise.checksum {
          relation = .diverged("transaction \(last) of the log is not the acknowledged one")
        }
      }
    } catch { relation = .unavailable("\(error)") }
  }

  /// Returns the time of a server if a time is more than five minutes ahead of it; otherwise nil.
  static func serverTime(_ server: JournalTime?, ifEarlierThan time: JournalTime) -> JournalTime? {
    guard let server, server.nanoseconds(until: time) > 300_000_000_000 else { return nil }
    return server
  }

  /// Returns whether the first group after the last transaction of the replica continues it. The
  /// group can start earlier, because a power loss can remove the last frames of a replica.
  private func continues(_ group: FrameGroup?, after head: ChainPoint) -> Bool {
    guard let group else { return false }
    let checksum =
      group.first == head.sequence.next
      ? group.previousChecksum : group.checksum(of: head.sequence)
    return checksum == head.checksum
  }

  var exitStatus: ExitStatus {
    switch relation {
    case .connected: .done
    case .unavailable: .refused
    case .diverged: .problem
    }
  }

  /// The number of transactions that the replica does not have; nil if it is not known.
  var lag: UInt64? {
    guard let logLast, relation == .connected else { return nil }
    return logLast.rawValue - last.rawValue
  }
}
