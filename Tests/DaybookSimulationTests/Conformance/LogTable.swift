import DaybookJournal
import DaybookSimulation
import Synchronization

/// The logs in memory under the wrappers of a test.
final class LogTable: Sendable {
  private let logs = Mutex<[ObjectIdentifier: (FaultySharedLog, MemorySharedLog)]>([:])

  func add(_ log: MemorySharedLog, over wrapper: FaultySharedLog) {
    logs.withLock { $0[ObjectIdentifier(wrapper)] = (wrapper, log) }
  }

  func log(over wrapper: FaultySharedLog) -> MemorySharedLog {
    guard let log = logs.withLock({ $0[ObjectIdentifier(wrapper)]?.1 }) else {
      preconditionFailure("a wrapper that was not added")
    }
    return log
  }
}
