import DaybookPlatform
import Synchronization

/// The scheduler of the background work of one journal. The work runs on
/// ``ScheduledThreads/maintenance``: threads that all journals share.
///
/// At most one thread at a time performs the work. No work starts before the first
/// ``expect(after:)``, after ``end(after:)``, or after the journal was released.
//
// Shared state
//
// - `state`: guarded by its mutex, which is not locked while work is performed.
// - `tend`: set once, before the first call of `expect`.
package final class Housekeeper: @unchecked Sendable {
  private var tend: () -> Tending = { .gone }
  private let state = Mutex(State())

  private struct State {
    var isEnding = false
    var isTending = false
    /// The scheduled time of the next work, in nanoseconds of the machine's uptime; nil if no work
    /// is scheduled. No work is expected before this time.
    var wakesAt: Int64?
  }

  package init() {}

  /// The result of performing the work.
  package enum Tending {
    /// More work is due after this number of nanoseconds; nil if none is expected.
    case done(next: Int64?)
    /// The journal was released, and no work is left.
    case gone
  }

  /// Sets the closure that performs the work. The closure must not contain a strong reference to
  /// the object that ends this housekeeper. Otherwise that object would never be released.
  package func start(_ tend: @escaping @Sendable () -> Tending) { self.tend = tend }

  /// Schedules the work so that it is performed after a number of nanoseconds at the latest.
  ///
  /// - Returns: True if the work is scheduled; false if the housekeeper has ended, or the system
  ///   cannot create a thread.
  @discardableResult
  package func expect(after nanoseconds: Int64) -> Bool {
    // The interval is limited to a day, because a journal's clock may return any value.
    let due = MachineClock().uptimeNanoseconds + min(max(0, nanoseconds), 86_400_000_000_000)
    let isExpected: Bool? = state.withLock { state in
      if state.isEnding { return false }
      // Usually work is already scheduled for an earlier time, so that a save schedules nothing.
      if let wakesAt = state.wakesAt, wakesAt <= due { return true }
      state.wakesAt = due
      return state.isTending ? true : nil
    }
    return isExpected ?? schedule(at: due)
  }

  private func schedule(at due: Int64) -> Bool {
    let isScheduled = ScheduledThreads.maintenance.run(at: due) { self.run(dueAt: due) }
    // The next call of `expect` tries again.
    if !isScheduled { state.withLock { $0.wakesAt = nil } }
    return isScheduled
  }

  /// Ends the housekeeper. Work that has already started continues to its end, and no other work
  /// starts.
  ///
  /// - Parameter lastWork: A closure that a shared thread runs as the last work; nil if there is
  ///   none.
  package func end(after lastWork: (@Sendable () -> Void)? = nil) {
    state.withLock { $0.isEnding = true }
    if let lastWork { ScheduledThreads.maintenance.run(lastWork) }
  }

  /// Performs the work, unless the work was scheduled for an earlier time meanwhile, or a different
  /// thread is performing it.
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
