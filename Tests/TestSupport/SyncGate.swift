import DaybookCLibrary
import Synchronization

/// A gate that holds syncs, one after another, until a test releases them. Meanwhile the test can
/// check the state.
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

  /// Makes later syncs wait.
  package func shut() { isShut.withLock { $0 = true } }

  /// Lets later syncs pass; syncs that already wait keep waiting.
  package func open() { isShut.withLock { $0 = false } }

  /// Waits until a sync has arrived.
  package func awaitArrival() { sem_wait(arrivals) }

  /// Releases one waiting sync.
  package func letOneGo() { sem_post(departures) }

  /// Waits until it is released, if the gate is shut.
  package func pass() {
    guard isShut.withLock({ $0 }) else { return }
    sem_post(arrivals)
    sem_wait(departures)
  }
}
