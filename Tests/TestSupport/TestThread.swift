import DaybookCLibrary
import Synchronization

/// A separate thread of a test. Waiting in it blocks no other test.
package final class TestThread<Value: Sendable>: Sendable {
  private let result = Mutex<Value?>(nil)
  private let thread = Mutex<pthread_t?>(nil)

  /// Starts a thread that runs a body.
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

  /// A Boolean value that indicates whether the body has returned.
  package var isDone: Bool { result.withLock { $0 != nil } }

  /// Waits until the body has returned, and returns its result.
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

/// A gate that blocks threads while it is shut.
package final class Gate: Sendable {
  private let state = Mutex((isShut: false, arrivedCount: 0))

  package init() {}

  /// The number of threads that arrived while it was shut.
  package var arrivedCount: Int { state.withLock { $0.arrivedCount } }

  package func shut() { state.withLock { $0.isShut = true } }
  package func open() { state.withLock { $0.isShut = false } }

  /// Passes once the gate is open.
  package func pass() {
    let isShut = state.withLock { state in
      if state.isShut { state.arrivedCount += 1 }
      return state.isShut
    }
    if isShut { until { !state.withLock { $0.isShut } } }
  }
}

/// Yields to other threads until a condition is true.
package func until(_ isTrue: () -> Bool) {
  while !isTrue() { sched_yield() }
}
