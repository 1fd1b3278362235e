import Glibc

/// Something that threads wait for: a lock, and a signal that what it guards has changed.
//
// Shared state: `value`, guarded by `mutex`. The two stay where they were made, and are thread-safe
// themselves.
package final class Condition<Value: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // Waiting by the time of day would end when somebody sets it.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Changes the value, and tells all who wait.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    let result = body(&value)
    pthread_mutex_unlock(mutex)
    // Whoever is told before that wakes up to wait for the lock.
    pthread_cond_broadcast(condition)
    return result
  }

  /// Looks at the value, and wakes nobody.
  package func read<Result>(_ body: (Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(value)
  }

  /// Waits until the body has an answer: it is asked now, after each change, and when the moment
  /// has come that it last named.
  ///
  /// - Parameter body: Answers, or says until which moment of the machine's uptime to wait at the
  ///   most; nil to wait for a change only.
  package func wait<Result>(for body: (inout Value) -> Answer<Result>) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      switch body(&value) {
      case .is(let result): return result
      case .notBefore(nil): pthread_cond_wait(condition, mutex)
      case .notBefore(let moment?):
        var time = timespec(
          tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &time)
      }
    }
  }

  package enum Answer<Result> {
    case `is`(Result)
    case notBefore(Int64?)
  }
}
