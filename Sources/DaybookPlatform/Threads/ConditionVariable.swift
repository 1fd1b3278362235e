import DaybookCLibrary

/// A lock and a condition variable. Threads that have the lock can wait for the condition.
///
/// The type does not contain the value that it guards. With such a value it would be generic, and
/// the compiler would not specialize it in other targets, so that it would be slow.
//
// Shared state: the lock and the condition variable, which are thread-safe and keep their
// addresses.
package struct ConditionVariable: ~Copyable, @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      // Deadlines are times of the monotonic clock. A change of the real-time clock would shift
      // deadlines of that clock.
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func lock() { pthread_mutex_lock(mutex) }

  package func unlock() { pthread_mutex_unlock(mutex) }

  /// Wakes all threads that wait.
  package func broadcast() { pthread_cond_broadcast(condition) }

  /// Releases the lock, waits for a broadcast, and takes the lock again. The call may return early.
  package func wait() { pthread_cond_wait(condition, mutex) }

  /// Waits as ``wait()`` does, at most until a time of ``SystemClock/uptimeNanoseconds``.
  package func wait(untilUptimeNanoseconds deadline: Int64) {
    #if canImport(Darwin)
      // Deadlines of Darwin are either times of the real-time clock or relative.
      let nanoseconds = max(0, deadline - SystemClock.uptimeNanoseconds)
    #else
      let nanoseconds = deadline
    #endif
    var time = timespec()
    time.tv_sec = .init(nanoseconds / 1_000_000_000)
    time.tv_nsec = .init(nanoseconds % 1_000_000_000)
    #if canImport(Darwin)
      pthread_cond_timedwait_relative_np(condition, mutex, &time)
    #else
      pthread_cond_timedwait(condition, mutex, &time)
    #endif
  }
}
