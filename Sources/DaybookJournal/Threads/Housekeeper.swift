import DaybookPlatform
import Synchronization

/// A thread that does what needs to be done when nobody else does it.
///
/// It is started by the first thing to expect, and ends when it is told to, or when what it tends
/// is gone.
//
// Shared state
//
// - `state`: guarded by its mutex. Each change that the thread may wait for increases the count of `changes`.
// - `tend`: set once, before the thread is started.
package final class Housekeeper: @unchecked Sendable {
  private var tend: () -> Tending = { .gone }
  private let state = Mutex(State())
  private let changes = Signal()

  private struct State {
    var isStarted = false
    var isEnding = false
    /// Whether the thread has ended, or is past looking for last work.
    var hasEnded = false
    /// What the thread does before it ends.
    var lastWork: (@Sendable () -> Void)?
    /// When the thread will look again, by the machine's uptime: in time for all that is expected.
    var wakesAt: Int64?
  }

  package init() {}

  /// What came of tending.
  package enum Tending {
    /// It is to be done again after so many nanoseconds, if that is known now.
    case done(next: Int64?)
    /// There is nothing left to tend.
    case gone
  }

  /// Says what to do when something is due. It must not keep alive what ends this thread.
  package func begin(_ tend: @escaping @Sendable () -> Tending) { self.tend = tend }

  /// Makes sure that things are tended after so many nanoseconds.
  ///
  /// - Returns: Whether they will be; not if this has ended, or if the system has no thread to give.
  @discardableResult
  package func expect(after nanoseconds: Int64) -> Bool {
    // No interval is longer than a day, however far ahead somebody's clock says that it ends.
    let due = MachineClock().uptimeNanoseconds + min(max(0, nanoseconds), 86_400_000_000_000)
    let (isExpected, isNew) = state.withLock { state in
      if state.isEnding { return (false, false) }
      // As a rule it is expected already: then the thread sleeps on. To be woken for each save would take longer
      // than all that is done for a save.
      if let wakesAt = state.wakesAt, wakesAt <= due { return (true, false) }
      state.wakesAt = due
      if !state.isStarted { state.isStarted = SystemThread.detach { self.run() } }
      // A thread that could not be started is tried again at the next occasion.
      if !state.isStarted { state.wakesAt = nil }
      return (state.isStarted, state.isStarted)
    }
    if isNew { changes.increase() }
    return isExpected
  }

  /// Lets the thread end.
  ///
  /// - Parameter lastWork: What is done first, never by the caller's thread; by another one if this thread has ended.
  package func end(after lastWork: (@Sendable () -> Void)? = nil) {
    let isLate = state.withLock { state in
      state.isEnding = true
      if !state.isStarted || state.hasEnded { return true }
      state.lastWork = lastWork
      return false
    }
    changes.increase()
    if isLate, let lastWork { SystemThread.detach(lastWork) }
  }

  private func run() {
    while sleepUntilDue() {
      guard case .done(let next) = tend() else { break }
      if let next { expect(after: next) }
    }
    let lastWork = state.withLock { state in
      state.hasEnded = true
      return state.lastWork.take()
    }
    lastWork?()
  }

  /// - Returns: False when it is time to end.
  private func sleepUntilDue() -> Bool {
    while true {
      let count = changes.count
      let (isEnding, wakesAt) = state.withLock { state in
        let wakesAt = state.wakesAt
        let isDue = wakesAt.map { MachineClock().uptimeNanoseconds >= $0 } ?? false
        if isDue { state.wakesAt = nil }
        return (state.isEnding, isDue ? .min : wakesAt)
      }
      if isEnding || wakesAt == .min { return !isEnding }
      changes.wait(until: count + 1, deadline: wakesAt)
    }
  }
}
