import Glibc
import Synchronization

/// A thread of a test's own, so that waiting in it keeps no other test from running.
package final class TestThread<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let thread = Mutex<pthread_t?>(nil)

  /// Starts a thread that does something.
  package init(_ body: @escaping @Sendable () -> Value) {
    let work = Work { [self] in
      let value = body()
      result.withLock { $0 = value }
    }
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    precondition(status == 0, "a thread cannot be made: errno \(status)")
    self.thread.withLock { $0 = thread }
  }

  /// Whether it is done.
  package var isDone: Bool { result.withLock { $0 != nil } }

  /// Waits until it is done, and says what came of it.
  package func value() -> Value {
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread { pthread_join(thread, nil) }
    guard let value = result.withLock({ $0 }) else { preconditionFailure("a thread had no result") }
    return value
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// A gate that holds up whoever comes to it until it is opened.
package final class Gate: Sendable {
  private let state = Mutex((isShut: false, arrivedCount: 0))

  package init() {}

  /// How many have come to it while it was shut.
  package var arrivedCount: Int { state.withLock { $0.arrivedCount } }

  package func shut() { state.withLock { $0.isShut = true } }
  package func open() { state.withLock { $0.isShut = false } }

  /// Passes, once the gate is open.
  package func pass() {
    let isShut = state.withLock { state in
      if state.isShut { state.arrivedCount += 1 }
      return state.isShut
    }
    if isShut { until { !state.withLock { $0.isShut } } }
  }
}

/// Lets other threads run until something is true.
package func until(_ isTrue: () -> Bool) {
  while !isTrue() { sched_yield() }
}
