import Glibc

/// Something that rings, and is heard by all who wait for it.
//
// Shared state: `rings`, guarded by `mutex`; `condition` tells of its change.
final class Bell: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var rings = 0

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
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

  /// How often it has rung.
  var count: Int {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return rings
  }

  func ring() {
    pthread_mutex_lock(mutex)
    rings += 1
    pthread_cond_broadcast(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits until it has rung more often than so many times, or the time is over, and says how often
  /// it has.
  func wait(after heard: Int, milliseconds: Int) -> Int {
    let due = MachineClock().uptimeNanoseconds + Int64(clamping: milliseconds) * 1_000_000
    var moment = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while rings == heard {
      if pthread_cond_timedwait(condition, mutex, &moment) == ETIMEDOUT { break }
    }
    return rings
  }
}
