import DaybookJournal
import Synchronization
import TestSupport

/// A shared log in memory with one fault, modeled on tables and servers of a database.
final class WrongLog: SharedLog {
  enum Fault: Hashable, Sendable {
    case correct
    /// Two statements decide an append at READ COMMITTED: a SELECT, and then an INSERT without a
    /// unique key.
    case selectsBeforeInsert
    /// An append returns before its row is on disk. A crash loses the last row.
    case acknowledgesBeforeCommit
    /// The replica lacks the last row at a failover, and then accepts the append of a rival.
    case losesRowOnFailover
    /// An append compares its group with the last row only.
    case remembersOnlyLast
    /// An append compares the checks of groups, but not their nonces.
    case ignoresNonces
    /// A cancelled append returns appended, and does nothing.
    case losesCancelledAppends
    /// A late server returns the head.
    case returnsEarlierHead
    /// The end of a group that a base has replaced counts as an end of the log.
    case appendsBelowBase
    /// An append reads the table, waits for a replacement, and then decides with what it has read.
    case readsBeforeReplacement
    /// A base replaces one group too many.
    case dropsTooMuch
    /// A second base gets a new end, but the bytes of the first one stay.
    case keepsOldBase
    /// A base is stored although no group ends where it ends.
    case replacesAtAnyEnd
    case ignoresChecks, refusesRetries, skipsGroups, ignoresLimit, returnsNothingOverLimit
    case changesBytes, staysOpen, sendsThenThrowsUnavailable, appendsAfterGaps, startsAtNumber
    case containsAGroup, throwsRefused
  }

  private struct Table {
    var rows: [FrameGroup] = []
    /// The number of appends that have selected.
    var selectedCount = 0
    /// The appends that were refused since the last restart.
    var refused: [FrameGroup] = []
    var appendCount = 0
    /// The number of connections after the first.
    var connectionCount = 0
    /// The rows that bases have replaced.
    var dropped: [FrameGroup] = []
    var baseCount = 0
  }

  private final class Server: Sendable {
    let table = Mutex(Table())
  }

  private let fault: Fault
  private let server: Server
  private let isClosed = Mutex(false)

  init(_ fault: Fault) {
    self.fault = fault
    server = Server()
    if fault == .containsAGroup {
      server.table.withLock {
        $0.rows = [
          FrameGroup(first: 0, next: 1, previousChecksum: 0, checksum: 7, bytes: [1], nonce: 0)
        ]
      }
    }
  }

  private init(_ other: WrongLog) {
    fault = other.fault
    server = other.server
  }

  let name = "wrong"

  func connect() -> WrongLog {
    server.table.withLock { $0.connectionCount += 1 }
    return WrongLog(self)
  }

  /// Ends the server without a warning, and starts it again or promotes its replica.
  func restart() {
    server.table.withLock { table in
      switch fault {
      case .acknowledgesBeforeCommit: table.rows.removeLast()
      case .losesRowOnFailover:
        let lost = table.rows.removeLast()
        // The rival tries again, and reaches the new server first.
        if let rival = table.refused.last(where: { $0.first == lost.first }) {
          table.rows.append(rival)
        }
      default: break
      }
      table.refused = []
    }
  }

