import DaybookPlatform
import Synchronization

/// Performs the work of one journal that is due when no caller performs it, on threads that all journals share.
///
/// The work is performed by one thread at a time. Nothing happens before ``expect(after:)``, nor after ``end(after:)``
/// or when the journal is gone.
//
// Shared state
//
// - `state`: guarded by its mutex, which is not held while work is performed.
// - `tend`: set once, before anything is expected.
package final class Housekeeper: @unchecked Sendable {
  private var tend: () -> Tending = { .gone }
  private let state = Mutex(State())

  private struct State {
    var isEnding = false
    var isTending = false
    /// The time at which the journal is tended next, by the machine's uptime: in time for all that is expected.
    var wakesAt: Int64?
  }

  package init() {}

  /// The result of tending.
  package enum Tending {
    /// The journal is to be tended again after so many nanoseconds, if that is known.
    case done(next: Int64?)
    /// There is nothing left to tend.
    case gone
  }

  /// Sets the work. It must not keep alive what ends this housekeeper.
  package func begin(_ tend: @escaping @Sendable () -> Tending) { self.tend = tend }

  /// Makes sure that the journal is tended after so many nanoseconds.
  ///
  /// - Returns: Whether it will be; not if this has ended, or if the system has no thread to give.
  @discardableResult
  package func expect(after nanoseconds: Int64) -> Bool {
    // No interval is longer than a day, however far ahead a clock says that it ends.
    let due = MachineClock().uptimeNanoseconds + min(max(0, nanoseconds), 86_400_000_000_000)
    let isExpected: Bool? = state.withLock { state in
      if state.isEnding { return false }
      // As a rule it is expected already, and a save schedules nothing.
      if let wakesAt = state.wakesAt, wakesAt <= due { return true }
      state.wakesAt = due
      return state.isTending ? true : nil
    }
    return isExpected ?? schedule(at: due)
  }

  private func schedule(at due: Int64) -> Bool {
    let isScheduled = ScheduledThreads.maintenance.run(at: due) { self.run(dueAt: due) }
    // The next occasion schedules it again.
    if !isScheduled { state.withLock { $0.wakesAt = nil } }
    return isScheduled
  }

  /// Ends the work, after what is being performed.
  ///
  /// - Parameter lastWork: The last work, which the caller's thread does not perform.
  package func end(after lastWork: (@Sendable () -> Void)? = nil) {
    state.withLock { $0.isEnding = true }
    if let lastWork { ScheduledThreads.maintenance.run(lastWork) }
  }

  /// Tends the journal, unless an earlier time was set since, or another thread tends it.
  private func run(dueAt due: Int64) {
    let isDue = state.withLock { state in
      guard !state.isEnding, !state.isTending, state.wakesAt == due else { return false }
      state.wakesAt = nil
      state.isTending = true
      return true
    }
    guard isDue else { return }
    let tending = tend()
    let now = MachineClock().uptimeNanoseconds
    let next: Int64? = state.withLock { state in
      state.isTending = false
      guard case .done(let next) = tending else {
        state.isEnding = true
        return nil
      }
      if let next {
        let due = now + min(max(0, next), 86_400_000_000_000)
        state.wakesAt = min(state.wakesAt ?? due, due)
      }
      return state.isEnding ? nil : state.wakesAt
    }
    if let next { _ = schedule(at: next) }
  }
}
