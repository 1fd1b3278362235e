import Synchronization

/// A value that is set once, and that any number of tasks and threads can wait for.
public final class Promise<Value: Sendable>: Sendable {
  // Shared state: `state`, guarded by its mutex. Waiters are resumed after the mutex is released.

  private enum State {
    case pending([Waiter])
    case fulfilled(Value)
  }

  private let state = Mutex(State.pending([]))

  /// Creates a promise without a value.
  public init() {}

  /// The value, or nil if it is not set yet.
  package var known: Value? {
    state.withLock { state in
      if case .fulfilled(let value) = state { value } else { nil }
    }
  }

  /// Sets the value, and resumes all tasks and threads that wait for it.
  ///
  /// - Returns: False if the value was set before. The promise then keeps its old value.
  @discardableResult
  public func fulfill(_ value: Value) -> Bool {
    let waiters: [Waiter]? = state.withLock { state in
      guard case .pending(let waiters) = state else { return nil }
      state = .fulfilled(value)
      return waiters
    }
    for waiter in waiters ?? [] { waiter.resume() }
    return waiters != nil
  }

  /// Suspends until the value is set. Cancelling the task does not end the wait.
  package func value(isolation: isolated (any Actor)? = #isolation) async -> Value {
    if let known { return known }
    await withUnsafeContinuation { continuation in
      if !add(.task(continuation)) { continuation.resume() }
    }
    return fulfilledValue
  }

  /// Blocks the thread until the value is set. This is ``value(isolation:)`` for code outside of
  /// tasks.
  @available(
    *, noasync, message: "use value(), which does not block a thread of the cooperative pool"
  )
  public func wait() -> Value {
    if let known { return known }
    let thread = SleepingThread()
    if add(.thread(thread)) { thread.sleep() }
    return fulfilledValue
  }

  /// Adds a waiter.
  ///
  /// - Returns: False if the value is set, so that the caller need not wait.
  private func add(_ waiter: Waiter) -> Bool {
    state.withLock { state in
      guard case .pending(var waiters) = state else { return false }
      // The waiters are moved out of the state, so that appending does not copy them.
      state = .pending([])
      waiters.append(waiter)
      state = .pending(waiters)
      return true
    }
  }

  private var fulfilledValue: Value {
    guard let known else {
      preconditionFailure("a waiter was resumed before the promise had a value")
    }
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

/// A thread that sleeps once, until a different thread wakes it.
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
