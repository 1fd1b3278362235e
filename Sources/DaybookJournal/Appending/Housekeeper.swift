import Glibc
import Synchronization

/// A thread that does what a journal needs done when nobody is waiting for it.
///
/// It is started by the first thing to expect, and ends with the journal.
//
// Shared state
//
// - `state`: guarded by `mutex`; `condition` tells the thread that it has changed.
// - `journal`, held weakly: set once before the thread is started.
final class Housekeeper: @unchecked Sendable {
  private weak var journal: FileJournal?
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state = State()

  private struct State {
    var isStarted = false
    var isEnding = false
    /// Whether the thread will look again by itself in time for everything that is expected.
    var wakesAt: Int64?
  }

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

  func begin(tending journal: FileJournal) { self.journal = journal }

  /// Makes sure that the journal is tended at a moment.
  func expect(at due: Int64) {
    locked {
      if let wakesAt = state.wakesAt, wakesAt <= due { return }
      state.wakesAt = due
      if state.isStarted {
        pthread_cond_signal(condition)
      } else if !state.isEnding {
        state.isStarted = start()
      }
    }
  }

  /// Lets the thread end.
  func end() {
    locked {
      state.isEnding = true
      pthread_cond_signal(condition)
    }
  }

  /// A thread that could not be started is tried again at the next occasion.
  private func start() -> Bool {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Housekeeper>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private func run() {
    while sleepUntilDue() {
      guard let journal else { return }
      if let due = journal.tend() { expect(at: due) }
    }
  }

  /// - Returns: False when it is time to end.
  private func sleepUntilDue() -> Bool {
    locked {
      while !state.isEnding {
        guard let wakesAt = state.wakesAt else {
          pthread_cond_wait(condition, mutex)
          continue
        }
        if MachineClock().uptimeNanoseconds >= wakesAt {
          state.wakesAt = nil
          return true
        }
        var moment = timespec(
          tv_sec: Int(wakesAt / 1_000_000_000), tv_nsec: Int(wakesAt % 1_000_000_000))
        pthread_cond_timedwait(condition, mutex, &moment)
      }
      return false
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
