import Synchronization

/// A lock for tasks, which acquire it in order of arrival.
///
/// A task that waits for it is suspended: no thread sleeps.
final class FairLock: Sendable {
  // Shared state: everything that changes is in `state`, guarded by its mutex.

  private struct State {
    var isLocked = false
    /// The continuations of the waiting tasks by their keys: true for the lock, false for a cancelled wait.
    var waiters: [UInt64: UnsafeContinuation<Bool, Never>] = [:]
    /// The keys of the tasks in order of arrival. Those of cancelled waits have no waiter any more.
    var arrivals: [UInt64] = []
    /// The index in `arrivals` of the first key that has not been granted the lock.
    var firstIndex = 0
    var lastKey: UInt64 = 0

    mutating func takeNextWaiter() -> UnsafeContinuation<Bool, Never>? {
      while firstIndex < arrivals.count {
        let key = arrivals[firstIndex]
        firstIndex += 1
        if firstIndex > 16, firstIndex * 2 > arrivals.count {
          arrivals.removeFirst(firstIndex)
          firstIndex = 0
        }
        if let waiter = waiters.removeValue(forKey: key) { return waiter }
      }
      return nil
    }
  }

  private let state = Mutex(State())

  /// The number of tasks that wait for the lock.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Acquires the lock if it is free.
  private func lockIfAvailable() -> Bool {
    state.withLock { state in
      if state.isLocked { return false }
      state.isLocked = true
      return true
    }
  }

  /// Acquires the lock, and suspends until it is this task's turn, also if the task is cancelled.
  func lock(isolation: isolated (any Actor)? = #isolation) async {
    if lockIfAvailable() { return }
    _ = await wait(key: nil)
  }

  /// Acquires the lock, and suspends until it is this task's turn.
  ///
  /// - Throws: `CancellationError`, without the lock, if the task is cancelled before it has it.
  func lockUnlessCancelled(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    if lockIfAvailable() { return }
    let key = state.withLock { state in
      state.lastKey += 1
      return state.lastKey
    }
    let isGranted = await withTaskCancellationHandler {
      await wait(key: key)
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: key) }?.resume(returning: false)
    }
    if !isGranted { throw CancellationError() }
  }

  /// Waits for the lock.
  ///
  /// - Parameter key: The key by which the wait is cancelled; nil if it cannot be.
  /// - Returns: False if the task was cancelled.
  private func wait(key: UInt64?, isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await withUnsafeContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        guard state.isLocked else {
          state.isLocked = true
          return true
        }
        // A cancellation after this finds the waiter; one before it has set the flag.
        if key != nil, Task.isCancelled { return false }
        if key == nil { state.lastKey += 1 }
        let key = key ?? state.lastKey
        state.waiters[key] = continuation
        state.arrivals.append(key)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Hands the lock to the task that has waited longest, or releases it if none waits.
  func unlock() {
    let next = state.withLock { state in
      precondition(state.isLocked, "a lock is released that nobody holds")
      let next = state.takeNextWaiter()
      state.isLocked = next != nil
      return next
    }
    next?.resume(returning: true)
  }
}
