import Synchronization

/// A value that becomes known once, and that any number of tasks and threads wait for.
package final class Promise<Value: Sendable>: Sendable {
  // Shared state: `state`, guarded by its mutex. Waiters are resumed without it.

  private enum State {
    case pending([Waiter])
    case fulfilled(Value)
  }

  private let state = Mutex(State.pending([]))

  package init() {}

  /// The value; nil if it is not known yet.
  package var known: Value? {
    state.withLock { state in
      if case .fulfilled(let value) = state { value } else { nil }
    }
  }

  /// Sets the value, and resumes all who wait for it.
  ///
  /// - Returns: False if there was a value already, which then stays.
  @discardableResult
  package func fulfill(_ value: Value) -> Bool {
    let waiters: [Waiter]? = state.withLock { state in
      guard case .pending(let waiters) = state else { return nil }
      state = .fulfilled(value)
      return waiters
    }
    for waiter in waiters ?? [] { waiter.resume() }
    return waiters != nil
  }

  /// Suspends until the value is known, also if the task is cancelled.
  package func value(isolation: isolated (any Actor)? = #isolation) async -> Value {
    if let known { return known }
    await withUnsafeContinuation { continuation in
      if !add(.task(continuation)) { continuation.resume() }
    }
    return fulfilledValue
  }

  /// ``value(isolation:)`` for programs without tasks: the thread sleeps.
  @available(*, noasync, message: "use value(), so that no thread sleeps that tasks need")
  package func wait() -> Value {
    if let known { return known }
    let thread = SleepingThread()
    if add(.thread(thread)) { thread.sleep() }
    return fulfilledValue
  }

  /// - Returns: False if the value is known, and nothing is to be waited for.
  private func add(_ waiter: Waiter) -> Bool {
    state.withLock { state in
      guard case .pending(var waiters) = state else { return false }
      // Taken out, so that appending does not copy.
      state = .pending([])
      waiters.append(waiter)
      state = .pending(waiters)
      return true
    }
  }

  private var fulfilledValue: Value {
    guard let known else { preconditionFailure("a waiter was resumed before the promise was kept") }
    return known
  }
}

/// A task that is suspended, or a thread that sleeps, until it is resumed.
enum Waiter: Sendable {
  case task(UnsafeContinuation<Void, Never>)
  case thread(SleepingThread)

  func resume() {
    switch self {
    case .task(let continuation): continuation.resume()
    case .thread(let thread): thread.wake()
    }
  }
}

/// A thread that sleeps until another thread wakes it, once.
//
// Shared state: `isWoken`, guarded by the lock of `condition`.
final class SleepingThread: @unchecked Sendable {
  private let condition = ConditionVariable()
  private var isWoken = false

  func wake() {
    condition.lock()
    isWoken = true
    condition.broadcast()
    condition.unlock()
  }

  /// Sleeps until ``wake()``, or at most until a time of ``SystemClock/uptimeNanoseconds``.
  func sleep(untilUptimeNanoseconds deadline: Int64? = nil) {
    condition.lock()
    defer { condition.unlock() }
    while !isWoken {
      guard let deadline else {
        condition.wait()
        continue
      }
      if SystemClock.uptimeNanoseconds >= deadline { return }
      condition.wait(untilUptimeNanoseconds: deadline)
    }
  }
}
