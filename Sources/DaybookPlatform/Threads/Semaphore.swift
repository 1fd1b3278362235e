import Glibc

/// A counting semaphore that starts at zero.
package struct Semaphore: ~Copyable, @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  package init() {
    semaphore = .allocate(capacity: 1)
    let status = sem_init(semaphore, 0, 0)
    precondition(status == 0, "a semaphore cannot be made: errno \(errno)")
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// Increments the count, and wakes a thread that waits.
  package func signal() { sem_post(semaphore) }

  /// Waits until the count is above zero, and decrements it.
  package func wait() {
    while sem_wait(semaphore) != 0 {
      precondition(errno == EINTR, "waiting for a semaphore: errno \(errno)")
    }
  }
}
