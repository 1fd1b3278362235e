import Glibc
import Synchronization

/// A thread that does what a journal needs done when nobody is waiting for it.
///
/// It is started by the first thing to expect, and ends when it is told to, or when what it tends
/// is gone.
//
// Shared state
//
// - `state`: guarded by `mutex`; `condition` tells the thread that it has changed.
// - `tend`: set once, before the thread is started.
final class Housekeeper: @unchecked Sendable {
  private var tend: () -> Tending = { .gone }
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

  /// What came of tending.
  enum Tending {
    /// It is to be done again at this moment, if at any that is known now.
    case done(next: Int64?)
    /// There is nothing left to tend.
    case gone
  }

  /// Says what to do when something is due. It must not keep alive what ends this thread.
  func begin(_ tend: @escaping @Sendable () -> Tending) { self.tend = tend }

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
      guard case .done(let next) = tend() else { return }
      if let next { expect(at: next) }
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
