import DaybookJournal
import Synchronization

/// A shared log that makes a new connection after a call has failed.
///
/// The connections of some logs end with their server, and others connect again without help. The
/// laws must not depend on this.
final class ReconnectingLog: SharedLog {
  // Shared state: `connection`, guarded by its mutex.

  private let connection: Mutex<any SharedLog>
  private let reconnect: @Sendable () async throws -> any SharedLog

  init(_ log: any SharedLog, reconnect: @escaping @Sendable () async throws -> any SharedLog) {
    connection = Mutex(log)
    self.reconnect = reconnect
  }

  private var current: any SharedLog { connection.withLock { $0 } }

  var name: String { current.name }

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

  func changes() -> AsyncStream<Void> { current.changes() }

  func close() async { await current.close() }

  private func perform<Value: Sendable>(
    _ call: (any SharedLog) async throws(SharedLogError) -> Value
  ) async throws(SharedLogError) -> Value {
    do throws(SharedLogError) {
      return try await call(current)
    } catch {
      // The caller tries again, so a failure here needs no error of its own.
      if let new = try? await reconnect() { connection.withLock { $0 = new } }
      throw error
    }
  }
}
