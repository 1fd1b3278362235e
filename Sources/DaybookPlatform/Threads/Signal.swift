import Synchronization

/// A counter that only increases. Tasks and threads can wait until it reaches a value.
///
/// The owner defines the meaning of the count, such as a number of changes, or the last ticket that
/// is settled. A caller that waits for a condition reads the count first. The caller then checks
/// the condition, and waits for a higher count. With this order, the caller misses no change.
package final class Signal: Sendable {
  // Shared state: `state`, guarded by its mutex. Waiters are resumed after the mutex is released.

  private struct State {
    var count: UInt64 = 0
    var hasEnded = false
    var lastID: UInt64 = 0
    var waiters: [(id: UInt64, count: UInt64, waiter: Waiter)] = []

    mutating func nextID() -> UInt64 {
      lastID += 1
      return lastID
    }

    /// Adds a waiter for a count.
    ///
    /// - Returns: False if the count is reached or the signal has ended, so that the caller need
    ///   not wait.
    mutating func add(_ waiter: Waiter, until count: UInt64, id: UInt64 = 0) -> Bool {
      guard self.count < count, !hasEnded else { return false }
      waiters.append((id, count, waiter))
      return true
    }

    mutating func remove(_ id: UInt64) -> Waiter? {
      guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return waiters.remove(at: index).waiter
    }

    mutating func removeReached() -> [Waiter] {
      if waiters.isEmpty { return [] }
      let reached = waiters.filter { $0.count <= count || hasEnded }.map(\.waiter)
      waiters.removeAll { $0.count <= count || hasEnded }
      return reached
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// The current count.
  package var count: UInt64 { state.withLock { $0.count } }

  /// The number of tasks and threads that wait.
  package var waiterCount: Int { state.withLock { $0.waiters.count } }

  // MARK: Signalling

  /// Increases the count by one.
  package func increase() { change { $0.count += 1 } }

  /// Increases the count to a value. A count that is higher stays unchanged.
  package func increase(to count: UInt64) { change { $0.count = max($0.count, count) } }

  /// Ends the signal: resumes all tasks and threads that wait, and lets every later wait return at
  /// once.
  package func end() { change { $0.hasEnded = true } }

  private func change(_ body: (inout State) -> Void) {
    let reached = state.withLock { state in
      body(&state)
      return state.removeReached()
    }
    for waiter in reached { waiter.resume() }
  }

  // MARK: Waiting

  /// Suspends until the count has reached a value, or the signal ends. Cancelling the task does not
  /// end the wait.
  package func suspend(
    until count: UInt64, isolation: isolated (any Actor)? = #isolation
  ) async {
    await withUnsafeContinuation { continuation in
      let waits = state.withLock { $0.add(.task(continuation), until: count) }
      if !waits { continuation.resume() }
    }
  }

  /// Suspends until the count has reached a value, the task is cancelled, or the signal ends.
  ///
  /// - Returns: False if the count was not reached.
  package func suspendUnlessCancelled(
    until count: UInt64, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    let id = state.withLock { $0.nextID() }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waits = state.withLock { state in
          // A cancellation after this point finds the waiter in the list. An earlier cancellation
          // is visible in `isCancelled`.
          !Task.isCancelled && state.add(.task(continuation), until: count, id: id)
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.remove(id) }?.resume()
    }
    return self.count >= count
  }

  /// Blocks the thread until the count has reached a value. This is ``suspend(until:isolation:)``
  /// for code outside of tasks.
  ///
  /// - Parameters:
  ///   - count: The value of the count.
  ///   - deadline: The latest time of the return, on the clock ``SystemClock/uptimeNanoseconds``.
  @available(
    *, noasync, message: "use suspend, which does not block a thread of the cooperative pool"
  )
  package func wait(until count: UInt64, deadline: Int64? = nil) {
    let thread = SleepingThread()
    let id = state.withLock { state in
      let id = state.nextID()
      return state.add(.thread(thread), until: count, id: id) ? id : nil
    }
    guard let id else { return }
    thread.sleep(untilUptimeNanoseconds: deadline)
    if deadline != nil { _ = state.withLock { $0.remove(id) } }
  }
}
