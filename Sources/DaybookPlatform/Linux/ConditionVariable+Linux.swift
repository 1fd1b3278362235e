import Glibc

extension ConditionVariable {
  /// Initializes a condition variable whose deadlines are times of the monotonic clock.
  ///
  /// Setting the real-time clock would move deadlines of that clock.
  static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }
}
