import DaybookJournal
import Synchronization

/// A clock that stands still until a test advances it.
///
/// A journal marks its end and syncs in the background after an interval. By a clock of the machine a loaded run makes
/// more calls of the disk than an idle one, and a ``FaultPlan`` that counts calls reaches another call. By this clock
/// an interval passes only where the test says so.
///
/// ```swift
/// let clock = ManualClock()
/// let store = try Store.simulated(records: Bank.self, clock: clock)
/// clock.advance(by: .seconds(1))
/// store.performDueWork()
/// ```
public final class ManualClock: JournalClock {
  // Shared state: `state`, guarded by its mutex.

  private struct State {
    var now: Int64
    var uptime: Int64 = 0
  }

  private let state: Mutex<State>

  /// The beginning of 2026 in UTC.
  public static let defaultStart = JournalTime(nanoseconds: 1_767_225_600_000_000_000)

  /// Creates a clock that stands at a time of day.
  public init(now: JournalTime = ManualClock.defaultStart) {
    state = Mutex(State(now: now.nanoseconds))
  }

  /// The time of day.
  public var now: JournalTime { JournalTime(nanoseconds: state.withLock { $0.now }) }

  /// The nanoseconds by which the clock was advanced.
  public var uptimeNanoseconds: Int64 { state.withLock { $0.uptime } }

  /// Sets the time of day, as people and servers do. No interval passes.
  public func set(now: JournalTime) { state.withLock { $0.now = now.nanoseconds } }

  /// Lets an interval pass. At the last moment that a journal can express the clock stands still.
  public func advance(by interval: Duration) {
    let (seconds, attoseconds) = interval.components
    precondition(interval >= .zero, "a clock is advanced by \(interval)")
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let nanoseconds = overflows ? .max : whole.addingCapped(attoseconds / 1_000_000_000)
    state.withLock { state in
      state.now = state.now.addingCapped(nanoseconds)
      state.uptime = state.uptime.addingCapped(nanoseconds)
    }
  }
}

extension Int64 {
  /// The sum with a number that is not negative, or the greatest number.
  fileprivate func addingCapped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
