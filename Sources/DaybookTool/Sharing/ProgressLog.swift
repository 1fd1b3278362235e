import DaybookJournal
import Synchronization

/// A shared log that shows the progress while a replica is read from it.
//
// Shared state: `end`, guarded by its mutex.
final class ProgressLog: SharedLog {
  private let log: any SharedLog
  private let progress: Progress
  /// The number after the last transaction of the log, as far as it is known.
  private let end = Mutex<UInt64>(0)

  init(_ log: any SharedLog, progress: Progress = .shared) {
    self.log = log
    self.progress = progress
  }

  var name: String { log.name }
  var address: String { log.address }
  var serverTime: JournalTime? { log.serverTime }
  var serverCount: Int? { log.serverCount }

  func head() async throws(SharedLogError) -> SharedHead? {
    let head = try await log.head()
    end.withLock { $0 = max($0, head?.next.rawValue ?? 0) }
    return head
  }

  func append(_ group: FrameGroup) async throws(SharedLogError) -> SharedAppendOutcome {
    try await log.append(group)
  }

  func read(
    from first: SequenceNumber, byteCount: Int
  ) async throws(SharedLogError) -> [FrameGroup] {
    let groups = try await log.read(from: first, byteCount: byteCount)
    let all = end.withLock { $0 }
    if let last = groups.last, all > 0 {
      progress.show(
        "reading \(name)", done: last.next.rawValue, of: all, in: .things("transactions"))
    }
    return groups
  }

  func replaceGroups(with base: FrameGroup) async throws(SharedLogError) -> Bool {
    try await log.replaceGroups(with: base)
  }

  func changes() -> AsyncStream<Void> { log.changes() }

  func close() async { await log.close() }
}
