import DaybookJournal
import Synchronization

/// A clock that changes only when a test advances or sets it.
///
/// A journal writes durability marks and syncs in the background after an interval. With the
/// machine's clock, a slow run of a test makes more disk calls than a fast one. A ``FaultPlan``
/// that counts calls would then select a different call in each run. With this clock, an interval
/// passes only when the test advances the clock.
///
/// ```swift
/// let clock = ManualClock()
/// let store = try Store.simulated(records: Bank.self, clock: clock)
/// clock.advance(by: .seconds(1))
/// store.performDueWork()
/// ```
public final class ManualClock: JournalClock {
  // Shared state: `state`, guarded by its mutex.

  /// The two times of the clock, in nanoseconds.
  private struct State {
    var now: Int64
    var uptime: Int64 = 0
  }

  private let state: Mutex<State>

  /// The start of 2026 in UTC.
  public static let defaultStart = JournalTime(nanoseconds: 1_767_225_600_000_000_000)

  /// Creates a clock that shows a time of day.
  public init(now: JournalTime = ManualClock.defaultStart) {
    state = Mutex(State(now: now.nanoseconds))
  }

  /// The time of day.
  public var now: JournalTime { JournalTime(nanoseconds: state.withLock { $0.now }) }

  /// The sum of all intervals that the test has passed to ``advance(by:)``, in nanoseconds.
  public var uptimeNanoseconds: Int64 { state.withLock { $0.uptime } }

  /// Sets the time of day, as an administrator or a time server does. ``uptimeNanoseconds`` does
  /// not change.
  public func set(now: JournalTime) { state.withLock { $0.now = now.nanoseconds } }

  /// Advances the clock by an interval. The clock stops at the last time that a `JournalTime` can
  /// represent.
  public func advance(by interval: Duration) {
    let (seconds, attoseconds) = interval.components
    precondition(interval >= .zero, "a clock is advanced by \(interval)")
    let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let nanoseconds = overflows ? .max : product.addingCapped(attoseconds / 1_000_000_000)
    state.withLock { state in
      state.now = state.now.addingCapped(nanoseconds)
      state.uptime = state.uptime.addingCapped(nanoseconds)
    }
  }
}

extension Int64 {
  /// Returns the sum with a number that is not negative; the greatest `Int64` if the sum overflows.
  fileprivate func addingCapped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
