import Glibc

extension ConditionVariable {
  /// Initializes a condition variable whose deadlines are times of the monotonic clock.
  ///
  /// Deadlines of the real-time clock would change when somebody sets it.
  static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }
}
