import DaybookJournal
import Synchronization

/// A shared log that makes a new connection after a call has failed.
///
/// The connections of some logs end with their server, and others connect again without help. The
/// laws must not depend on this.
///
/// A new connection can fail as the old one did, for example if each connection has planned faults
/// that start with its first call. So each connection gets twice as many attempts as the one before
/// it.
final class ReconnectingLog: SharedLog {
  // Shared state: `state`, guarded by its mutex.

  private struct State {
    var connection: any SharedLog
    /// The number of further failed calls after which a new connection is made.
    var remainingFailureCount = 1
    /// The number of failed calls for which this connection is used.
    var failureCountMax = 1
  }

  private let state: Mutex<State>
  private let reconnect: @Sendable () async throws -> any SharedLog

  init(_ log: any SharedLog, reconnect: @escaping @Sendable () async throws -> any SharedLog) {
    state = Mutex(State(connection: log))
    self.reconnect = reconnect
  }

  private var current: any SharedLog { state.withLock { $0.connection } }

  var name: String { current.name }
  var serverTime: JournalTime? { current.serverTime }
  var serverCount: Int? { current.serverCount }

  func head() async throws(SharedLogError) -> SharedHead? {
    try await perform { (log) async throws(SharedLogError) in try await log.head() }
  }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try await perform { (log) async throws(SharedLogError) in try await log.append(group) }
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    try await perform { (log) async throws(SharedLogError) in
      try await log.read(from: first, byteCount: byteCount)
    }
  }

  func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool {
    try await perform { (log) async throws(SharedLogError) in
      try await log.replaceGroups(with: base)
    }
  }

  func changes() -> AsyncStream<Void> { current.changes() }

  func close() async { await current.close() }

  private func perform<Value: Sendable>(
    _ call: (any SharedLog) async throws(SharedLogError) -> Value
  ) async throws(SharedLogError) -> Value {
    do throws(SharedLogError) {
      return try await call(current)
    } catch {
      let reconnects = state.withLock { state in
        state.remainingFailureCount -= 1
        return state.remainingFailureCount <= 0
      }
      // The caller tries again, so a failure here needs no error of its own.
      if reconnects, let new = try? await reconnect() {
        state.withLock { state in
          state.connection = new
          state.failureCountMax = min(state.failureCountMax * 2, 1 << 10)
          state.remainingFailureCount = state.failureCountMax
        }
      }
      throw error
    }
  }
}