  func head() async throws(SharedLogError) -> SharedHead? {
    try checkOpen()
    return server.table.withLock { table in
      fault == .returnsEarlierHead ? table.rows.dropLast().last?.end : table.rows.last?.end
    }
  }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try checkOpen()
    switch fault {
    case .selectsBeforeInsert: return await selectThenInsert(group)
    case .readsBeforeReplacement: return await readThenWait(group)
    case .throwsRefused: throw SharedLogError(.refused("fsync is off"), log: name)
    case .sendsThenThrowsUnavailable:
      let (outcome, count) = server.table.withLock { (insert(group, into: &$0), $0.appendCount) }
      if count % 3 > 0 { return outcome }
      throw SharedLogError(.unavailable("the connection was reset"), log: name)
    case .losesCancelledAppends where Task.isCancelled: return .appended(serverCount: 1)
    default: return server.table.withLock { insert(group, into: &$0) }
    }
  }

  private func insert(_ group: FrameGroup, into table: inout Table) -> SharedAppendOutcome {
    table.appendCount += 1
    let outcome = decide(group, in: table)
    switch outcome {
    case .appended where !table.rows.contains(where: { $0.first == group.first }):
      var group = group
      if fault == .changesBytes { group.bytes[group.bytes.count - 1] = 0 }
      table.rows.append(group)
    case .conflict: table.refused.append(group)
    default: break
    }
    return outcome
  }

  private func decide(_ group: FrameGroup, in table: Table) -> SharedAppendOutcome {
    if let row = table.rows.first(where: { $0.first == group.first }) {
      let isEqual =
        row.checksum == group.checksum && (fault == .ignoresNonces || row.nonce == group.nonce)
        && (fault != .remembersOnlyLast || row == table.rows.last)
      return isEqual && fault != .refusesRetries ? .appended(serverCount: 1) : .conflict
    }
    guard let last = table.rows.last else {
      return group.first == 0 ? .appended(serverCount: 1) : .missingPredecessor
    }
    let numbersFit =
      fault == .appendsAfterGaps
      ? group.first > last.next : false
    if numbersFit { return .appended(serverCount: 1) }
    if fault == .appendsBelowBase,
      table.dropped.contains(where: {
        $0.next == group.first && $0.checksum == group.previousChecksum
      })
    {
      return .appended(serverCount: 1)
    }
    guard group.first == last.next else { return .missingPredecessor }
    if fault == .ignoresChecks { return .appended(serverCount: 1) }
    return group.previousChecksum == last.checksum ? .appended(serverCount: 1) : .missingPredecessor
  }

  /// Decides with the rows that the first statement has read, and inserts by a second statement.
  private func selectThenInsert(_ group: FrameGroup) async -> SharedAppendOutcome {
    let selected = server.table.withLock { table in
      if table.connectionCount > 1 { table.selectedCount += 1 }
      return table
    }
    // Two further connections append at the same time only. Then the second statement starts after
    // both connections have selected.
    for _ in 0..<1_000_000 {
      if server.table.withLock({ $0.connectionCount < 2 || $0.selectedCount > 1 }) { break }
      await Task.yield()
    }
    return server.table.withLock { table in
      let outcome = decide(group, in: selected)
      if case .appended = outcome,
        !selected.rows.contains(where: { $0.first == group.first })
      {
        table.rows.append(group)
      }
      return outcome
    }
  }

  /// Reads the table, and waits until other connections have stored a base, as an append that waits
  /// for a lock. Only the unique key is compared with the rows after that.
  private func readThenWait(_ group: FrameGroup) async -> SharedAppendOutcome {
    let read = server.table.withLock { $0 }
    for _ in 0..<1000 where read.connectionCount > 1 {
      if server.table.withLock({ $0.baseCount > read.baseCount }) { break }
      await Task.yield()
    }
    return server.table.withLock { table in
      let isTaken = table.rows.contains { $0.first == group.first }
      let follows = read.rows.contains {
        $0.next == group.first && $0.checksum == group.previousChecksum
      }
      guard !isTaken, follows else { return insert(group, into: &table) }
      let index = table.rows.firstIndex { $0.next > group.next } ?? table.rows.endIndex
      table.rows.insert(group, at: index)
      return .appended(serverCount: 1)
    }
  }

  func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool {
    try checkOpen()
    return server.table.withLock { table in
      let end = table.rows.firstIndex { $0.end == base.end }
      guard var index = end ?? (fault == .replacesAtAnyEnd ? 0 : nil) else { return false }
      if index == 0, end != nil { return true }
      if fault == .dropsTooMuch { index = min(index + 1, table.rows.count - 1) }
      var base = base
      if fault == .keepsOldBase, table.baseCount > 0 { base.bytes = table.rows[0].bytes }
      table.dropped += table.rows[...index]
      table.rows.replaceSubrange(...index, with: [base])
      table.baseCount += 1
      return true
    }
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    try checkOpen()
    var rows = server.table.withLock { Array($0.rows.drop { $0.next <= first }) }
    if fault == .startsAtNumber { rows = rows.drop { $0.first < first }.map { $0 } }
    if fault == .skipsGroups, rows.count > 2 { rows.remove(at: 1) }
    if fault == .ignoresLimit { return rows }
    var size = 0
    let end = rows.firstIndex { row in
      defer { size += row.bytes.count }
      return size >= byteCount && size > 0
    }
    let read = Array(rows[..<(end ?? rows.count)])
    if fault == .returnsNothingOverLimit, let row = read.first, row.bytes.count > byteCount {
      return []
    }
    return read
  }

  func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

  func close() async { if fault != .staysOpen { isClosed.withLock { $0 = true } } }

  private func checkOpen() throws(SharedLogError) {
    if isClosed.withLock({ $0 }) { throw SharedLogError(.closed, log: name) }
  }
}
