import DaybookPlatform
import Synchronization

/// A lock for tasks, which acquire it in order of arrival.
///
/// A task that waits for the lock is suspended, so no thread sleeps.
/// ``Store/write(_:isolation:body:)`` holds the lock while its body runs.
final class FairLock: Sendable {
  // Shared state: everything that changes is in `state`, guarded by its mutex.

  /// The wait of one task: a promise that is fulfilled with true when the task has the lock, and
  /// with false when the wait is cancelled.
  private typealias Grant = Promise<Bool>

  private struct State {
    var isLocked = false
    /// The waits in order of arrival. A cancelled wait stays in the array until `unlock()` reaches
    /// and skips it.
    var grants: [Grant] = []
    /// The index in `grants` of the first wait that `takeFirst()` has not returned yet.
    var firstIndex = 0

    mutating func takeFirst() -> Grant? {
      guard firstIndex < grants.count else { return nil }
      defer { firstIndex += 1 }
      if firstIndex > 16, firstIndex * 2 > grants.count {
        grants.removeFirst(firstIndex)
        firstIndex = 0
      }
      return grants[firstIndex]
    }
  }

  private let state = Mutex(State())

  /// The number of tasks that wait for the lock.
  var waiterCount: Int {
    state.withLock { state in
      state.grants[state.firstIndex...].count { $0.known == nil }
    }
  }

  /// Acquires the lock if it is free.
  ///
  /// - Returns: Nil if the caller has the lock; otherwise the promise that the caller must wait
  ///   for.
  private func acquire() -> Grant? {
    state.withLock { state in
      guard state.isLocked else {
        state.isLocked = true
        return nil
      }
      let grant = Grant()
      state.grants.append(grant)
      return grant
    }
  }

  /// Acquires the lock, and suspends until the task has it. A cancellation of the task does not end
  /// the wait.
  func lock(isolation: isolated (any Actor)? = #isolation) async {
    _ = await acquire()?.value()
  }

  /// Acquires the lock, and suspends until the task has it or is cancelled.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before it has the lock.
  func lockUnlessCancelled(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    guard let grant = acquire() else { return }
    let isGranted = await withTaskCancellationHandler {
      await grant.value()
    } onCancel: {
      grant.fulfill(false)
    }
    if !isGranted { throw CancellationError() }
  }

  /// Passes the lock to the task that has waited for the longest time, or releases the lock if no
  /// task waits.
  func unlock() {
    while true {
      let first = state.withLock { state in
        precondition(state.isLocked, "the released lock is not locked")
        let first = state.takeFirst()
        state.isLocked = first != nil
        return first
      }
      guard let first else { return }
      if first.fulfill(true) { return }
    }
  }
}
