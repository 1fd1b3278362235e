import Glibc
import Synchronization

/// Where syncs wait, one after the other, until a test lets them go on, so that what happens
/// meanwhile can be looked at.
//
// Shared state: the two semaphores, which are thread-safe; `isShut`, guarded by its mutex.
package final class SyncGate: @unchecked Sendable {
  private let arrivals = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private let departures = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private let isShut = Mutex(false)

  package init() {
    sem_init(arrivals, 0, 0)
    sem_init(departures, 0, 0)
  }

  deinit {
    sem_destroy(arrivals)
    sem_destroy(departures)
    arrivals.deallocate()
    departures.deallocate()
  }

  /// From now on syncs wait.
  package func shut() { isShut.withLock { $0 = true } }

  /// From now on syncs pass; those that wait still do.
  package func open() { isShut.withLock { $0 = false } }

  /// Waits until a sync has come.
  package func awaitArrival() { sem_wait(arrivals) }

  /// Lets one sync go on.
  package func letOneGo() { sem_post(departures) }

  /// Waits to be let go on, if the gate is shut.
  package func pass() {
    guard isShut.withLock({ $0 }) else { return }
    sem_post(arrivals)
    sem_wait(departures)
  }
}
