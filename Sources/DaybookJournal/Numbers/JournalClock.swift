import Glibc

/// Where a journal gets the time from.
public protocol JournalClock: Sendable {
  /// The time of day.
  var now: JournalTime { get }

  /// Nanoseconds since some moment, for intervals. It never goes backwards; what is to be done after
  /// an interval is not done while it stands still.
  var uptimeNanoseconds: Int64 { get }
}

/// The clock of this machine.
public struct MachineClock: JournalClock {
  /// The clock of this machine.
  public init() {}

  /// The time of day.
  public var now: JournalTime { JournalTime(nanoseconds: MachineClock.read(CLOCK_REALTIME)) }

  /// Nanoseconds since the machine started.
  public var uptimeNanoseconds: Int64 { MachineClock.read(CLOCK_MONOTONIC) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    let status = clock_gettime(clock, &time)
    precondition(status == 0, "clock \(clock) cannot be read: errno \(errno)")
    return nanoseconds(of: time)
  }

  /// The nanoseconds of a time. A clock set beyond April 2262 stands at the last moment that 64 bits can express.
  package static func nanoseconds(of time: timespec) -> Int64 {
    let (whole, overflows) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    if overflows { return time.tv_sec < 0 ? .min : .max }
    let (sum, sumOverflows) = whole.addingReportingOverflow(Int64(time.tv_nsec))
    return sumOverflows ? .max : sum
  }
}
